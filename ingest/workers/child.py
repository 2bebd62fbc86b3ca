"""The process that reads files: orders in, answers out, one file at a time.

The kernel keeps the limits, since a parser that hangs in C would let no thread of ours look at a
clock: a timer whose signal ends the process, and a bound on private memory (RLIMIT_DATA; unlike
RLIMIT_AS it does not count what is mapped and never touched). Our parent learns from how we ended
which limit it was. Where the kernel knows no such bound, a thread watches the memory.
"""

import contextlib
import os
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from ingest.limits import TOO_DEEP, too_big
from ingest.look.shown import WITH_PAGES, encode, shown_by
from ingest.parse.choose import parser_for
from ingest.parse.surroundings import Surroundings, within
from ingest.parsing import begin
from ingest.workers import bytecode, spool
from ingest.workers.sandbox import give_up
from ingest.workers.wire import (
    GREETING,
    OUT_OF_MEMORY,
    RETIRED,
    UNCOMPILED,
    Answer,
    Order,
    receive,
    send,
)
from kb.digest import sha256_bytes
from kb.durable import NO_ROOM
from kb.errors import ParseError, Unavailable
from kb.records import Document, Reading

INLINE = 1 << 18  # bytes of an answer that go through the pipe
_WATCH_SECONDS = 0.05
_REMEMBERED = 20_000  # documents that are not parsed a second time
_KERNEL_BOUNDS_MEMORY = sys.platform == "linux" and Path("/proc/self/statm").exists()


def main(arguments: list[str]) -> None:
    """Serve until the parent closes its end.

    Args:
        arguments: descriptors of orders, answers and spool; the parent's process id; folders that
            may be written in.
    """
    orders, answers, spool_file, parent = map(int, arguments[:4])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us, after what it has to do
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # whatever we inherited
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    give_up(parent, arguments[4:])
    send(answers, GREETING)
    reader = _Reader(spool_file)
    decode = msgspec.msgpack.Decoder(Order).decode
    while (message := receive(orders)) is not None:
        if message == UNCOMPILED:
            send(answers, msgspec.msgpack.encode(bytecode.missing()))
            continue
        answer = reader.read(decode(message))
        send(answers, msgspec.msgpack.encode(answer))
        if reader.bloated:
            os._exit(RETIRED)
    os._exit(0)


