"""Checks of what lies on disk: generations, store, cache, leftovers, room."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from index.facts import bytes_under, is_behind, is_forgotten
from index.gc import aside_files
from index.health.base import Checkup, Finding, Remedy
from kb import generations, snapshots
from kb.errors import TeselaError, Unavailable
from kb.location import Location
from kb.store import Store
from kb.store.repair import problem

FIX = "tesela doctor --fix"
_UPGRADE = "upgrade tesela"


def current(checkup: Checkup) -> Iterator[Finding]:
    """CURRENT names a generation that is there, with a manifest this version reads."""
    location = checkup.location
    folder = generations.current_folder(location)
    if folder is None or generations.current_number(location) is None:
        if generations.numbers(location):
            named = (
                "is not there" if folder is None else f"names {folder.name!r}, which is not there"
            )
            yield Finding(f"CURRENT {named}", FIX, Remedy.CURRENT)
        elif folder is not None:
            yield Finding("CURRENT names a generation, and there is none", FIX, Remedy.BUILD)
        return
    try:
        generations.read_manifest(folder)
    except Unavailable as error:
        yield Finding(str(error), _UPGRADE)
    except TeselaError as error:
        yield Finding(str(error), FIX, Remedy.BUILD)


def files(checkup: Checkup) -> Iterator[Finding]:
    """Every file of the current generation has the size and SHA-256 of the manifest."""
    for name in checkup.damaged:
        number = checkup.manifest.number if checkup.manifest else 0
        yield Finding(f"generation {number}: {name} is damaged or missing", FIX, Remedy.BUILD)


def old_generations(checkup: Checkup) -> Iterator[Finding]:
    """Older generations are whole, as far as sizes and times tell."""
    location = checkup.location
    try:
        tagged = snapshots.tags(location)
    except TeselaError as error:
        yield Finding(str(error), f"rm {location.snapshots}")
        return
    numbers = generations.numbers(location)
    for name, number in tagged.items():
        if number not in numbers:
            lost = f"snapshot {name!r} names generation {number}, which is not there"
            yield Finding(lost, f"tesela snapshot remove {name}")
    now = generations.current_number(location)
    for number in numbers:
        if now is None or number >= now or not (reason := _broken(location, number)):
            continue
        what = f"old generation {number} is damaged: {reason}"
        names = [name for name, n in tagged.items() if n == number]
        if names:
            yield Finding(what, f"tesela snapshot remove {names[0]}, then {FIX}")
        else:
            yield Finding(what, FIX, Remedy.OLD, number=number)


def _broken(location: Location, number: int) -> str:
    folder = generations.folder_of(location, number)
    try:
        return ", ".join(generations.touched_files(folder, generations.read_manifest(folder)))
    except Unavailable:
        return ""  # a newer version's
    except TeselaError as error:
        return str(error)


def store(checkup: Checkup) -> Iterator[Finding]:
    """The store is a sound database of a known schema, and what its files point to is there."""
    path = checkup.location.store
    if not path.exists():
        if checkup.manifest is not None and checkup.manifest.documents:
            yield Finding(f"{path} is not there", "tesela sync PATH")
        return
    if checkup.store_problem:
        yield _of_database(path, checkup.store_problem, Remedy.STORE)
        return
    try:
        with Store.looking(checkup.location) as opened:
            dangling = opened.dangling()
            behind = is_behind(opened, checkup.manifest)
            forgotten = is_forgotten(opened, checkup.manifest)
    except Unavailable as error:
        yield Finding(str(error), _UPGRADE)
        return
    except TeselaError as error:
        yield _of_database(path, str(error), Remedy.STORE)
        return
    if dangling:
        lost = f"{dangling} results that the store's files point to are not in it"
        yield Finding(lost, FIX, Remedy.KEYS)
    elif forgotten and checkup.manifest is not None:
        held = f"holds {checkup.manifest.documents} documents"
        lost = f"it names no source and no file, and generation {checkup.manifest.number} {held}"
        yield Finding(lost, "tesela sync PATH", wrong=False)
    elif behind:
        yield Finding("the index is behind what was read", "tesela index", wrong=False)


def cache(checkup: Checkup) -> Iterator[Finding]:
    """The caches and the ledger are sound databases."""
    for path in checkup.location.spare.values():
        if reason := problem(path):
            yield _of_database(path, reason, Remedy.CACHE)


def _of_database(path: Path, reason: str, remedy: Remedy) -> Finding:
    """A database that is only out of reach must not be put aside."""
    if any(words in reason for words in ("unable to open", "locked", "readonly", "denied")):
        return Finding(f"{path} cannot be opened ({reason})", f"ls -l {path}")
    return Finding(f"{path} is damaged ({reason})", FIX, remedy)


def lock(checkup: Checkup) -> Iterator[Finding]:
    """Whether a writer is at work; no harm."""
    if note := writer(checkup.location):
        yield Finding(note, "wait until it has finished", wrong=False)


def writer(location: Location) -> str:
    """Who signed the lock and is alive here, "" for nobody.

    The lock itself is not tried: a writer that came at that moment would be turned away.
    """
    try:
        note = json.loads(location.lock.read_bytes())
        if note["host"] == os.uname().nodename:
            os.kill(note["pid"], 0)
            if note["pid"] != os.getpid():
                return f"process {note['pid']} may be writing, since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return ""


def leftovers(checkup: Checkup) -> Iterator[Finding]:
    """Nothing lies about from killed runs and earlier repairs; no harm, but it takes room."""
    if writer(checkup.location):
        return  # it may be its work in hand
    for path in generations.leftovers(checkup.location):
        left = f"{path.name} was left by an interrupted run"
        yield Finding(left, "tesela gc", Remedy.LEFTOVERS, wrong=False)
    for path in aside_files(checkup.location):
        yield Finding(f"{path.name} was put aside as damaged", "tesela gc", wrong=False)


def room(checkup: Checkup) -> Iterator[Finding]:
    """The disk has room for another generation."""
    folder = generations.current_folder(checkup.location)
    if folder is None or not folder.is_dir():
        return
    needed, free = bytes_under(folder), shutil.disk_usage(folder).free
    if free < needed:
        full = f"the disk has {free:,} bytes free, a new generation may take {needed:,}"
        yield Finding(full, "tesela gc --caches, or free some space")
