"""Names for generations; a named one is never removed until its name is."""

import re
from datetime import datetime

import msgspec

from kb import generations
from kb.durable import replace_file
from kb.errors import TeselaError, UsageError
from kb.location import Location

_NAME = re.compile(r"[^\W_][\w.-]{0,99}")
RESERVED = ("current", "previous")


def tags(location: Location) -> dict[str, int]:
    """Each name with the number of its generation, by name.

    Raises:
        TeselaError: the file is damaged.
    """
    try:
        found = msgspec.json.decode(location.snapshots.read_bytes(), type=dict[str, int])
    except FileNotFoundError:
        return {}
    except msgspec.DecodeError as error:
        raise TeselaError(
            f"{location.snapshots} is damaged ({error}): move it away and tag the snapshots anew; "
            "until then nothing old is removed"
        ) from error
    return dict(sorted(found.items()))


def tag(location: Location, name: str, number: int) -> None:
    """Name a generation, under the writer's lock.

    Raises:
        UsageError: the name is taken, or could be read as a number, a date or a word of ours.
    """
    _check_name(name)
    found = tags(location)
    if found.get(name, number) != number:
        raise UsageError(
            f"snapshot {name!r} is generation {found[name]}: choose another name, "
            f"or free it with 'tesela snapshot remove {name}'"
        )
    if number not in generations.numbers(location):
        raise UsageError(f"there is no generation {number}: 'tesela snapshot list' shows them")
    _save(location, {**found, name: number})


def untag(location: Location, name: str) -> int:
    """Take a name away and return the number of its generation, which the next clean-up may remove.

    Raises:
        UsageError: there is no such name.
    """
    found = tags(location)
    if name not in found:
        raise UsageError(f"no snapshot {name!r}: {', '.join(found) or 'there are none'}")
    number = found.pop(name)
    _save(location, found)
    return number


def is_date(text: str) -> bool:
    """Whether a text is an ISO date, with or without a time."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.isdigit() or name in RESERVED or is_date(name):
        raise UsageError(
            f"{name!r} cannot name a snapshot: letters, digits, '.', '-' and '_', "
            f"neither a number nor a date nor {' nor '.join(RESERVED)}"
        )


def _save(location: Location, found: dict[str, int]) -> None:
    encoded = msgspec.json.encode(dict(sorted(found.items())))
    replace_file(location.snapshots, msgspec.json.format(encoded, indent=1) + b"\n")
