"""A value that is made in a thread of its own, so that two slow loads overlap."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """Made once, by the first `start` or `get`; an error in making it is raised by each `get`."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._future: Future[T] | None = None

    def start(self) -> None:
        """Begin making the value and return at once."""
        self._begin()

    def get(self) -> T:
        """The value, waited for if need be."""
        return self._begin().result()

    def _begin(self) -> Future[T]:
        with self._lock:
            if self._future is None:
                self._future = Future()
                Thread(target=self._run, args=(self._future,)).start()
            return self._future

    def _run(self, future: Future[T]) -> None:
        try:
            future.set_result(self._make())
        except BaseException as error:
            future.set_exception(error)
