"""Measures of one ranking against graded judgements (grade > 0 is relevant)."""

import math
from collections.abc import Mapping, Sequence


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """DCG@k over the best possible DCG@k (Järvelin and Kekäläinen 2002).

    Gain = grade, discount = log2(rank + 1); 0 when nothing is relevant.
    """
    ideal = _dcg(sorted((g for g in grades.values() if g > 0), reverse=True)[:k])
    return _dcg([max(grades.get(d, 0), 0) for d in ranked[:k]]) / ideal if ideal else 0.0


def mrr(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """1 / rank of the first relevant document in the top k, 0 when there is none."""
    for rank, document in enumerate(ranked[:k], 1):
        if grades.get(document, 0) > 0:
            return 1.0 / rank
    return 0.0


def recall(ranked: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Share of the relevant documents that are in the top k, 0 when nothing is relevant."""
    relevant = {d for d, g in grades.items() if g > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def gains_ndcg(gains: Sequence[float], grades: Sequence[float], k: int) -> float:
    """`ndcg` where each rank has brought a gain, and `grades` are all that there was to gain.

    At most 1: one hit may hold what the ideal ranking has at several ranks.
    """
    ideal = _dcg(sorted(grades, reverse=True)[:k])
    return min(_dcg(gains[:k]) / ideal, 1.0) if ideal else 0.0


def gains_mrr(gains: Sequence[float]) -> float:
    """1 / the first rank that has brought a gain, 0 when there is none."""
    return next((1.0 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
