"""What a question finds with its further searches: in its place, or fused with it by ranks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from index.reader import GenerationReader
from kb.settings import QuerySettings
from query.first_stage import Found
from query.fuse.rrf import ReciprocalRankFusion
from query.helpers.base import Helper
from query.question import Question
from query.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Means:
    """How the pipeline searches."""

    search: Callable[[Question, bool], Found]  # True: by the dense leg alone
    best: Callable[[Found], Ranking]  # reranked


def with_further(
    question: Question,
    own: Found,
    helpers: Sequence[Helper],
    reader: GenerationReader,
    settings: QuerySettings,
    means: Means,
) -> Found:
    """What the question finds with the helpers' searches.

    Where there are some beside its own, each one's share is 1 / (k + rank), and they sum to the score.

    Args:
        question: it remembers its further searches in `Question.further`.
        own: what it found by itself.
        helpers: make the further searches.
        reader: the generation.
        settings: k of the fusion.
        means: run them.
    """
    if question.further is None:
        question.further = tuple(
            sub
            for helper in helpers
            for sub in helper.searches(question, reader, lambda: means.best(own))
        )
    for sub in question.further:
        if sub.instead:
            own = means.search(sub.question, sub.by_meaning)
    beside = {
        sub.name: means.search(sub.question, sub.by_meaning).fused.ranking
        for sub in question.further
        if not sub.instead
    }
    if not beside:
        return own
    rankings = {"question": own.fused.ranking} | beside
    return Found(own.legs, ReciprocalRankFusion(settings).fuse(rankings))
