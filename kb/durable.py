"""Writes that a crash or a power cut leaves either undone or whole."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from kb.errors import TeselaError

NO_ROOM = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


def fsync(path: Path) -> None:
    """Have a file's or folder's content on disk before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Give a file new content in one step: readers see the old bytes or the new ones."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(data)
    fsync(temporary)
    temporary.replace(path)
    fsync(path.parent)


@contextlib.contextmanager
def full_disk_told(what: str, folder: Path) -> Iterator[None]:
    """Where the disk has no room for `what`, say so and how to go on.

    Raises:
        TeselaError: there was no room. Any other error is raised as it is.
    """
    try:
        yield
    except OSError as error:
        # numpy's own words when a write comes out short have no error number
        if error.errno not in NO_ROOM and "requested and" not in str(error):
            raise
        reason = error.strerror or str(error)
        raise TeselaError(
            f"{folder} has no room for {what} ({reason}): free some space and run it again; "
            "questions are answered as before"
        ) from error
