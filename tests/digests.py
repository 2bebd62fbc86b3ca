"""A derivation that needs no thought: a derived chunk a document, of its chunks' first words."""

from pathlib import Path
from typing import ClassVar

from index.derived.base import Made, Making
from kb.digest import digest
from kb.errors import BudgetReached
from kb.records import Chunk, Quote
from kb.settings import Settings
from kb.store import Store

TARGET = "tests.digests:Digests"


class Digests:
    """See `index.derived.base.Derivation`; what an LLM would do is set from outside."""

    name: ClassVar[str] = "digests"
    on: ClassVar[bool] = True
    pending: ClassVar[int] = 0
    failed: ClassVar[dict[str, str]] = {}
    made: ClassVar[list[Path | None]] = []  # the folder before, of each time

    @staticmethod
    def enabled(settings: Settings) -> bool:
        return Digests.on

    @staticmethod
    def key(settings: Settings, store: Store) -> tuple[str, ...]:
        return ("1",)

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        Digests.made.append(making.before)
        chunks, stands = [], []
        for number, document in enumerate(making.table.documents):
            rows = range(*making.table.rows(number))
            chunk = _digest(document.path, document.language, [making.table[row] for row in rows])
            chunks.append(chunk)
            stands.append(list(rows))
        making.embed([chunk.embedded_text for chunk in chunks])
        (folder / "own.json").write_text("{}")
        stopped = BudgetReached("the cap is reached") if Digests.pending else None
        return Made(chunks, stands, (), 0, Digests.pending, dict(Digests.failed), stopped)


def _digest(path: str, language: str, leaves: list[Chunk]) -> Chunk:
    text, quotes = "", []
    for leaf in leaves:
        said = " ".join(leaf.text.split()[:3])
        at = leaf.text.find(said.split()[0]) if said else 0
        quotes.append(
            Quote(len(text), len(text) + len(said), leaf.id, leaf.start + at, leaf.end, path)
        )
        text += said + " "
    key = digest("digest", path, text)
    return Chunk(
        id=key,
        doc_id=key,
        path=f"summary:{key[:8]}",
        start=0,
        end=len(text),
        text=text,
        language=language,
        kind="summary",
        level=1,
        leaves=tuple(leaf.id for leaf in leaves),
        quotes=tuple(quotes),
    )
