"""A results file that holds whole lines only, whenever the run is killed."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from kb.errors import UsageError
from query.batch.lines import Line
from query.batch.manifest import Counts


class Done(msgspec.Struct):
    """What is read back of a line."""

    id: str | int
    error: str = ""
    hits: list[msgspec.Raw] = []


class ResultsFile:
    """Each line is handed to the system as a whole; one that it takes in part is cut off again."""

    def __init__(self, path: Path, keep: int = 0) -> None:
        """Open for writing; the first `keep` bytes stay."""
        self._path = path
        self._file = path.open("r+b" if keep else "wb", buffering=0)
        self._size = self._file.seek(keep)
        self._file.truncate(keep)

    def write(self, lines: str) -> None:
        """Add whole lines.

        Raises:
            OSError: it cannot be written; what is there is whole.
        """
        raw = memoryview(lines.encode())
        try:
            written = 0
            while written < len(raw):
                written += self._file.write(raw[written:])
        except BaseException as error:
            self._file.truncate(self._size)
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(self._path)
            raise
        self._size += len(raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()


def skip_done(path: Path, lines: Iterator[Line]) -> tuple[Counts, int]:
    """Take the questions off `lines` that have their line in the results.

    Returns:
        What came of them, and how many bytes of the file are whole lines.

    Raises:
        UsageError: the results are not those of these questions.
    """
    counts, size = Counts(), 0
    with path.open("rb") as results:
        for raw in results:
            if not raw.endswith(b"\n"):
                break
            line = next(lines, None)
            done = _decode(path, counts.questions + 1, raw)
            if line is None or done.id != line.id:
                raise UsageError(
                    f"{path} cannot be gone on with, its line {counts.questions + 1} answers "
                    f"{done.id!r} and not {line.id if line else 'nothing'!r}: "
                    "leave out --resume to begin anew"
                )
            count(counts, len(done.hits), bool(done.error))
            size += len(raw)
    return counts, size


def count(counts: Counts, hits: int, failed: bool) -> None:
    """Add one question."""
    counts.questions += 1
    counts.failed += failed
    counts.answered += not failed
    counts.hits += hits


def _decode(path: Path, number: int, raw: bytes) -> Done:
    try:
        return msgspec.json.decode(raw, type=Done)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be gone on with, its line {number} cannot be read ({error}): "
            "leave out --resume to begin anew"
        ) from error
