"""The records that travel: ``SourceFile → Document(elements, text) → Chunk → Hit``.

All are frozen. Arrays (vectors, token codes) stay outside them. Offsets are Python characters
into ``Document.text``; lines and pages count from 1 and both ends are inside.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

# description: what a model says a picture shows; never the source's own words
ElementKind = Literal[
    "heading", "paragraph", "list", "table", "code", "quote", "caption", "note", "description"
]
Validity = Literal["valid", "expired", "superseded", "future"]
ChunkKind = Literal["text", "summary", "community", "card"]
Freshness = Literal["fresh", "changed", "missing"]


@dataclass(frozen=True, slots=True)
class Element:
    """A block of a document: ``document.text[start:end]``.

    Elements are in reading order and do not overlap; text between them is blank or markup.
    """

    kind: ElementKind
    start: int
    end: int
    heading: tuple[str, ...] = ()  # titles of the sections around it; a heading includes itself
    level: int = 0  # headings only: 1 is the highest
    lines: tuple[int, int] | None = None  # in the source, where text is extracted (HTML)
    page: int | None = None  # or slide, or sheet
    bbox: tuple[float, float, float, float] | None = (
        None  # x0, y0, x1, y1 in points, origin top left
    )


@dataclass(frozen=True, slots=True)
class Document:
    """What was read from one file.

    For text formats (Markdown, text, reStructuredText, source code, settings files) ``text`` is the
    decoded file itself, so that a span in it is a span in the file; for others it is the extracted text.
    """

    text: str
    elements: tuple[Element, ...]
    title: str = ""
    language: str = ""  # ISO 639-1, "" when unknown
    metadata: dict[str, Any] = field(default_factory=dict)  # front matter, <meta>, PDF info
    warnings: tuple[str, ...] = ()
    verbatim: bool = True  # text is the file's own text: lines are counted in it; else in elements
    pages: int = 0  # 0 where the format has none
    ocr_pages: tuple[int, ...] = ()  # those whose text was recognised in their image


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one file came to, in numbers; kept with the document it gave."""

    pages: int = 0  # 0 where the format has none
    elements: int = 0
    characters: int = 0
    language: str = ""
    ocr_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float | None = None  # None: it was not measured


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a document chosen by a chunker: ``document.text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a derived chunk took over from a document, and where they stand there."""

    start: int  # in the derived text
    end: int
    leaf: str  # id of the chunk they were read in
    source_start: int  # in the document
    source_end: int
    path: str
    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of one document, ready to be embedded and indexed.

    ``context`` is embedded and indexed before ``text`` but is never shown as the source's words.
    Derived chunks (``kind`` other than "text") are of no file: ``path`` is ``summary:…``,
    ``community:…`` or ``card:…``. They list in ``leaves`` the chunk ids they stand on, and in
    ``quotes`` what they took over word for word.
    """

    id: str
    doc_id: str
    path: str  # POSIX, relative to the folder that holds the KB; absolute when outside it
    start: int
    end: int
    text: str
    context: str = ""
    content_hash: str = ""  # SHA-256 of the file's bytes
    title: str = ""
    heading: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None  # None where the format has none (PDF)
    pages: tuple[int, int] | None = None
    language: str = ""
    kinds: tuple[str, ...] = ()
    bboxes: tuple[tuple[int, float, float, float, float], ...] = ()  # page, x0, y0, x1, y1
    tokens: int = 0  # of the embedder's tokenizer, context and prefixes excluded
    kind: ChunkKind = "text"
    level: int = 0
    leaves: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()

    @property
    def embedded_text(self) -> str:
        """Exactly what the embedder and the lexical index read."""
        return embedded_text(self.context, self.text)


def embedded_text(context: str, text: str) -> str:
    """A chunk's text with its context before it."""
    return f"{context}\n{text}" if context else text


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file met by the scan."""

    path: str  # as in `Chunk.path`
    absolute: str  # fit for ``open``
    size: int
    mtime_ns: int
    inode: int
    source: str = ""  # written path of the source's root


@dataclass(frozen=True, slots=True)
class LegScore:
    """Where one retrieval leg saw a chunk: rank from 1, and the leg's own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Another chunk that says nearly the same as a hit."""

    id: str
    path: str
    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None
    validity: Validity = "valid"
    kind: ChunkKind = "text"


@dataclass(frozen=True, slots=True)
class Expansion:
    """Neighbouring chunks of one document as one text, around one hit or several."""

    # What was asked for: section, window, document or leaves; "question": of a summary, what the leaves
    # under it say on the question, and `quotes` where they say it.
    kind: str
    text: str
    start: int
    end: int
    lines: tuple[int, int] | None = None
    pages: tuple[int, int] | None = None
    before: int = 0  # characters of what was asked for that were left out, to keep it short
    after: int = 0
    ranks: tuple[int, ...] = ()  # of the hits whose passages are in it
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked answer with the trail of how it got there."""

    rank: int
    score: float
    chunk: Chunk
    legs: dict[str, LegScore] = field(default_factory=dict)
    fusion: dict[str, float] = field(
        default_factory=dict
    )  # each leg's share; sums to the fused score
    rerank: dict[str, float] | None = None
    # What changed the score after that, in order: "links", "boost", "diversity". Each names the score
    # before it, and parts ending in "share" that sum to the score after it.
    steps: dict[str, dict[str, float]] = field(default_factory=dict)
    duplicates: tuple[Duplicate, ...] = ()
    explain: dict[str, Any] | None = None
    fresh: Freshness | None = None  # the file against what was indexed; None: not looked at
    validity: Validity = "valid"  # of its document, on the day that was asked about
    expanded: Expansion | None = None  # None also where a better hit carries it
    expanded_in: int | None = None  # that hit's rank
