"""Which rankings of a question are measured: each leg, the fused one, and what a query answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from index.reader import GenerationReader
from kb.models.embedder import Embedder
from kb.models.llm.llm import Llm
from kb.records import Hit
from kb.settings import QuerySettings
from query.asked import Asked, narrowed
from query.evaluate.held import Mask
from query.evaluate.judge import best_of_documents
from query.pipeline import Searcher
from query.retrieve import MODES

FUSED = "fused"
ANSWER = "answer"
_PLAIN = {"rerank": "none", "diversity": 0.0, "prune": False, "tag_weights": {}, "helpers": ()}
_MORE = 4  # times as many hits, where those at hand are of too few documents


def rankings(settings: QuerySettings, legs: bool = True) -> dict[str, QuerySettings]:
    """The settings of each ranking by its name; the last is what a query with `settings` answers.

    Args:
        settings: of the run.
        legs: also what goes into it: each leg alone, and their fusion without a second look.
    """
    found: dict[str, QuerySettings] = {}
    plain = replace(settings, **_PLAIN)
    parts = MODES.get(settings.mode, ())
    if legs:
        found = {leg: replace(plain, mode=leg) for leg in parts if leg in MODES}
        if len(parts) != 1:
            found[FUSED] = plain
    same = next((name for name, other in found.items() if other == settings), None)
    if same is not None:
        return {**{n: s for n, s in found.items() if n != same}, same: settings}
    return {**found, ANSWER: settings}


def shown_name(name: str, settings: QuerySettings) -> str:
    """A ranking's name for people: ``+ maxsim`` where it is the fused one, reranked."""
    if name == ANSWER and settings.rerank != "none":
        return f"+ {settings.rerank}"
    return name


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranking of one question."""

    hits: list[Hit]
    seconds: float  # from the question to the hits, its embedding included


class Ranker:
    """Ranks questions by one of the settings.

    Args:
        reader: the generation.
        settings: of the ranking.
        embedder: called when a question has to be embedded.
        live: rows that may answer, bool (n,); None for all.
        llm: called when an LLM is first needed.
    """

    def __init__(
        self,
        reader: GenerationReader,
        settings: QuerySettings,
        embedder: Callable[[], Embedder],
        live: Mask | None,
        llm: Callable[[], Llm] | None = None,
    ) -> None:
        self._settings = settings
        self._live = live
        self._searcher = lru_cache(8)(
            lambda mode, rerank, k: Searcher(
                reader, replace(settings, mode=mode, rerank=rerank, k=k), embedder, llm
            )
        )

    def rank(self, asked: Asked, depth: int, of_documents: bool) -> Ranked:
        """The first `depth` hits, or as many as hold that many documents, where there are enough.

        Raises:
            UsageError: the question cannot be asked.
        """
        settings = narrowed(asked, self._settings)
        k = max(depth, settings.k)
        began = time.perf_counter()
        hits = self._search(asked, settings, k)
        seconds = time.perf_counter() - began
        while of_documents and len(hits) == k and _documents(hits) < depth:
            k *= _MORE
            hits = self._search(asked, settings, k)
        return Ranked(hits, seconds)

    def _search(self, asked: Asked, settings: QuerySettings, k: int) -> list[Hit]:
        searcher = self._searcher(settings.mode, settings.rerank, k)
        return searcher.search(asked, self._live)


def _documents(hits: list[Hit]) -> int:
    return len(best_of_documents([hit.chunk for hit in hits]))


def rankers(
    named: Mapping[str, QuerySettings],
    reader: GenerationReader,
    embedder: Callable[[], Embedder],
    live: Mask | None,
    llm: Callable[[], Llm] | None = None,
) -> dict[str, Ranker]:
    """A ranker for each of the settings."""
    return {name: Ranker(reader, settings, embedder, live, llm) for name, settings in named.items()}
