"""One writer at a time. The kernel drops the lock with the process, so a crash leaves nothing to clean."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
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
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        _acquire(descriptor, wait_seconds)
        _sign(descriptor)
        yield
    finally:
        os.close(descriptor)  # closing drops the lock


def _acquire(descriptor: int, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Locked(
                    f"another writer holds the knowledge base: {_holder(descriptor)}"
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _sign(descriptor: int) -> None:
    started = datetime.now().astimezone().isoformat(timespec="seconds")
    note = json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "since": started})
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, note.encode(), 0)


def _holder(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, 4096, 0))
        return f"process {note['pid']} on {note['host']}, since {note['since']}"
    except (ValueError, KeyError):  # read between its truncate and its write
        return "it has only just started"
