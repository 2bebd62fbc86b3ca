"""Sums in one order, whatever the number of cores."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and OpenMP on one thread: several would add up the same numbers in varying order."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
