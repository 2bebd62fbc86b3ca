"""Sums in one order, whatever the number of cores."""

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and OpenMP on one thread: several would add up the same numbers in varying order.

    Only of libraries that are loaded by now: see `one_thread_of_sklearn`.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


@contextlib.contextmanager
def one_thread_of_sklearn() -> Iterator[None]:
    """The same for scikit-learn, which brings libraries of its own when it is imported."""
    with _controller().limit(limits=1):
        yield


@cache
def _controller() -> "ThreadpoolController":
    import sklearn.mixture  # noqa: F401  (what it loads is to be found)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