class _Reader:
    def __init__(self, spool_file: int) -> None:
        self._spool = spool_file
        self._run = 0
        self._given: set[tuple[str, str]] = set()  # documents of this run
        self._at_rest = _peak()
        self._limit = 0
        self._unread = 0  # pages of the file in hand
        self.bloated = False  # better replaced: what it once took it may never give back
        if not _KERNEL_BOUNDS_MEMORY:
            threading.Thread(target=self._watch, daemon=True).start()

    def read(self, order: Order) -> Answer:
        """The answer to one order, whatever happens short of the end of this process."""
        if order.run != self._run or len(self._given) > _REMEMBERED:
            self._run = order.run
            self._given.clear()
        self._unread = 0
        signal.setitimer(signal.ITIMER_REAL, order.seconds)
        try:
            with open(os.fsdecode(order.absolute), "rb") as file:  # noqa: PTH123
                data = file.read()
        except OSError as error:
            return Answer(cause="unread", error=error.strerror or str(error))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        sha256 = sha256_bytes([data])
        # Text is held at up to four bytes a character; what blows up is small before it does.
        self._limit = order.memory + 4 * len(data)
        _bound_memory(self._limit)
        try:
            return self._parsed(order, data, sha256)
        except (ParseError, Unavailable) as error:
            reason = too_big(order.memory) if self._starved() else str(error)
        except MemoryError:
            self.bloated = True
            reason = too_big(order.memory)
        except RecursionError:
            reason = TOO_DEEP
        except Exception as error:
            if isinstance(error, OSError) and error.errno in NO_ROOM:  # also of temporary files
                return Answer(cause="disk", error=error.strerror or str(error))
            reason = too_big(order.memory) if self._starved() else _said(error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            _bound_memory(0)
            self.bloated |= _peak() - self._at_rest > order.memory // 2
            self._limit = 0
        return Answer(sha256, cause="failed", error=reason, unread_pages=self._unread)

    def _parsed(self, order: Order, data: bytes, sha256: str) -> Answer:
        def restart_clock() -> None:
            signal.setitimer(signal.ITIMER_REAL, order.seconds)

        restart_clock()
        began = time.monotonic()
        parser = parser_for(data, order.path, order.settings)
        identity = (sha256, parser)
        if identity in order.spare or identity in self._given:
            return Answer(sha256, parser, spared=True)
        kept = _Kept(self._spool, restart_clock)
        cache = Path(order.cache) if order.cache else None
        around = Surroundings(
            cache,
            restart_clock,
            only_look=order.only_look,
            unread=self._count_unread,
            loading=lambda: self._apart(restart_clock),
        )
        pictured = False
        with within(around):
            document, parts = begin(data, parser, order.settings)
            for part in parts:
                kept.add(part)
            if order.settings.multimodal == "native" and parser in WITH_PAGES:
                kept.add_bytes(encode(shown_by(data, parser, order.settings, document)))
                pictured = True
        self._given.add(identity)
        return Answer(
            sha256,
            parser,
            reading=Reading(
                pages=document.pages or kept.last_page,
                elements=kept.elements,
                characters=len(document.text),
                language=document.language,
                ocr_pages=document.ocr_pages,
                warnings=document.warnings,
                seconds=round(time.monotonic() - began - kept.waited, 4),
            ),
            parts=tuple(kept.inline),
            spooled=tuple(kept.spooled),
            pictured=pictured,
            unread_pages=self._unread,
        )

    def _count_unread(self) -> None:
        self._unread += 1

    @contextlib.contextmanager
    def _apart(self, restart_clock: Callable[[], None]) -> Iterator[None]:
        """Take what is loaded for good out of a file's limits."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        _bound_memory(0)
        limit, self._limit = self._limit, 0
        before = _peak()
        try:
            yield
        finally:
            self._at_rest += _peak() - before
            self._limit = limit
            _bound_memory(limit)
            restart_clock()

    def _starved(self) -> bool:
        """Whether a failure came of too little memory, though a library gave it another name."""
        return _peak() - self._at_rest > self._limit * 0.8

    def _watch(self) -> None:
        while True:
            time.sleep(_WATCH_SECONDS)
            if self._limit and _peak() - self._at_rest > self._limit:
                os._exit(OUT_OF_MEMORY)


class _Kept:
    """The parts of a document on their way, in the answer while they are short."""

    def __init__(self, spool_file: int, restart_clock: Callable[[], None]) -> None:
        self.inline: list[bytes] = []
        self.spooled: list[int] = []
        self.elements = 0
        self.last_page = 0
        self.waited = 0.0
        self._spool = spool_file
        self._restart_clock = restart_clock

    def add(self, document: Document) -> None:
        self.elements += len(document.elements)
        self.last_page = max((self.last_page, *(e.page or 0 for e in document.elements)))
        self.add_bytes(msgspec.json.encode(document))

    def add_bytes(self, part: bytes) -> None:
        if not self.spooled and sum(map(len, self.inline)) + len(part) <= INLINE:
            self.inline.append(part)
            return
        if not self.spooled:
            self._begin_spooling()
        self._write(part)

    def _begin_spooling(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)  # it is for our parent to take what lies there
        began = time.monotonic()
        spool.wait_until_free(self._spool)
        self.waited = time.monotonic() - began
        self._restart_clock()
        for part in self.inline:
            self._write(part)
        self.inline.clear()

    def _write(self, part: bytes) -> None:
        spool.write(self._spool, sum(self.spooled), part)
        self.spooled.append(len(part))


def _bound_memory(allowed: int) -> None:
    """Let this process have so many more bytes than it has; 0: as many as it likes."""
    if not _KERNEL_BOUNDS_MEMORY:
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if not allowed:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        return
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        pages = int(file.read().split()[5])
    limit = pages * resource.getpagesize() + allowed
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _peak() -> int:
    """The most bytes of memory that this process has had.

    Linux's ``ru_maxrss`` also tells what our parent had when it started us.
    """
    if not _KERNEL_BOUNDS_MEMORY:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123
        for line in file:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _said(error: Exception) -> str:
    """A fault of ours in words; the document is at least told of."""
    if os.environ.get("TESELA_DEBUG"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return f"the parser failed ({type(error).__name__}: {error}; {where})"[:500]
