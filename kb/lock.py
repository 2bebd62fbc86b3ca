"""One writer at a time. The kernel drops the lock with the process, so a crash leaves nothing to clean."""

import contextlib
import errno
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from kb.errors import Locked

_POLL_SECONDS = 0.1


@contextlib.contextmanager
def writer_lock(path: Path, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the KB's writer lock.

    Raises:
        Locked: another process holds it and did not let go within `wait_seconds`; says who and since when.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with unsigned_lock(path, wait_seconds) as sign:
        sign()
        yield


@contextlib.contextmanager
def unsigned_lock(
    path: Path, wait_seconds: float = 0.0, *, create: bool = True
) -> Iterator[Callable[[], None]]:
    """As `writer_lock`, but no byte is written until the callable that is yielded is called.

    It is for looking whether there is anything to write. Without `create` a lock file that is not
    there is not made, and nothing is held: there has been no writer yet.
    """
    try:
        descriptor = _open(path, os.O_CREAT if create else 0)
    except FileNotFoundError:
        if create:
            raise
        yield lambda: None
        return
    try:
        _acquire(descriptor, wait_seconds)
        yield lambda: _sign(path)
    finally:
        os.close(descriptor)  # closing drops the lock


def _open(path: Path, create: int) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC | create, 0o644)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EROFS):
            raise
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # enough to look, save on some network disks


def _acquire(descriptor: int, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Locked(
                    f"another writer holds the knowledge base: {_holder(descriptor)}; "
                    "--wait 10m waits for it"
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _sign(path: Path) -> None:
    started = datetime.now().astimezone().isoformat(timespec="seconds")
    note = json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "since": started})
    with path.open("r+b") as file:
        file.truncate()
        file.write(note.encode())


def _holder(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, 4096, 0))
        if _alive(note["pid"], note["host"]):
            return f"process {note['pid']} on {note['host']}, since {note['since']}"
    except (ValueError, KeyError):  # read between its truncate and its write
        pass
    return "it has only just started"  # and not signed: the note is another's


def _alive(pid: int, host: str) -> bool:
    if host != os.uname().nodename:
        return True  # nobody here can tell
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
