"""Zip containers, read in memory and within bounds: a member is never unpacked to disk."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO

from kb.errors import ParseError

MOST_MEMBERS = 50_000
MOST_TREE = 96 << 20  # bytes of a member that is read whole
MOST_STREAM = 1 << 30  # bytes of one that is read bit by bit
MOST_TOTAL = 4 << 30  # bytes of all that is read of one container
_BOMB_BYTES, _BOMB_RATIO = 64 << 20, 250  # larger, and packed tighter: nobody wrote that
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)


class Archive:
    """The members of a zip container by name; case and the direction of slashes do not matter."""

    def __init__(self, data: bytes, kind: str) -> None:
        """Open the container in `data`; `kind` names the format in errors.

        Raises:
            ParseError: it is empty, damaged, or has too many members.
        """
        self._kind = kind
        self._left = MOST_TOTAL
        if not data:
            raise ParseError("the file is empty")
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
            members = self._zip.infolist()
        except _DAMAGE as error:
            raise self._broken("cut off or damaged") from error
        if len(members) > MOST_MEMBERS:
            raise self._broken(f"it has more than {MOST_MEMBERS} members")
        self._members = {_plain(m.filename): m for m in members if not m.is_dir()}

    @property
    def names(self) -> list[str]:
        """Names of all members, in small letters, in the container's order."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._members

    def insist_bounded(self) -> None:
        """Refuse a container that others are going to unpack whole.

        Raises:
            ParseError: its members would take more than a single one may.
        """
        total = sum(member.file_size for member in self._members.values())
        if total > MOST_STREAM // 2:
            raise self._broken(f"it unpacks to {total >> 20} MB")

    def read(self, name: str, most: int = MOST_TREE) -> bytes | None:
        """A member's bytes, None where there is none of this name.

        Raises:
            ParseError: it is damaged, locked by a password, or larger than `most` bytes.
        """
        if name not in self:
            return None
        with self.open(name, most) as stream:
            return stream.read()

    @contextmanager
    def open(self, name: str, most: int = MOST_STREAM) -> Iterator[IO[bytes]]:
        """A member as a stream. Raises as `read` does, also while the stream is read.

        Raises:
            KeyError: there is none of this name.
        """
        member = self._members[_plain(name)]
        if member.flag_bits & 0x1:
            raise ParseError(f"{self._kind} locked by a password: save it without one")
        packed = max(member.compress_size, 1)
        tight = member.file_size > _BOMB_BYTES and member.file_size > packed * _BOMB_RATIO
        self._left -= member.file_size  # a stream ends there, whatever it was packed from
        if tight or member.file_size > most or self._left < 0:
            raise self._broken(f"{name} unpacks to {member.file_size >> 20} MB")
        try:
            with self._zip.open(member) as stream:
                yield stream
        except _DAMAGE as error:
            raise self._broken(f"{name} is damaged") from error

    def _broken(self, why: str) -> ParseError:
        return ParseError(f"broken {self._kind}: {why}")


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
