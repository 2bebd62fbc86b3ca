"""Bounded batches."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

BATCH_ITEMS = 64
BATCH_BYTES = 16 << 20
BATCH_SECONDS = 5.0
T = TypeVar("T")


def batches(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Lists of at most 64 items or about 16 MB, so that memory is flat and a killed run loses little."""
    batch: list[T] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if len(batch) >= BATCH_ITEMS or total >= BATCH_BYTES:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


class Filling:
    """Tells when a batch whose items take their time is full: as in `batches`, or after 5 seconds."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._items = 0
        self._bytes = 0

    def add(self, size: int) -> None:
        """One more item of so many bytes."""
        self._items += 1
        self._bytes += size

    @property
    def full(self) -> bool:
        """Whether it should be committed now."""
        return (
            self._items >= BATCH_ITEMS
            or self._bytes >= BATCH_BYTES
            or time.monotonic() - self._began >= BATCH_SECONDS
        )
