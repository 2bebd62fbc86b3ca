"""Settings that come into force with a generation, not before it and not after.

A change of model touches two files, ``tesela.toml`` and ``CURRENT``. The change is announced in a
third, with the model's fingerprint: it is in force from the moment the current generation has that
fingerprint, and whoever writes next moves it into ``tesela.toml``.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from kb import generations
from kb.configure import save_settings
from kb.durable import replace_file
from kb.errors import TeselaError
from kb.location import Location


class _Pending(msgspec.Struct, frozen=True):
    fingerprint: str
    settings: dict[str, Any]  # dotted keys


def announce(location: Location, fingerprint: str, changes: Mapping[str, Any]) -> None:
    """Say that `changes` go with the generation made by the model of this fingerprint."""
    replace_file(location.pending, msgspec.json.encode(_Pending(fingerprint, dict(changes))))


def in_force(location: Location) -> dict[str, Any]:
    """The announced settings, where their generation is the current one; else nothing."""
    try:
        pending = msgspec.json.decode(location.pending.read_bytes(), type=_Pending)
    except (OSError, msgspec.DecodeError):
        return {}
    folder = generations.current_folder(location)
    if folder is None:
        return {}
    try:
        manifest = generations.read_manifest(folder)
    except TeselaError:
        return {}
    return pending.settings if manifest.fingerprint == pending.fingerprint else {}


def settle(location: Location) -> None:
    """Move what is in force into ``tesela.toml``, drop what is not; under the writer's lock."""
    if not location.pending.exists():
        return
    changes = in_force(location)
    if changes:
        save_settings(location.settings, changes)
    location.pending.unlink(missing_ok=True)
