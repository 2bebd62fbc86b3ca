"""The BM25 formulas.

Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), eq. 3.15:
``idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))``.

Two forms of it:

- ``robertson`` is that textbook form with ``idf = ln((N - df + 0.5) / (df + 0.5))``.
- ``lucene`` has ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``, never negative, and leaves out the
  constant factor ``(k1 + 1)``, which changes no rank, as Lucene does since 8.0 (Kamphuis et al.,
  "Which BM25 Do You Mean?", ECIR 2020). It equals bm25s' method "lucene".

bm25s' method "robertson" leaves the factor out too: the textbook form is its method "atire" with
``idf_method="robertson"``.
"""

import math

import numpy as np
from numpy.typing import NDArray

from kb.settings import Bm25Settings

Numbers = NDArray[np.float64]
# The textbook idf falls below zero for a term in more than half of the chunks. It is raised to
# this, so that a chunk which holds the word is still found, behind all others.
LEAST_IDF = 1e-6


def idf(form: str, documents: int, df: int) -> float:
    """Inverse document frequency of a term in `df` of `documents` chunks; above zero."""
    odds = (documents - df + 0.5) / (df + 0.5)
    return max(math.log(1 + odds if form == "lucene" else odds), LEAST_IDF)


def saturation(
    settings: Bm25Settings, tf: Numbers, lengths: NDArray[np.int32], mean: float
) -> Numbers:
    """What multiplies the idf, for term frequencies and chunk lengths of one shape; `mean` > 0."""
    norm = settings.k1 * (1 - settings.b + settings.b * lengths / mean)
    gain = 1.0 if settings.idf == "lucene" else settings.k1 + 1
    return np.asarray(gain * tf / (tf + norm), np.float64)
