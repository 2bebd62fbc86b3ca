"""LaTeX without running it: headings, paragraphs, lists, tables, captions, code."""

import re
from typing import ClassVar

from ingest import language
from ingest.parse.decode import decode
from ingest.parse.latex.inline import line
from ingest.parse.latex.macros import written_out
from ingest.parse.latex.source import after_options, group, without_comments
from ingest.parse.latex.walk import SECTIONS, Walker
from ingest.parse.titles import first_title
from kb.records import Document
from kb.settings import ParseSettings

_CHARSETS = {
    **{"latin1": "iso8859-1", "latin9": "iso8859-15", "ansinew": "cp1252", "cp1252": "cp1252"},
    **{"applemac": "mac-roman", "cp850": "cp850", "cp437": "cp437", "koi8-r": "koi8-r"},
    **{"cp1251": "cp1251", "latin2": "iso8859-2", "cp1250": "cp1250"},
}
_INPUTENC = re.compile(rb"\\usepackage\s*\[([A-Za-z0-9-]+)\]\s*\{inputenc\}")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_ABOUT = ("title", "author", "date")


class LatexParser:
    r"""Commands defined in the file are written out, the argument of an unknown one stays.

    Math stays as written, ``\input`` is not followed.

    ``Document.text`` is extracted; elements carry the source's lines. Title, author and date are
    metadata, and the first lines of the text.
    """

    version: ClassVar[int] = 2

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        declared = _INPUTENC.search(data[:65536])
        charset = _CHARSETS.get(declared[1].decode("ascii").lower(), "") if declared else ""
        text = decode(data, charset).replace("\r\n", "\n").replace("\r", "\n")
        source = written_out(without_comments(text))
        metadata = {key: value for key in _ABOUT if (value := _of_macro(source, key))}
        begin = _BEGIN.search(source)
        walker = Walker(source, _levels(source, bool(metadata.get("title"))))
        shown = [metadata[key] for key in _ABOUT if key in metadata]
        built = walker.walk(begin.end() if begin else 0, shown if "title" in metadata else [])
        warnings = [f"{path} is not followed" for path in dict.fromkeys(walker.not_followed[:20])]
        if not built.elements:
            warnings.append("no text in it")
        headings = [e.heading[-1] for e in built.elements if e.level == 1 and e.heading]
        return Document(
            text=built.text,
            elements=tuple(built.elements),
            title=first_title([metadata.get("title"), *headings[:1]], name),
            language=language.detect(built.text),
            metadata=dict(metadata),
            warnings=tuple(warnings),
            verbatim=False,
        )


def _of_macro(source: str, name: str) -> str:
    match = re.search(rf"\\{name}(?![A-Za-z])", source)
    inner = group(source, after_options(source, match.end())) if match else None
    if inner is None:
        return ""
    text = line(re.sub(r"\\thanks\s*\{[^{}]*\}", "", source[slice(*inner)]))
    return "" if name == "date" and not any(c.isdigit() for c in text) else text


def _levels(source: str, titled: bool) -> dict[str, int]:
    """Levels from the highest command in use down, one below a title."""
    used = [name for name in SECTIONS if re.search(rf"\\{name}\*?\s*[\[{{]", source)]
    return {name: number for number, name in enumerate(used, 2 if titled else 1)}
