"""Trials that were made, kept in the KB, so that a run that was cut off goes on."""

from pathlib import Path

import msgspec
from msgspec import Struct

from kb.durable import replace_file
from kb.location import Location
from query.tune.trial import Trial

VERSION = 1


class _Kept(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    subject: str
    trials: list[Trial]


class State:
    """The trials of one subject: documents, questions and settings in force.

    Those of another subject give way.
    """

    def __init__(self, location: Location, subject: str) -> None:
        self._path = path_of(location)
        self._subject = subject
        self._trials = {trial.key: trial for trial in _read(self._path, subject)}

    def get(self, key: str) -> Trial | None:
        """A trial that was made."""
        return self._trials.get(key)

    def put(self, trial: Trial) -> None:
        """Keep a trial."""
        self._trials[trial.key] = trial
        kept = _Kept(VERSION, self._subject, list(self._trials.values()))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._path, msgspec.json.encode(kept) + b"\n")


def path_of(location: Location) -> Path:
    """Where trials lie; safe to delete."""
    return location.folder / "evaluation" / "trials.json"


def _read(path: Path, subject: str) -> list[Trial]:
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return []
    return kept.trials if (kept.version, kept.subject) == (VERSION, subject) else []
