"""The author's own LaTeX commands, written out where they are used."""

import re
from dataclasses import dataclass

from ingest.parse.latex.inline import SILENT
from ingest.parse.latex.letters import SYMBOLS
from ingest.parse.latex.source import VERBATIM, option

_MAX_DEPTH = 8  # of commands that use commands
_MATH = r"(?:equation|align|gather|multline|eqnarray|flalign|alignat|math|displaymath)\*?"
_LONGEST_MATH = 20_000  # characters
_DEFINITION = re.compile(
    r"\\(?:(?:new|renew|provide)command|DeclareRobustCommand)\*?\s*"
    r"(?:\{\s*\\([A-Za-z@]+)\s*\}|\\([A-Za-z@]+))\s*(?:\[([1-9])\])?\s*"
    r"|\\def\s*\\([A-Za-z@]+)((?:\#[1-9])*)"
)
# Where nothing is written out: verbatim text, and math, which stays as it is written.
_TOKEN = re.compile(
    rf"\\begin\{{{VERBATIM}\}}.*?(?:\\end\{{\1\}}|\Z)"
    rf"|\\begin\{{({_MATH})\}}"
    r"|\\verb\*?([^A-Za-z\s*])[^\n]{0,500}?\3|\\\(.{0,2000}?\\\)|\\\[.{0,2000}?\\\]"
    r"|(?<!\\)\$\$.{0,2000}?\$\$|(?<!\\)\$(?:\\.|[^$\\]){0,2000}+\$"
    r"|\\([A-Za-z@]+)|\\.",
    re.S,
)
_PROGRAM = re.compile(r"\\(?:if|else|fi|let|def|expandafter|csname|newcommand)")
_BRACE = re.compile(r"\\.|[{}]", re.S)
_PARAMETER = re.compile(r"#([1-9])")


@dataclass(frozen=True, slots=True)
class _Macro:
    body: str
    arguments: int
    default: str | None  # of the first argument, which then stands in brackets


def written_out(source: str) -> str:
    r"""`source` with the commands that it defines by ``\newcommand`` or ``\def`` written out.

    Every line keeps its number. What is defined by a program (``\if…``) stays as it is, and so does
    what would make the text more than some times as long.
    """
    macros, bounds = _defined(source)
    if not macros:
        return source
    return _Writer(macros, 4 * len(source) + 100_000, bounds).write(source)


def _defined(source: str) -> tuple[dict[str, _Macro], dict[int, int]]:
    """The commands by their names, and where each definition begins and ends."""
    macros: dict[str, _Macro] = {}
    bounds: dict[int, int] = {}
    ends = _group_ends(source)
    for match in _DEFINITION.finditer(source):
        at = match.end()
        first = option(source, at) if match[3] else None
        body = _group(source, ends, first[1] + 1 if first else at)
        if body is None:
            continue
        bounds[match.start()] = body[1] + 1
        name = match[1] or match[2] or match[4]
        text = source[slice(*body)]
        if name in SILENT or name in SYMBOLS or _PROGRAM.search(text):
            continue
        arguments = int(match[3] or 0) or len(match[5] or "") // 2
        text = re.sub(r"[ \t]*\n[ \t\n\0]*", " ", text).replace("\\xspace", "").replace("\0", "")
        macros[name] = _Macro(text, arguments, source[slice(*first)] if first else None)
    return macros, bounds


class _Writer:
    def __init__(self, macros: dict[str, _Macro], room: int, bounds: dict[int, int]) -> None:
        self._macros = macros
        self._room = room  # characters that may still be added
        self._bounds = bounds  # of definitions in the source

    def write(self, source: str, depth: int = 0) -> str:
        out: list[str] = []
        at = 0
        ends = _group_ends(source)
        while match := _TOKEN.search(source, at):
            out.append(source[at : match.start()])
            if depth == 0 and match.start() in self._bounds:
                at = self._bounds[match.start()]
                out.append(source[match.start() : at])
                continue
            text, at = self._used(source, ends, match, depth)
            out.append(text)
        out.append(source[at:])
        return "".join(out)

    def _used(
        self, source: str, ends: dict[int, int], match: re.Match[str], depth: int
    ) -> tuple[str, int]:
        """What stands for a token, and where the source goes on."""
        if match[2]:
            end = source.find(f"\\end{{{match[2]}}}", match.end(), match.end() + _LONGEST_MATH)
            end = max(end, match.end())
            return source[match.start() : end], end
        macro = self._macros.get(match[4] or "")
        found = (
            _arguments(source, ends, match.end(), macro) if macro and depth < _MAX_DEPTH else None
        )
        if macro is None or found is None:
            return match[0], match.end()
        given, end = found
        text = _PARAMETER.sub(lambda number: _argument(given, macro.body, number), macro.body)
        if len(text) > self._room:
            return match[0], match.end()
        self._room -= len(text)
        text = self.write(text, depth + 1)
        lost = source.count("\n", match.start(), end) - text.count("\n")
        return text + "\n\0" * lost, end  # the \0 keeps two of them from ending the paragraph


def _group_ends(source: str) -> dict[int, int]:
    """Where each group closes, by where it opens: found once, since `group` looks to its end."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACE.finditer(source):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            ends[opened.pop()] = match.start()
    return ends


def _group(source: str, ends: dict[int, int], at: int) -> tuple[int, int] | None:
    """Inner bounds of the group at `at`, blanks before it skipped."""
    while at < len(source) and source[at] in " \t\r\n\0":
        at += 1
    end = ends.get(at)
    return None if end is None else (at + 1, end)


def _arguments(
    source: str, ends: dict[int, int], at: int, macro: _Macro
) -> tuple[list[str], int] | None:
    given: list[str] = []
    if macro.default is not None:
        span = option(source, at)
        given.append(source[slice(*span)] if span else macro.default)
        at = span[1] + 1 if span else at
    while len(given) < macro.arguments:
        inner = _group(source, ends, at)
        if inner is None:
            return None
        given.append(source[slice(*inner)])
        at = inner[1] + 1
    return given, at


def _argument(given: list[str], body: str, number: re.Match[str]) -> str:
    which = int(number[1])
    text = given[which - 1] if which <= len(given) else ""
    return text if body.count(number[0]) == 1 else text.replace("\n", " ")
