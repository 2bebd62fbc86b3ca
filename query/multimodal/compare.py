"""One file read in each way, and what each way finds for one question."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import get_args

from msgspec.structs import replace

from ingest.describe.describer import NO_MODEL, Described, Describer
from ingest.look.shown import shown_by
from ingest.parsing import parse_bytes
from ingest.pipeline import cut_document
from kb.errors import ParseError, Unavailable
from kb.models.embedder import Embedder, Floats
from kb.records import Chunk, Document
from kb.settings import ParseSettings, Settings

WAYS: tuple[str, ...] = get_args(ParseSettings.__annotations__["multimodal"])


@dataclass(frozen=True, slots=True)
class Best:
    """The passage that is nearest to the question."""

    score: float  # cosine
    page: int
    text: str


@dataclass(frozen=True, slots=True)
class WayRead:
    """What one way made of the file."""

    way: str
    seconds: float = 0.0  # to read it; the index's time is not counted
    pages: int = 0
    ocr_pages: int = 0
    characters: int = 0  # that the index would hold
    chunks: int = 0
    llm_calls: int = 0
    warnings: tuple[str, ...] = ()
    error: str = ""
    best: Best | None = None
    known: Mapping[int, int] = field(default_factory=dict)  # characters by page
    tables: frozenset[int] = frozenset()  # pages that have one


def compare(
    data: bytes,
    parser: str,
    settings: Settings,
    embedder: Embedder,
    question: str,
    describer: Describer | None = None,
) -> Iterator[WayRead]:
    """Each way in turn; the ranking is by meaning alone, as there is no index of words yet.

    Args:
        data: the file's bytes.
        parser: its name.
        settings: of the other stages.
        embedder: of the settings.
        question: "" for none.
        describer: for the way that needs a vision model; None: it is not tried, and says so.
    """
    for way in WAYS:
        parse = replace(settings.parse, multimodal=way)
        began = time.perf_counter()
        if way == "native" and describer is None:
            yield WayRead(way, error=NO_MODEL)
            continue
        try:
            document = parse_bytes(data, parser, parse)
            outcome = Described(document)
            if way == "native" and describer is not None:
                outcome = describer.describe(document, shown_by(data, parser, parse, document))
        except (ParseError, Unavailable) as error:
            yield WayRead(way, time.perf_counter() - began, error=str(error))
            continue
        seconds = time.perf_counter() - began
        yield _read(way, seconds, outcome, describer, settings, embedder, question)


def _read(
    way: str,
    seconds: float,
    outcome: Described,
    describer: Describer | None,
    settings: Settings,
    embedder: Embedder,
    question: str,
) -> WayRead:
    document = outcome.document
    if not document.elements:
        return WayRead(way, seconds, error=outcome.problem or "neither text nor a description")
    ended = describer.ended if describer is not None and way == "native" else None
    told = (outcome.problem, f"described as far as it went: {ended}" if ended else "")
    warnings = (*document.warnings, *outcome.warnings, *filter(None, told))
    chunks = cut_document([document], settings, embedder)
    return WayRead(
        way,
        seconds,
        document.pages,
        len(document.ocr_pages),
        len(document.text),
        len(chunks),
        describer.calls if describer is not None and way == "native" else 0,
        warnings,
        best=_best(document, chunks, embedder, question) if question and chunks else None,
        known=_known(document),
        tables=frozenset(e.page or 1 for e in document.elements if e.kind == "table"),
    )


def _known(document: Document) -> dict[int, int]:
    known: Counter[int] = Counter()
    for element in document.elements:
        known[element.page or 1] += element.end - element.start
    return dict(known)


def _best(document: Document, chunks: tuple[Chunk, ...], embedder: Embedder, question: str) -> Best:
    asked = embedder.embed([question], "query")[0]
    scores = embedder.embed([chunk.text for chunk in chunks], "passage") @ asked
    best = chunks[int(scores.argmax())]
    return Best(float(scores.max()), _page(document, best, embedder, asked), best.text)


def _page(document: Document, chunk: Chunk, embedder: Embedder, asked: Floats) -> int:
    """The page of the chunk's element that is nearest to the question."""
    inside = [e for e in document.elements if e.start < chunk.end and e.end > chunk.start]
    if len({element.page for element in inside}) > 1:
        texts = [document.text[element.start : element.end] for element in inside]
        inside = [inside[int((embedder.embed(texts, "passage") @ asked).argmax())]]
    return inside[0].page or 1 if inside else 1
