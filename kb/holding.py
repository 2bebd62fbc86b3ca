"""Locks between readers of a generation and who would remove it: on its manifest."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from kb.errors import TeselaError


def hold(manifest: Path) -> int | None:
    """Keep the generation of a manifest from being removed until the descriptor that is returned is closed.

    None where that cannot be: no manifest, or a file system without locks.

    Raises:
        TeselaError: it is being removed at this moment.
    """
    try:
        descriptor = os.open(manifest, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None  # `read_manifest` says why
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        gone = os.fstat(descriptor).st_nlink == 0
    except BlockingIOError:
        gone = True
    except OSError:
        gone = False
    if gone:
        os.close(descriptor)
        raise TeselaError(f"generation {manifest.parent.name} has just been removed: ask again")
    return descriptor


@contextlib.contextmanager
def alone(manifest: Path) -> Iterator[bool]:
    """Whether no reader has the generation open, and none can open it meanwhile."""
    try:
        # network file systems want a file open for writing before they lock it for one alone
        mode = os.O_RDWR if os.access(manifest, os.W_OK) else os.O_RDONLY
        descriptor = os.open(manifest, mode | os.O_CLOEXEC)
    except OSError:
        yield True  # without a manifest no reader can have opened it
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free = True
    except BlockingIOError:
        free = False
    except OSError:
        free = True
    try:
        yield free
    finally:
        os.close(descriptor)
