"""Works on a stream with several threads, in order and in bounded memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 8  # results a thread that may wait for an earlier one


def in_order(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[R]:
    """``work(item)`` of each item, in the order of the items, from `jobs` threads.

    Items are taken as they are needed: at most a few for each thread are under way. An error in one is
    raised at its place; what is under way is then finished and dropped.
    """
    if jobs <= 1:
        yield from map(work, items)
        return
    source = iter(items)
    with ThreadPoolExecutor(jobs) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            waiting.extend(pool.submit(work, item) for item in islice(source, jobs * _AHEAD))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(work, item) for item in islice(source, 1))
        finally:
            pool.shutdown(cancel_futures=True)
