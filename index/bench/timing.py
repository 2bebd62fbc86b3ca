"""How long a search takes, whatever else the machine is doing."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from index.engines.base import Floats

Found = TypeVar("Found")
_ROUNDS = 7
_LEAST = 2
_ENOUGH = 4.0


def timed_side_by_side(
    searches: Sequence[Callable[[Floats], Found]],
    queries: Floats,
    enough: float = _ENOUGH,
    clock: Callable[[], float] | None = None,
) -> tuple[NDArray[np.float64], list[list[Found]]]:
    """The quickest of some times for each query, one query at a time.

    Each search answers all queries before the next does, so that none finds what it reads in the
    processor's cache by another's doing, and they take turns, so that all meet the same weather.
    The quickest time is what the work itself takes; whatever is longer waited for something else.

    Args:
        searches: each takes float32 (1, d).
        queries: float32 (q, d).
        enough: seconds, after which no third round begins.
        clock: tells seconds; `time.perf_counter` by default. On a busy machine `time.thread_time`, where
            a search is the work of one thread.

    Returns:
        Seconds, (searches, queries), and what each search found for each query.
    """
    now = clock or time.perf_counter
    best = np.full((len(searches), len(queries)), np.inf)
    found: list[list[Found]] = [[] for _ in searches]
    began_all = time.perf_counter()
    for done in range(_ROUNDS):
        if done >= _LEAST and time.perf_counter() - began_all > enough:
            break
        for which, search in enumerate(searches):
            found[which] = []
            for i in range(len(queries)):
                query = queries[i : i + 1]
                began = now()
                answer = search(query)
                best[which, i] = min(best[which, i], now() - began)
                found[which].append(answer)
    return best, found
