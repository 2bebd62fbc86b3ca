"""Work on numbered items from several threads, with nothing queued."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(work: Callable[[int], None], count: int, threads: int) -> None:
    """Call ``work(0) … work(count - 1)`` from at most `threads` threads.

    Each thread takes the next number when it is free, so memory does not grow with `count`. The
    first error (or an interrupt) stops the others after the item they are at, and is raised.
    """
    if min(threads, count) <= 1:
        for i in range(count):
            work(i)
        return
    numbers, lock, stop = iter(range(count)), Lock(), False

    def take() -> int | None:
        with lock:
            return None if stop else next(numbers, None)

    def worker() -> None:
        while (i := take()) is not None:
            work(i)

    with ThreadPoolExecutor(min(threads, count)) as pool:
        futures = [pool.submit(worker) for _ in range(min(threads, count))]
        try:
            for future in futures:
                future.result()
        finally:
            stop = True
