"""Python: cut at classes and functions, each below the names around it."""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ingest import language
from ingest.parse.code.outline import outline
from ingest.parse.code.sections import Piece, elements
from ingest.parse.decode import decode
from ingest.parse.source_lines import SourceLines
from ingest.parse.titles import first_title
from kb.records import Document
from kb.settings import ParseSettings

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_CODING = re.compile(rb"(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)", re.A)
MAX_COMPILED = 1 << 24  # characters


class PythonParser:
    """``Document.text`` is the decoded file; the title is the first line of the module's docstring.

    A definition's decorators, head and docstring stay together. A file that does not compile is read
    like code of any other language.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        declared = _CODING.match(data[:400])
        text = decode(data, declared[1].decode("ascii") if declared else "")
        lines = SourceLines.of(text)
        module = _compiled(text)
        pieces = outline(lines.all()) if module is None else _pieces(module, lines)
        found = elements(lines, pieces)
        doc = ast.get_docstring(module) if module is not None else None
        noted = () if module is not None or not found else ("not valid Python 3: read by its look",)
        return Document(
            text=text,
            elements=found,
            title=first_title([(doc or "").partition("\n")[0]], name),
            language=language.detect(text),
            warnings=noted if found else ("no text in it",),
        )


def _compiled(text: str) -> ast.Module | None:
    if len(text) > MAX_COMPILED:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # e.g. an escape in a string that Python doubts
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _pieces(module: ast.Module, lines: SourceLines) -> Iterator[Piece]:
    """The module's docstring, then its body."""
    first = 0
    if ast.get_docstring(module, clean=False) is not None:
        first = module.body[0].end_lineno or 1
        yield Piece(0, first)
    yield from _body(module.body, lines, first, len(lines), ())


def _body(
    body: Sequence[ast.stmt], lines: SourceLines, first: int, last: int, path: tuple[str, ...]
) -> Iterator[Piece]:
    """The lines ``first`` to ``last - 1``, definitions in `body` apart."""
    at = first
    for statement in body:
        if not isinstance(statement, Definition):
            continue
        begin = max(at, _begin(statement, lines))
        end = min(last, statement.end_lineno or statement.lineno)
        if begin >= end:
            continue  # another definition on the same line
        yield from _plain(lines, at, begin, path)
        yield from _definition(statement, lines, begin, end, path)
        at = end
    yield from _plain(lines, at, last, path)


def _definition(
    node: Definition, lines: SourceLines, begin: int, end: int, path: tuple[str, ...]
) -> Iterator[Piece]:
    """Head with docstring, then what is inside."""
    inner = (*path, node.name)
    head = min(end, max(begin + 1, _head_end(node)))
    yield Piece(begin, head, inner, opens=True)
    if isinstance(node, ast.ClassDef):
        yield from _body(node.body, lines, head, end, inner)
    else:
        yield from _plain(lines, head, end, inner)


def _begin(node: Definition, lines: SourceLines) -> int:
    """The first line of its decorators, and of comments right above them."""
    at = min((d.lineno for d in node.decorator_list), default=node.lineno) - 1
    while at > 0 and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def _head_end(node: Definition) -> int:
    """The line after the signature, and after the docstring where there is one."""
    first = node.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return first.end_lineno or first.lineno
    starts = [first.lineno]
    if isinstance(first, Definition):
        starts += [decorator.lineno for decorator in first.decorator_list]
    return min(starts) - 1


def _plain(lines: SourceLines, first: int, last: int, path: tuple[str, ...]) -> Iterator[Piece]:
    """Lines outside of inner definitions, parted at blank lines before the outermost indent."""
    begin = first
    indent: int | None = None
    blank = False
    for at in range(first, last):
        line = lines[at]
        body = line.lstrip()
        if not body:
            blank = True
            continue
        depth = len(line) - len(body)
        indent = depth if indent is None else indent
        if blank and depth <= indent and at > begin:
            yield Piece(begin, at, path)
            begin = at
        blank = False
    if begin < last:
        yield Piece(begin, last, path)
