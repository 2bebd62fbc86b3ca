"""What goes over the pipes: length, then MessagePack."""

import os
from typing import Literal

import msgspec

from kb.records import Reading
from kb.settings import ParseSettings

OUT_OF_MEMORY = 77  # exit status of a worker that went over its limit and noticed itself
RETIRED = 76  # of one that gave its last answer, and would rather be replaced
_LENGTH = 4  # bytes
# unread: the system refused the bytes; passing: it may end otherwise next time; failed: it may not;
# disk: there was no room for the answer, which is nothing about the file
Cause = Literal["", "unread", "passing", "failed", "disk"]


class Order(msgspec.Struct, frozen=True, array_like=True):
    """One file to read."""

    run: int  # of the pool that asks
    path: str  # as written; its suffix says something
    absolute: bytes  # fit for ``open``
    size: int  # as it was seen
    spare: tuple[tuple[str, str], ...]  # SHA-256 and parser of documents that are there already
    settings: ParseSettings
    seconds: float
    memory: int  # bytes
    cache: str = ""  # a folder for what took a parser long; "": nothing is kept
    only_look: bool = False  # see `Surroundings`


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What came of it."""

    sha256: str = ""  # "" where the bytes were not seen
    parser: str = ""
    cause: Cause = ""
    error: str = ""
    spared: bool = False  # the document is there already
    reading: Reading | None = None
    parts: tuple[bytes, ...] = ()  # documents in JSON
    spooled: tuple[int, ...] = ()  # lengths of the parts in the spool, where they lie there
    pictured: bool = False  # the last part is no document but a `Shown`
    unread_pages: int = 0  # left unread since the run only looks


GREETING = b""
UNCOMPILED = b"?"  # in place of an order: which modules were compiled in vain?


def send(descriptor: int, message: bytes) -> None:
    """Write one message, however long; waits until the other side takes it.

    Raises:
        BrokenPipeError: the other side is gone.
    """
    rest = memoryview(len(message).to_bytes(_LENGTH, "little") + message)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def receive(descriptor: int) -> bytes | None:
    """Wait for one message; None where the other side is gone."""
    head = _exactly(descriptor, _LENGTH)
    return None if head is None else _exactly(descriptor, int.from_bytes(head, "little"))


def _exactly(descriptor: int, length: int) -> bytes | None:
    pieces = bytearray()
    while len(pieces) < length:
        piece = os.read(descriptor, length - len(pieces))
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)


class Inbox:
    """Messages from a pipe that is read as far as there is something in it."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._pending = bytearray()
        self.ended = False

    def take(self) -> list[bytes]:
        """The messages that are complete by now; `ended` tells whether there will be more."""
        try:
            while piece := os.read(self._descriptor, 1 << 20):
                self._pending += piece
            self.ended = True
        except BlockingIOError:
            pass
        found: list[bytes] = []
        while len(self._pending) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self._pending[:_LENGTH], "little")
            if len(self._pending) < end:
                break
            found.append(bytes(self._pending[_LENGTH:end]))
            del self._pending[:end]
        return found
