"""Bounded batches."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

BATCH_ITEMS = 64
BATCH_BYTES = 16 << 20
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


def drained(results: dict[str, T]) -> Iterator[tuple[str, T]]:
    """The items of a dict, each forgotten as it is taken: what is written is not held."""
    while results:
        yield results.popitem()
