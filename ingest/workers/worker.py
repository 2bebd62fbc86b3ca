"""Our side of one worker: its process, its pipes, and what it still owes us."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ingest.limits import crashed, too_big, too_slow
from ingest.workers import spool
from ingest.workers.wire import (
    GREETING,
    OUT_OF_MEMORY,
    RETIRED,
    UNCOMPILED,
    Answer,
    Inbox,
    Order,
    send,
)
from kb.errors import TeselaError

ENTRY = "ingest.workers.child"
_BOOT = """\
import sys
count = int(sys.argv[1])
arguments, sys.path[:] = sys.argv[3:3 + count], sys.argv[3 + count:]
__import__(sys.argv[2], fromlist=["main"]).main(arguments)
"""
# OpenBLAS takes memory for each thread, and ends the process where the limit leaves it none.
_ONE_THREAD = {"OMP_THREAD_LIMIT": "1", "OPENBLAS_NUM_THREADS": "1"}
_MOST_ORDERS = 4
_MOST_NAMES = 16_000  # bytes: more than a pipe holds, and both sides could wait for each other
_MOST_BYTES = 1 << 18  # of small files that wait in line at one worker
_SLOW = 0.05  # seconds a file, from which on none waits in line at a worker that another could take
_PATIENCE = 0.5  # seconds
_names = msgspec.msgpack.Decoder(list[str]).decode
_decode = msgspec.msgpack.Decoder(Answer).decode
_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Place:
    """Where workers work."""

    temporary: str  # a folder of their own
    spools: Path | None = None  # a folder on a disk with room; None: the system's
    writable: tuple[str, ...] = ()  # other folders that may be written in
    entry: str = ENTRY  # module whose ``main`` the process runs; tests bring parsers that misbehave


class Worker:
    """A process that reads files one after another."""

    def __init__(self, place: Place) -> None:
        orders, self._orders = os.pipe()
        answers, answers_end = os.pipe()
        self.spool = tempfile.TemporaryFile(dir=place.spools)  # noqa: SIM115
        handed = (orders, answers_end, self.spool.fileno())
        self._process = _start(place, handed)
        os.close(orders)
        os.close(answers_end)
        if sys.platform == "linux":  # so that it need not wait for us to take what it has read
            with contextlib.suppress(OSError):
                fcntl.fcntl(answers, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.answers = answers
        self._inbox = Inbox(answers)
        self._owed: deque[tuple[int, Order]] = deque()
        self._seconds = 0.0  # of the last file
        self.ready = False
        self.ended = False
        self.holding = False  # an answer in the spool that nobody has taken
        self._closed = False

    @property
    def process(self) -> int:
        """The id of its process."""
        return self._process.pid

    @property
    def idle(self) -> bool:
        """Whether it has nothing to do."""
        return not self._owed

    def has_room(self, order: Order) -> bool:
        """Whether a file may wait in line here: short ones may, where the ones before it are."""
        if self.ended or len(self._owed) >= _MOST_ORDERS:
            return False
        if self.idle:
            return True
        together = [order, *(owed for _, owed in self._owed)]
        return (
            self._seconds < _SLOW
            and sum(one.size for one in together) <= _MOST_BYTES
            and sum(len(one.path) + len(one.absolute) for one in together) <= _MOST_NAMES
        )

    def send(self, number: int, order: Order) -> None:
        """Hand it a file."""
        self._owed.append((number, order))
        with contextlib.suppress(BrokenPipeError):  # its answers' end will tell
            send(self._orders, _encode(order))

    def receive(self) -> list[tuple[int, Answer]]:
        """What it has answered by now, by the orders' numbers."""
        found: list[tuple[int, Answer]] = []
        for message in self._inbox.take():
            if message == GREETING:
                self.ready = True
                continue
            answer = _decode(message)
            number, _ = self._owed.popleft()
            if answer.reading is not None:
                self._seconds = answer.reading.seconds or 0.0
            self.holding |= bool(answer.spooled)
            found.append((number, answer))
        self.ended = self._inbox.ended
        return found

    def bury(self) -> tuple[tuple[int, Answer] | None, list[tuple[int, Order]]]:
        """After its end: the answer for the file that was its end, and the orders it did not get to.

        Raises:
            TeselaError: it never began.
        """
        self.kill()
        status = self._process.returncode
        if not self.ready:
            raise TeselaError(
                f"the process that reads files does not start ({_ended(status)}): "
                "TESELA_DEBUG=1 shows why"
            )
        first = None
        if status != RETIRED and self._owed:
            number, order = self._owed.popleft()
            first = (number, _obituary(status, order))
        left = list(self._owed)
        self._owed.clear()
        return first, left

    def uncompiled(self) -> list[str]:
        """The modules that it had to compile and could not write, if it has the time to tell."""
        if self.ended or not (self.ready and self.idle):
            return []
        with contextlib.suppress(BrokenPipeError):
            send(self._orders, UNCOMPILED)
        select.select([self.answers], [], [], _PATIENCE)
        return [name for message in self._inbox.take() for name in _names(message)]

    def taken(self) -> None:
        """Its spool is free again."""
        spool.free(self.spool.fileno())
        self.holding = False
        if self._closed:
            self.spool.close()

    def kill(self) -> None:
        """End it and whatever it has started; what lies in its spool can still be taken."""
        if self._closed:
            return
        self._closed = True
        os.close(self._orders)
        if not self.ended:
            _kill_group(self._process.pid)
        if hasattr(os, "waitid"):  # its number stays its own until we have taken note
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        _kill_group(self._process.pid)
        self._process.wait()
        os.close(self.answers)
        if not self.holding:
            self.spool.close()

    def close(self) -> None:
        """End it, and let go of everything."""
        self.kill()
        self.spool.close()


def _start(place: Place, handed: tuple[int, int, int]) -> "subprocess.Popen[bytes]":
    arguments = [*map(str, handed), str(os.getpid()), place.temporary, *place.writable]
    python = [sys.executable, "-I", "-B", *_options(), "-c", _BOOT]
    return subprocess.Popen(
        [*python, str(len(arguments)), place.entry, *arguments, *_path()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # libraries talk to it
        stderr=None if os.environ.get("TESELA_DEBUG") else subprocess.DEVNULL,
        pass_fds=handed,
        start_new_session=True,  # an interrupt from the terminal is ours; so that we can end all of it
        env={**os.environ, "TMPDIR": place.temporary, **_ONE_THREAD},
    )


def _options() -> list[str]:
    prefix = sys.pycache_prefix
    return ["-X", f"pycache_prefix={prefix}"] if prefix else []


def _path() -> Sequence[str]:
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100  (it may hold "")


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS refuses the dead
        os.killpg(leader, signal.SIGKILL)


def _obituary(status: int, order: Order) -> Answer:
    """Why a file has no document, from how the process that read it ended."""
    if status == -signal.SIGALRM:
        return Answer(cause="failed", error=too_slow(order.seconds))
    if status == OUT_OF_MEMORY:
        return Answer(cause="failed", error=too_big(order.memory))
    if -status in (signal.SIGKILL, signal.SIGTERM):
        return Answer(
            cause="passing",
            error=f"the program that reads it was ended from outside ({_ended(status)}), perhaps for "
            "want of memory: the next sync tries again",
        )
    return Answer(cause="failed", error=crashed(_ended(status), order.memory))


def _ended(status: int) -> str:
    return f"exit {status}" if status >= 0 else _name(-status)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
