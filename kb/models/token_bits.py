"""Sign bits of token vectors and the late interaction (MaxSim) over them."""

import numpy as np
from numpy.typing import NDArray

from kb.models.embedder import Floats

Codes = NDArray[np.uint8]
BLOCK = 16_384  # document tokens unpacked at once: 24 MB of floats at 384 dimensions


def pack(tokens: Floats, mean: Floats) -> Codes:
    """Sign bits of the tokens less their mean: float32 (t, d) → uint8 (t, ceil(d / 8))."""
    return np.packbits(tokens - mean > 0, axis=1)


def unpack(codes: Codes, dimension: int) -> Floats:
    """The bits as -1 and +1: uint8 (t, ceil(d / 8)) → float32 (t, d)."""
    bits = np.unpackbits(codes, axis=1, count=dimension)
    return bits.astype(np.float32) * np.float32(2) - np.float32(1)


def maxsim(
    query_tokens: Floats,
    codes: Codes,
    offsets: NDArray[np.int64],
    weights: Floats | None = None,
) -> Floats:
    """Late interaction (Khattab & Zaharia 2020, ColBERT) with bits on the documents' side only.

    ``score(D) = weighted mean over q of max over t in D of (q · s_t) / sqrt(d)``, with s_t in {-1, +1}^d.

    Args:
        query_tokens: float32 (q, d), the query's unit token vectors less the mean.
        codes: uint8 (T, ceil(d / 8)), the tokens of all documents one after the other.
        offsets: int64 (n + 1,); document i has the rows ``offsets[i]:offsets[i + 1]``.
        weights: float32 (q,), at least one above 0; None: all alike.

    Returns:
        float32 (n,). A document without tokens scores 0, as if all its tokens were at right angles;
        so does every document for a query without tokens.
    """
    starts, ends = offsets[:-1], offsets[1:]
    scores = np.zeros(len(starts), np.float32)
    full = np.flatnonzero(ends > starts) if len(query_tokens) else np.empty(0, np.int64)
    share = np.ones(len(query_tokens), np.float32) if weights is None else weights
    share = share / max(float(share.sum()), 1e-9)
    first = 0
    while first < len(full):
        base = starts[full[first]]
        fit = int(np.searchsorted(ends[full], base + BLOCK, side="right"))
        block = full[first : max(fit, first + 1)]
        signs = unpack(codes[base : ends[block[-1]]], query_tokens.shape[1])
        best = np.maximum.reduceat(query_tokens @ signs.T, starts[block] - base, axis=1)
        scores[block] = share @ best / np.sqrt(np.float32(query_tokens.shape[1]))
        first += len(block)
    return scores
