"""When each generation was published, and which one a name, a number or a date means.

Times lie outside the generations, whose bytes depend on no clock.
"""

from datetime import datetime, time
from pathlib import Path

import msgspec

from kb import generations
from kb.durable import replace_file
from kb.errors import UsageError
from kb.location import Location
from kb.snapshots import is_date, tags


def record(location: Location, number: int) -> None:
    """Note that a generation was published now."""
    times = {**published(location), number: datetime.now().astimezone()}
    lines = {str(n): when.isoformat(timespec="microseconds") for n, when in sorted(times.items())}
    encoded = msgspec.json.format(msgspec.json.encode(lines), indent=1)
    replace_file(location.history, encoded + b"\n")


def published(location: Location) -> dict[int, datetime]:
    """When each generation that is there was published, in local time.

    One whose writer was killed before the note is dated by its manifest.
    """
    noted = _noted(location)
    times: dict[int, datetime] = {}
    for number in generations.numbers(location):
        manifest = generations.folder_of(location, number) / generations.MANIFEST
        if number in noted:
            times[number] = noted[number].astimezone()
        elif manifest.exists():
            times[number] = datetime.fromtimestamp(manifest.stat().st_mtime).astimezone()
    return times


def _noted(location: Location) -> dict[int, datetime]:
    try:
        return msgspec.json.decode(location.history.read_bytes(), type=dict[int, datetime])
    except (OSError, msgspec.DecodeError):  # a convenience: the manifests' times stand in
        return {}


def previous(location: Location) -> int | None:
    """The generation before the current one, where it is still there."""
    current = generations.current_number(location)
    older = [n for n in generations.numbers(location) if current is not None and n < current]
    return max(older, default=None)


def resolve(location: Location, wanted: str) -> Path:
    """The folder of a generation.

    Args:
        location: of the KB.
        wanted: a snapshot's name, a number, ``current``, ``previous``, or an ISO date, with or
            without a time: the newest generation published on or before it.

    Raises:
        UsageError: there is none such; the message says what there is.
    """
    number = _number(location, wanted.strip())
    if number is None or number not in generations.numbers(location):
        raise UsageError(f"no generation {wanted!r}: {_offer(location)}")
    return generations.folder_of(location, number)


def _number(location: Location, wanted: str) -> int | None:
    if wanted == "current":
        return generations.current_number(location)
    if wanted == "previous":
        return previous(location)
    tagged = tags(location)
    if wanted in tagged:
        return tagged[wanted]
    if wanted.isascii() and wanted.isdigit():
        return int(wanted)
    return _on_or_before(location, _moment(wanted)) if is_date(wanted) else None


def _moment(text: str) -> datetime:
    """A date means the end of that day here."""
    moment = datetime.fromisoformat(text)
    if len(text) <= len("2026-01-31"):
        moment = datetime.combine(moment.date(), time.max)
    return moment.astimezone()


def _on_or_before(location: Location, moment: datetime) -> int | None:
    current = generations.current_number(location)
    served = {n for n in generations.numbers(location) if current is None or n <= current}
    early = [n for n, when in published(location).items() if when <= moment and n in served]
    return max(early, default=None)


def _offer(location: Location) -> str:
    times = published(location)
    if not times:
        return "there are none yet, run 'tesela sync PATH'"
    shown = ", ".join(f"{n} of {when:%Y-%m-%d %H:%M}" for n, when in times.items())
    names = ", ".join(tags(location))
    return f"there are {shown}" + (f"; snapshots: {names}" if names else "")
