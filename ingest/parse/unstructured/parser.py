"""Documents by the package unstructured, offline."""

import importlib
import io
import os
import re
import warnings
from typing import Any, ClassVar

from ingest import language
from ingest.parse.extracted import ExtractedText
from ingest.parse.titles import first_title, sensible
from ingest.parse.unstructured.formats import Format, format_of
from ingest.parse.unstructured.offline import no_download
from kb.errors import ParseError, Unavailable
from kb.records import Document, ElementKind
from kb.settings import ParseSettings

KINDS: dict[str, ElementKind] = {
    "ListItem": "list",
    "Table": "table",
    "CodeSnippet": "code",
    "Formula": "code",
    "FigureCaption": "caption",
    "Footnote": "note",
}
LEFT_OUT = {"Header", "Footer", "PageBreak", "PageNumber", "Image"}
_MAIL = re.compile(rb"(?:From )?[A-Za-z][A-Za-z-]*:? [^<\n]*\n")  # its headers come first


class UnstructuredParser:
    """What unstructured calls a title is a heading, though it guesses many from their shape alone."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        pass

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: it is broken, of no format that is read so, or needs LibreOffice.
            Unavailable: unstructured lacks a package for this format.
        """
        kind = format_of(data, "mail" if _MAIL.match(data) else "html")
        if kind is None:
            raise ParseError("no format that unstructured reads offline")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            built = _built(_partition(kind, data))
        text = built.text
        titles = (text[e.start : e.end] for e in built.elements[:3] if e.kind == "heading")
        return Document(
            text=text,
            elements=tuple(built.elements),
            title=first_title(map(sensible, titles), name),
            language=language.detect(text),
            warnings=() if built.elements else ("no text",),
            verbatim=False,
            pages=max((element.page or 0 for element in built.elements), default=0),
        )


def _partition(kind: Format, data: bytes) -> list[Any]:
    os.environ.setdefault("SCARF_NO_ANALYTICS", "true")  # it reports its use when it is imported
    os.environ.setdefault("DO_NOT_TRACK", "true")
    os.environ.setdefault("UNSTRUCTURED_DISABLE_NOTICE", "1")
    try:
        no_download()
        module = importlib.import_module(f"unstructured.partition.{kind.name}")
        partition = getattr(module, f"partition_{kind.name}")
        # No language is named: the rules for English want a model for its verbs.
        found: list[Any] = partition(file=io.BytesIO(data), languages=[""])
    except ImportError as error:
        raise Unavailable(
            f"unstructured lacks a package for this {kind.words}: "
            f"pip install 'unstructured[{kind.name}]' ({error})"
        ) from error
    except FileNotFoundError as error:
        if not kind.office:
            raise _broken(kind, error) from error
        raise ParseError(
            f"{kind.words}: unstructured converts it with LibreOffice, which is not installed: "
            f"apt-get install {kind.office}"
        ) from error
    except Exception as error:  # of any of the libraries behind it
        raise _broken(kind, error) from error
    return found


def _broken(kind: Format, error: Exception) -> ParseError:
    reason = " ".join(str(error).split())[:120]
    return ParseError(
        f"unstructured cannot read this {kind.words}: {reason or type(error).__name__}"
    )


def _built(found: list[Any]) -> ExtractedText:
    built = ExtractedText()
    for element in found:
        if element.category in LEFT_OUT:
            continue
        page = element.metadata.page_number
        if element.category == "Title":
            level = min(6, (element.metadata.category_depth or 0) + 1)
            built.add("heading", element.text, level=level, page=page)
        else:
            kind = KINDS.get(element.category, "paragraph")
            built.add(kind, _rows(element) if kind == "table" else element.text, page=page)
    return built


def _rows(table: Any) -> str:
    """A row a line, cells parted by bars."""
    if not table.metadata.text_as_html:
        return str(table.text)
    from lxml import html

    rows = html.fragment_fromstring(table.metadata.text_as_html, create_parent=True).iter("tr")
    cells = ([" ".join(cell.text_content().split()) for cell in row] for row in rows)
    return "\n".join(" | ".join(row) for row in cells)
