"""Long answers go through a file that both processes have open and that has no name.

It holds one answer at a time: it is free for the next when it is empty.
"""

import os
import time
from collections.abc import Iterator

_POLL_SECONDS = 0.005


def free(descriptor: int) -> None:
    """Say that what was in it has been taken."""
    os.ftruncate(descriptor, 0)


def wait_until_free(descriptor: int) -> None:
    """Wait for the other side to take what is in it."""
    while os.fstat(descriptor).st_size:
        time.sleep(_POLL_SECONDS)


def write(descriptor: int, at: int, part: bytes) -> None:
    """Put a part at an offset.

    Raises:
        OSError: the disk has no room.
    """
    rest = memoryview(part)
    while rest:
        written = os.pwrite(descriptor, rest, at)
        rest, at = rest[written:], at + written


def parts(descriptor: int, lengths: tuple[int, ...]) -> Iterator[bytes]:
    """The parts one by one."""
    at = 0
    for length in lengths:
        yield _read(descriptor, at, length)
        at += length


def _read(descriptor: int, at: int, length: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < length:
        piece = os.pread(descriptor, length - len(pieces), at + len(pieces))
        if not piece:
            raise EOFError("the spool is shorter than was said")
        pieces += piece
    return bytes(pieces)
