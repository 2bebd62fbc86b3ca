"""Many files to few workers, and what they gave back in the order of the files."""

import os
import selectors
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from types import TracebackType
from typing import Self

from ingest.limits import Limits
from ingest.workers import bytecode, spool
from ingest.workers.wire import Answer, Order
from ingest.workers.worker import ENTRY, Place, Worker
from kb.errors import TeselaError
from kb.records import SourceFile
from kb.settings import ParseSettings

_AHEAD = 32  # answers that may wait for an earlier one; each of a quarter of a megabyte at most
_PATIENCE = 0.3  # seconds that one worker alone is given: to start another costs about as much
_TICK = 0.1
_runs = count(1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to be read."""

    entry: SourceFile
    spare: tuple[
        tuple[str, str], ...
    ] = ()  # SHA-256 and parser of documents that are there already


@dataclass(slots=True)
class Read:
    """What was read of a file; its parts can be taken until the next one is asked for."""

    answer: Answer
    _worker: Worker | None = None

    def parts(self) -> Iterator[bytes]:
        """The documents that the file is kept as, in JSON."""
        length = len(self.answer.spooled or self.answer.parts)
        return islice(self._all(), length - self.answer.pictured)

    def shown(self) -> bytes:
        """What it shows besides its text, in MessagePack; b"" where that was not looked at."""
        if not self.answer.pictured:
            return b""
        return deque(self._all(), maxlen=1).pop()

    def _all(self) -> Iterator[bytes]:
        if self.answer.spooled and self._worker is not None:
            return spool.parts(self._worker.spool.fileno(), self.answer.spooled)
        return iter(self.answer.parts)

    def release(self) -> None:
        """What was not taken is not wanted."""
        if self.answer.spooled and self._worker is not None:
            self._worker.taken()


class Pool:
    """Workers, started as they are needed and ended with the ``with`` block.

    Args:
        settings: of the parsers.
        folder: on a disk with room for the text of the largest file; None: the system's.
        cache: a folder for what takes parsers long; None: nothing is kept.
        only_look: what is in the cache is used, and nothing is put there or read by OCR.
        entry: see `Place`.
        start: makes a worker; `Worker` by default.
    """

    def __init__(
        self,
        settings: ParseSettings,
        folder: Path | None = None,
        cache: Path | None = None,
        *,
        only_look: bool = False,
        entry: str = ENTRY,
        start: Callable[[Place], Worker] | None = None,
    ) -> None:
        self._settings = settings
        self._limits = Limits.of(settings)
        self._folder = folder
        self._cache = cache
        self._only_look = only_look
        self._entry = entry
        self._start = start or Worker
        self._run = next(_runs)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._selector = selectors.DefaultSelector()
        self._workers: list[Worker] = []
        self._buried: list[Worker] = []  # whose last answer nobody has taken yet
        self._first_ready = 0.0
        self._read: dict[int, Read] = {}  # by number, what nobody asked for yet
        self._again: deque[tuple[int, Order]] = deque()  # what a worker that ended did not get to

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and not sys.dont_write_bytecode:
            bytecode.write({name for worker in self._workers for name in worker.uncompiled()})
        self.close()

    def close(self) -> None:
        """End all workers."""
        for worker in (*self._workers, *self._buried):
            worker.close()
        self._workers.clear()
        self._buried.clear()
        self._selector.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def processes(self) -> list[int]:
        """The ids of the workers' processes."""
        return [worker.process for worker in self._workers]

    def read(self, wanted: Iterable[Wanted]) -> Iterator[Read]:
        """What each file gave, in their order; several are read at a time.

        Raises:
            TeselaError: the disk has no room for a document on its way.
        """
        source = enumerate(map(self._order, wanted))
        following = next(source, None)
        for number in count():
            while True:
                following = self._hand_out(source, following, number)
                if number in self._read:
                    break
                if following is None and not self._again and all(w.idle for w in self._workers):
                    return
                self._listen()
            read = self._read.pop(number)
            if read.answer.cause == "disk":
                raise TeselaError(
                    f"no room for what was read ({read.answer.error}): free some space and run it again"
                )
            yield read
            read.release()
            self._buried = [worker for worker in self._buried if worker.holding]

    def _order(self, wanted: Wanted) -> Order:
        entry, limits = wanted.entry, self._limits
        return Order(
            self._run,
            entry.path,
            os.fsencode(entry.absolute),
            entry.size,
            wanted.spare,
            self._settings,
            limits.seconds,
            limits.memory,
            str(self._cache or ""),
            self._only_look,
        )

    def _hand_out(
        self,
        source: Iterator[tuple[int, Order]],
        following: tuple[int, Order] | None,
        asked: int,
    ) -> tuple[int, Order] | None:
        """Give the workers as much as they may have; returns what is next."""
        while self._again:
            worker = self._worker_for(self._again[0][1])
            if worker is None:
                return following
            worker.send(*self._again.popleft())
        while following is not None and following[0] < asked + _AHEAD:
            worker = self._worker_for(following[1])
            if worker is None:
                break
            worker.send(*following)
            following = next(source, None)
        return following

    def _worker_for(self, order: Order) -> Worker | None:
        idle = next((w for w in self._workers if w.idle and w.has_room(order)), None)
        if idle is not None:
            return idle
        if len(self._workers) < self._limits.workers and self._more_would_help():
            return self._started()
        return next((w for w in self._workers if w.has_room(order)), None)

    def _more_would_help(self) -> bool:
        """The first is started at once, others once it has been at work for a while."""
        if not self._workers:
            return True
        return bool(self._first_ready) and time.monotonic() - self._first_ready > _PATIENCE

    def _started(self) -> Worker:
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(
                prefix="tesela-", ignore_cleanup_errors=True
            )
        writable: tuple[str, ...] = ()
        if self._cache is not None and not self._only_look:
            self._cache.mkdir(exist_ok=True)  # a worker could not
            writable = (str(self._cache),)
        place = Place(self._temporary.name, self._folder, writable, self._entry)
        worker = self._start(place)
        self._workers.append(worker)
        self._selector.register(worker.answers, selectors.EVENT_READ, worker)
        return worker

    def _listen(self) -> None:
        """Take what workers have to say, and wait a moment for it."""
        for key, _ in self._selector.select(_TICK):
            worker: Worker = key.data
            for number, answer in worker.receive():
                self._read[number] = Read(answer, worker)
            if worker.ready and not self._first_ready:
                self._first_ready = time.monotonic()
            if worker.ended:
                self._bury(worker)

    def _bury(self, worker: Worker) -> None:
        self._selector.unregister(worker.answers)
        self._workers.remove(worker)
        answer, left = worker.bury()
        if answer is not None:
            self._read[answer[0]] = Read(answer[1], worker)
        if worker.holding:
            self._buried.append(worker)
        self._again = deque(sorted((*self._again, *left), key=lambda item: item[0]))
