"""What each chunk of a table says: from the store where it is kept, else by rules or by an LLM."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from index.chunk_table import ChunkTable
from index.graph.extract.asking import Asker
from index.graph.extract.keys import key_of, way_of
from index.graph.extract.rules import extract
from index.graph.fold.pieces import Piece
from index.graph.records import Extraction
from ingest.read_report import Progress
from kb.errors import BudgetReached, Unavailable
from kb.settings import Settings
from kb.store import Store
from kb.store.extractions import Extractions, Kept

_BATCH = 500  # chunks read by rules before they are kept
_decode = msgspec.json.Decoder(Extraction).decode


@dataclass(frozen=True, slots=True)
class Text:
    """A chunk's text, under its key."""

    key: str
    document: str
    text: str
    is_code: bool


@dataclass(slots=True)
class ReadTexts:
    """What the chunks gave, in order of rows."""

    pieces: list[Piece] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # path → why rules stand in for the LLM
    failed_chunks: int = 0
    pending: int = 0  # chunks that it is still to be asked about
    stopped: BudgetReached | Unavailable | None = None


def texts_of(table: ChunkTable, settings: Settings) -> list[Text]:
    """The text of each row."""
    way = way_of(settings)
    found = []
    for number, document in enumerate(table.documents):
        for row in range(*table.rows(number)):
            text, kinds = table.said(row)
            code = is_code(kinds)
            key = key_of(way, text, is_code=code)
            found.append(Text(key, document.path, text, code))
    return found


def is_code(kinds: Sequence[str]) -> bool:
    """Whether a chunk of elements of these kinds is source code through and through."""
    return bool(kinds) and set(kinds) == {"code"}


def read_by_rules(texts: Sequence[Text], store: Store, progress: Progress) -> ReadTexts:
    """Read those texts by rules that are not kept."""
    kept = Extractions(store)
    known = kept.get(text.key for text in texts)
    missing = iter({text.key: text for text in texts if text.key not in known}.values())
    while batch := list(islice(missing, _BATCH)):
        made = {one.key: Kept(_encoded(_by_rules(one))) for one in batch}
        kept.put(made)
        known |= made
        progress("extracted", len(batch))
    kept.keep_only(text.key for text in texts)
    return ReadTexts(
        [
            Piece(row, text.document, _decode(known[text.key].record))
            for row, text in enumerate(texts)
        ]
    )


def read_by_llm(texts: Sequence[Text], store: Store, asker: Asker) -> ReadTexts:
    """Ask about those texts that are not kept, and with the wish to retry about those that failed.

    Where the LLM says nothing, rules stand in; that is not kept, nor is what a cap left unasked.
    """
    kept = Extractions(store)
    known = {
        key: one
        for key, one in kept.get(text.key for text in texts).items()
        if not (one.problem and asker.wish.retry)
    }
    missing = {text.key: text.text for text in texts if text.key not in known}
    for given in asker.ask(missing):
        made = {
            key: Kept(b"" if one.extraction is None else _encoded(one.extraction), one.problem)
            for key, one in given.items()
        }
        kept.put(made)
        known |= made
    kept.keep_only(text.key for text in texts)
    read = ReadTexts(pending=asker.pending, stopped=asker.stopped)
    reasons: dict[str, list[str]] = {}
    for row, text in enumerate(texts):
        one = known.get(text.key)
        if one is not None and one.problem:
            reasons.setdefault(text.document, []).append(one.problem)
        extraction = _decode(one.record) if one and one.record else _by_rules(text)
        read.pieces.append(Piece(row, text.document, extraction))
    read.failed = {path: _told(why) for path, why in reasons.items()}
    read.failed_chunks = sum(map(len, reasons.values()))
    return read


def _told(reasons: list[str]) -> str:
    many = "1 chunk" if len(reasons) == 1 else f"{len(reasons):,} chunks"
    return f"an LLM did not say all about the entities of {many}: {reasons[0]}"


def _by_rules(text: Text) -> Extraction:
    return extract(text.text, is_code=text.is_code)


def _encoded(extraction: Extraction) -> bytes:
    return msgspec.json.encode(extraction)
