"""Opens what a command works on: the KB, its settings, its store under the lock, its embedder."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import say
from kb import pending
from kb.configure import as_toml, load_settings, parse_value, save_settings
from kb.errors import UsageError
from kb.location import Location, find
from kb.settings import Settings

if TYPE_CHECKING:
    from kb.models.embedder import Embedder
    from kb.store import Store


@dataclass
class Workspace:
    """A KB and the settings of this run."""

    location: Location
    settings: Settings
    flags: Mapping[str, Any] = field(default_factory=dict)
    sets: list[str] = field(default_factory=list)

    def reload(self) -> None:
        """Read the settings again: another writer may have changed them since."""
        settings = settings_of(self.location, self.flags, self.sets)
        if settings.embed != self.settings.embed:
            self.__dict__.pop("embedder", None)
        self.settings = settings

    @cached_property
    def embedder(self) -> "Embedder":
        """The embedder of the settings; its weights are read when it first embeds."""
        from kb.models.load import load_embedder

        return load_embedder(self.settings.embed)


def location_if_any(kb: Path | None) -> Location | None:
    """The KB that `kb` names or that is found by walking up; None where neither is so.

    Raises:
        UsageError: `kb` names a folder without one.
    """
    try:
        return find(kb)
    except UsageError:
        if kb is not None:
            raise
        return None


def open_workspace(
    kb: Path | None, flags: Mapping[str, Any] | None = None, sets: list[str] | None = None
) -> Workspace:
    """Find the KB and merge its settings.

    Args:
        kb: of ``--kb``.
        flags: dotted keys from a command's own flags; None values were not given.
        sets: of ``--set``, weaker than the flags.

    Raises:
        UsageError: no KB, or settings that do not hold.
    """
    location = find(kb)
    return Workspace(location, settings_of(location, flags, sets), flags or {}, sets or [])


def without_kb(kb: Path | None, sets: list[str] | None = None) -> Workspace:
    """The settings of a KB where there is one, for commands that look at a file and store nothing."""
    location = location_if_any(kb)
    return Workspace(location or Location(Path()), settings_of(location, None, sets))


def settings_of(
    location: Location | None,
    flags: Mapping[str, Any] | None = None,
    sets: list[str] | None = None,
) -> Settings:
    """The settings of a KB, or of none (``tesela chunk FILE`` works without)."""
    merged = {
        **assignments(sets or []),
        **{k: v for k, v in (flags or {}).items() if v is not None},
    }
    settings = load_settings(
        location.settings if location else None,
        merged,
        announced=pending.in_force(location) if location else None,
    )
    _check_amounts(settings)
    return settings


def assignments(sets: list[str]) -> dict[str, Any]:
    """The dotted keys and values of ``--set``.

    Raises:
        UsageError: one is not SECTION.KEY=VALUE.
    """
    pairs: dict[str, Any] = {}
    for text in sets:
        key, equals, value = text.partition("=")
        if not equals or "." not in key:
            raise UsageError(f"--set {text!r}: write SECTION.KEY=VALUE, e.g. chunk.size=300")
        pairs[key.strip()] = parse_value(value.strip())
    return pairs


def _check_amounts(settings: Settings) -> None:
    """What settings alone do not bound is checked before any work: overlap, limits."""
    from ingest.chunk.overlap import resolve_overlap
    from ingest.limits import Limits

    Limits.of(settings.parse)

    resolve_overlap(settings.chunk)


def keep(
    workspace: Workspace, flags: Mapping[str, Any], note: Callable[[str], None] = say.note
) -> None:
    """Write a stage's flags into ``tesela.toml``, so that the next ``sync`` does the same."""
    given = {key: value for key, value in flags.items() if value is not None}
    if not given:
        return
    save_settings(workspace.location.settings, given)
    pending.settle(workspace.location)
    shown = ", ".join(f"{key} = {as_toml(value)}" for key, value in given.items())
    note(f"kept in {workspace.location.settings.name}: {shown}")


def keep_new(
    workspace: Workspace, flags: Mapping[str, Any], note: Callable[[str], None] = say.note
) -> None:
    """As `keep`, for those flags that say something new."""
    there = settings_of(workspace.location)
    new = {}
    for key, value in flags.items():
        section, _, name = key.partition(".")
        if value not in (None, getattr(getattr(there, section), name)):
            new[key] = value
    keep(workspace, new, note)


@contextlib.contextmanager
def writing(workspace: Workspace, wait_seconds: float = 0.0) -> Iterator["Store"]:
    """The KB's store, under the writer's lock.

    Raises:
        Locked: another writer holds it.
    """
    from kb.lock import writer_lock
    from kb.store import Store

    with writer_lock(workspace.location.lock, wait_seconds):
        pending.settle(workspace.location)
        workspace.reload()  # what was read before the lock was ours may be of the past
        with Store(workspace.location) as store:
            yield store


@contextlib.contextmanager
def looking_alone(workspace: Workspace, wait_seconds: float = 0.0) -> Iterator["Store"]:
    """The KB's store to read from while nobody writes; not a byte is written.

    Raises:
        Locked: another writer holds the lock.
    """
    from kb.lock import unsigned_lock
    from kb.store import Store

    with (
        unsigned_lock(workspace.location.lock, wait_seconds, create=False),
        Store.unchanged(workspace.location) as store,
    ):
        yield store


@contextlib.contextmanager
def looking(workspace: Workspace) -> Iterator["Store"]:
    """The KB's store to read from; nothing is made where there is none, or where nobody may write."""
    from kb.store import Store

    with Store.looking(workspace.location) as store:
        yield store
