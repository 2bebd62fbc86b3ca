"""A second, dearer look: a cross-encoder reads the best of what late interaction has ordered.

Cascade of Matveeva et al. (SIGIR 2006), with what the first look found kept at a share, since the two
err on different questions.
"""

import numpy as np
from numpy.typing import NDArray

from kb.settings import QuerySettings
from query.fuse.scaling import between_ends
from query.rerank.blend import Blend, Scores

_EQUAL = 1e-9  # apart no further than this, first scores say nothing


def best_places(first: Blend, depth: int) -> NDArray[np.int64]:
    """Places in the pool of the `depth` best of a first look, in rising order."""
    return np.sort(first.order[:depth])


def look_again(
    first: Blend, read: NDArray[np.int64], probabilities: Scores, settings: QuerySettings
) -> Blend:
    """The parts of the final score; they sum to it.

    What was read has `cross_encoder_weight` of its probability's square root and the rest of its first
    score, each scaled to [0, 1] among what was read. What was not stays behind that, as far as it was
    behind before. The root lies between the probability, of which all but one or two have next to
    nothing, and its log-odds, which tell apart what is hopeless either way; and it hardly minds whether
    a model's probabilities are all too high.

    Args:
        first: the blend without the cross-encoder, over the pool.
        read: places in the pool, at least one, none worse than one that is left out.
        probabilities: of those, float64 (len(read),).
        settings: `cross_encoder_weight`.
    """
    weight = settings.cross_encoder_weight
    again = np.zeros_like(first.total)
    again[read] = weight * between_ends(np.sqrt(probabilities))
    total = first.total
    low, spread = float(total[read].min()), float(np.ptp(total[read]))
    told = spread > _EQUAL
    scale = np.ones_like(total)
    scale[read] = (1 - weight) / spread if told else 0.0
    shift = np.full_like(total, -low)
    shift[read] = -low * scale[read] if told else 1 - weight
    lowest = float((again + total * scale + shift)[read].min())
    unread = np.ones(len(total), np.bool_)
    unread[read] = False
    shift[unread] += lowest
    raw = np.full_like(total, np.nan)
    raw[read] = probabilities
    return Blend(
        raw,
        again,
        first.fused * scale + shift,
        first.support * scale,
        first.complement * scale,
        first.rerank * scale,
    )
