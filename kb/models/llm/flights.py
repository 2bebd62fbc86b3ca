"""Work that several threads ask for at the same time, done once."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Any, TypeVar

R = TypeVar("R")


class Flights:
    """What is under way, by key."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way: dict[str, Future[Any]] = {}

    def join(self, key: str, make: Callable[[], R]) -> R:
        """``make()``, or the result (or error) of the one that is under way for this key."""
        with self._lock:
            flight = self._under_way.get(key)
            mine = flight is None
            if flight is None:
                flight = self._under_way[key] = Future()
        if not mine:
            shared: R = flight.result()
            return shared
        try:
            made = make()
        except BaseException as error:
            flight.set_exception(error)
            raise
        else:
            flight.set_result(made)
            return made
        finally:
            with self._lock:
                del self._under_way[key]
