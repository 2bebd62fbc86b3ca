"""The hits of the last query, so that ``show 3`` and ``open 3`` know what is meant.

They are kept for each user beside the knowledge base, which readers never write: one small file for
each, under ``$XDG_STATE_HOME/tesela`` (``~/.local/state/tesela``), for its owner alone. Ids, places and
numbers are kept, no text: whoever asks to see a hit is asked for their rights again.
"""

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kb.digest import digest
from kb.errors import UsageError
from kb.location import Location
from kb.records import Hit, LegScore

VERSION = 1
_MOST_HITS = 1000
_MOST_FILES = 100


class KeptHit(msgspec.Struct, frozen=True):
    """A hit without its words."""

    rank: int
    id: str
    path: str
    score: float
    legs: dict[str, LegScore]
    fusion: dict[str, float]
    rerank: dict[str, float] | None = None


class LastHits(msgspec.Struct, frozen=True):
    """What the last query of a knowledge base found."""

    version: int
    generation: int
    found: int  # more than `hits` where there were very many
    hits: tuple[KeptHit, ...]


def keep(location: Location, generation: int, hits: Sequence[Hit]) -> None:
    """Keep the hits of a query; where that cannot be done, the query is none the worse for it."""
    kept = tuple(
        KeptHit(h.rank, h.chunk.id, h.chunk.path, h.score, h.legs, h.fusion, h.rerank)
        for h in hits[:_MOST_HITS]
    )
    data = msgspec.json.encode(LastHits(VERSION, generation, len(hits), kept))
    with contextlib.suppress(OSError, RuntimeError):  # no home, or none to write to
        _write(_file(location), data)


def hit_number(location: Location, number: int) -> tuple[LastHits, KeptHit]:
    """A hit of the last query, by its rank.

    Raises:
        UsageError: there was no query, or it did not find so many.
    """
    last = _read(location)
    if last is None:
        raise UsageError(
            f"no hit {number}: no query of this knowledge base is known here; run 'tesela query' first"
        )
    hit = next((hit for hit in last.hits if hit.rank == number), None)
    if hit is not None:
        return last, hit
    if not last.hits:
        raise UsageError(f"no hit {number}: the last query found nothing")
    more = f" (of {last.found:,} found)" if last.found > len(last.hits) else ""
    raise UsageError(
        f"no hit {number}: the last query's are 1 to {last.hits[-1].rank}{more}; "
        f"to name a file or a chunk, write ./{number} or more of its id"
    )


def _read(location: Location) -> LastHits | None:
    try:
        last = msgspec.json.decode(_file(location).read_bytes(), type=LastHits)
    except (OSError, RuntimeError, msgspec.DecodeError):
        return None
    return last if last.version == VERSION else None


def _file(location: Location) -> Path:
    """The file of a knowledge base, whichever links lead to it."""
    given = os.environ.get("XDG_STATE_HOME", "")
    state = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "state"
    name = digest(os.fsencode(location.folder.resolve()))
    return state / "tesela" / "last-hits" / f"{name}.json"


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=".", dir=file.parent)  # mode 0600
    try:
        with open(descriptor, "wb") as out:  # noqa: PTH123  (a descriptor, not a path)
            out.write(data)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _forget_oldest(file.parent)


def _forget_oldest(folder: Path) -> None:
    files = list(folder.glob("*.json"))
    if len(files) > _MOST_FILES:
        files.sort(key=lambda file: file.stat().st_mtime)
        for file in files[:-_MOST_FILES]:
            file.unlink(missing_ok=True)
