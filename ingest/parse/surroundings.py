"""What a run lends its parsers, which is no setting: it changes no result."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The same for all files of a run, and for files within files."""

    cache: Path | None = None  # folder for what took long, safe to delete; None: nothing is kept
    alive: Callable[[], None] = _nothing  # called after each step of a long piece of work
    only_look: bool = False  # nothing is kept, and no page is read by OCR that was not before
    unread: Callable[[], None] = _nothing  # called for each page that was left for that reason
    # Around the loading of what stays for other files: neither its time nor its memory is this file's.
    loading: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext


_current: ContextVar[Surroundings] = ContextVar("surroundings", default=Surroundings())  # noqa: B039


def current() -> Surroundings:
    """Those of the run that this code is part of; outside any run nothing is lent."""
    return _current.get()


@contextlib.contextmanager
def within(surroundings: Surroundings) -> Iterator[None]:
    """Have the parsers that are called inside find `surroundings`."""
    token = _current.set(surroundings)
    try:
        yield
    finally:
        _current.reset(token)
