"""The steps between a ranking and its hits, composed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from index.derived.joined import leaves_of
from index.reader import GenerationReader
from kb.records import Chunk
from kb.settings import QuerySettings
from query.fuse.scaling import between_ends
from query.ranking import Ranking
from query.select.collapse import Collapsed, collapse
from query.select.diversity import diversify
from query.select.prune import MOST, prune
from query.select.wording import Wording

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pick:
    """One hit: its place among the candidates, its score, and the places of its near-duplicates."""

    place: int
    score: float
    copies: tuple[int, ...] = ()
    diversity: dict[str, float] | None = None  # parts of the score, where it was picked for variety


@dataclass(frozen=True, slots=True)
class Selection:
    """The hits, and what became of the candidates that are none."""

    picks: list[Pick]
    collapsed: Collapsed
    # By place, what a pruning held against its threshold; None: it was not looked at again.
    values: dict[int, float | None]

    @property
    def apart(self) -> int:
        """How many candidates stayed apart, as far as they were looked at."""
        return len(self.collapsed.heads)


def choose(
    final: Ranking,
    reader: GenerationReader,
    settings: QuerySettings,
    wanted: Callable[[Chunk], bool] | None = None,
    probability: Scores | None = None,
) -> Selection:
    """The best ``settings.k`` hits among the candidates.

    Args:
        final: all candidates, best first.
        reader: of their generation.
        settings: ``k``, ``collapse``, ``prune``, ``prune_below``, ``diversity`` and ``rerank_depth``: the
            last, or k, is how many candidates are looked at.
        wanted: what is not is passed over, as if it were no candidate.
        probability: of each candidate to answer, float64 (len(final),), NaN where unknown; None where the
            reranker gives none. A pruning compares it, else the score between the best (1) and the
            last candidate looked at (0).
    """
    look = max(settings.rerank_depth, settings.k)
    want = look if settings.prune or settings.diversity else settings.k
    places = _wanted(final, reader, wanted)
    collapsed = (
        collapse(places, _wordings(final, reader), want, look)
        if settings.collapse
        else Collapsed(list(islice(places, want)))
    )
    heads = np.asarray(collapsed.heads, np.int64)
    if not settings.prune:
        return Selection(_picks(final, reader, settings, collapsed, heads), collapsed, {})
    values = _values(final.scores, look, probability)[heads]
    kept = prune(values, settings.prune_below)
    few = replace(settings, k=min(settings.k, MOST))
    picks = _picks(final, reader, few, collapsed, heads[kept])
    told = (None if np.isnan(value) else float(value) for value in values)
    return Selection(picks, collapsed, dict(zip(collapsed.heads, told, strict=True)))


def _wanted(
    final: Ranking, reader: GenerationReader, wanted: Callable[[Chunk], bool] | None
) -> Iterator[int]:
    if wanted is None:
        return iter(range(len(final)))
    return (i for i, row in enumerate(final.rows) if wanted(reader.chunks[int(row)]))


def _wordings(final: Ranking, reader: GenerationReader) -> Callable[[int], Wording]:
    leaves = len(leaves_of(reader))

    def said(place: int) -> Wording:
        row = int(final.rows[place])
        return Wording(*reader.chunks.said(row), derived=row >= leaves)

    return said


def _values(scores: Scores, look: int, probability: Scores | None) -> Scores:
    """What a pruning compares of each candidate; NaN behind those that were looked at."""
    values = np.full(len(scores), np.nan)
    given = between_ends(scores[:look]) if probability is None else probability
    values[: len(given)] = given
    return values


def _picks(
    final: Ranking,
    reader: GenerationReader,
    settings: QuerySettings,
    collapsed: Collapsed,
    places: NDArray[np.int64],
) -> list[Pick]:
    """The first k of the candidates at `places`, or k of them that differ."""

    def pick(place: int, score: float, parts: dict[str, float] | None = None) -> Pick:
        return Pick(place, score, tuple(collapsed.copies.get(place, ())), parts)

    if not settings.diversity:
        return [pick(int(p), float(final.scores[p])) for p in places[: settings.k]]
    vectors = reader.vectors_of(final.rows[places])
    diverse = diversify(final.scores[places], vectors, settings.diversity, settings.k)
    chosen = [(int(places[i]), diverse.parts(n)) for n, i in enumerate(diverse.picked)]
    return [
        pick(place, parts["score_share"] + parts["likeness_share"], parts)
        for place, parts in chosen
    ]
