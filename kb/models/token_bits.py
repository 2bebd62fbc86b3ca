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


def best_matches(query_tokens: Floats, codes: Codes, offsets: NDArray[np.int64]) -> Floats:
    """How well each document meets each token of the query, with bits on the documents' side only.

    ``match(q, D) = max over t in D of (q · s_t) / sqrt(d)``, with s_t in {-1, +1}^d.

    Args:
        query_tokens: float32 (q, d), the query's unit token vectors less the mean.
        codes: uint8 (T, ceil(d / 8)), the tokens of all documents one after the other.
        offsets: int64 (n + 1,); document i has the rows ``offsets[i]:offsets[i + 1]``.

    Returns:
        float32 (q, n). A document without tokens has 0, as if all its tokens were at right angles.
    """
    starts, ends = offsets[:-1], offsets[1:]
    matches = np.zeros((len(query_tokens), len(starts)), np.float32)
    full = np.flatnonzero(ends > starts) if len(query_tokens) else np.empty(0, np.int64)
    first = 0
    while first < len(full):
        base = starts[full[first]]
        fit = int(np.searchsorted(ends[full], base + BLOCK, side="right"))
        block = full[first : max(fit, first + 1)]
        signs = unpack(codes[base : ends[block[-1]]], query_tokens.shape[1])
        matches[:, block] = np.maximum.reduceat(
            query_tokens @ signs.T, starts[block] - base, axis=1
        )
        first += len(block)
    matches /= np.sqrt(np.float32(query_tokens.shape[1]))
    return matches


def maxsim(query_tokens: Floats, codes: Codes, offsets: NDArray[np.int64]) -> Floats:
    """Late interaction (Khattab & Zaharia 2020, ColBERT): the mean of `best_matches`, float32 (n,).

    0 for every document where the query has no tokens.
    """
    matches = best_matches(query_tokens, codes, offsets)
    return matches.mean(axis=0) if len(matches) else np.zeros(len(offsets) - 1, np.float32)
