"""Immutable generations and the swap between them.

A generation is built beside the others in ``generations/building``, synced to disk, renamed to its
number, and only then named by ``CURRENT``, which is replaced in one step. A writer killed at any
byte leaves the old generation in place. A reader holds a shared lock on the manifest of the
generation it has open; nothing removes one that is held.
"""

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from kb.digest import sha256_file
from kb.durable import fsync as _fsync
from kb.durable import replace_file
from kb.errors import TeselaError, Unavailable
from kb.holding import alone
from kb.location import Location

FORMAT = 1
MANIFEST = "manifest.json"
_BUILDING = "building"
_REMOVING = "removing-"


class FileEntry(msgspec.Struct, frozen=True):
    """One file of a generation."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a generation holds and what it was made from. No clock: same input, same bytes."""

    format: int = FORMAT
    number: int
    components: Mapping[str, str]  # component (a folder here) → key of what it was made from
    documents: int
    chunks: int
    embedder: str
    fingerprint: str
    dimension: int
    engine: str
    engine_version: int
    engine_note: str = ""
    token_vectors: bool
    settings: Mapping[str, object]
    files: Mapping[str, FileEntry]


def numbers(location: Location) -> list[int]:
    """Numbers of the finished generations, rising."""
    if not location.generations.is_dir():
        return []
    return sorted(int(p.name) for p in location.generations.iterdir() if p.name.isdigit())


def folder_of(location: Location, number: int) -> Path:
    """Where a generation lies, whether it is there or not."""
    return location.generations / f"{number:04d}"


def current_number(location: Location) -> int | None:
    """The number that CURRENT names; None when that generation is not there."""
    folder = current_folder(location)
    if folder is None or not folder.name.isdigit() or not folder.is_dir():
        return None
    return int(folder.name)


def current_folder(location: Location) -> Path | None:
    """The folder that CURRENT names; None when nothing was ever published."""
    try:
        name = location.current.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        name = "?"  # damaged: no such folder, which `read_manifest` tells
    return location.generations / name


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a generation.

    Raises:
        Unavailable: it was written by a newer version.
        TeselaError: it is missing or damaged.
    """
    try:
        raw = (folder / MANIFEST).read_bytes()
        written = msgspec.json.decode(raw, type=_Format).format
        if written > FORMAT:
            raise Unavailable(
                f"generation {folder.name} has format {written}, this version of tesela reads up to "
                f"{FORMAT}: upgrade tesela, or build again with 'tesela index --rebuild'"
            )
        return msgspec.json.decode(raw, type=Manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise TeselaError(
            f"generation {folder.name} cannot be read ({error}): build it again with "
            "'tesela index --rebuild'"
        ) from error


class _Format(msgspec.Struct):
    format: int


def leftovers(location: Location) -> list[Path]:
    """What a killed writer left: a build that was not finished or not published, a half removal.

    Only a holder of the writer's lock can tell them from what another writer has in hand.
    """
    if not location.generations.is_dir():
        return []
    current = current_number(location)
    found = [
        p
        for p in location.generations.iterdir()
        if p.name == _BUILDING
        or p.name.startswith(_REMOVING)
        or (current is not None and p.name.isdigit() and int(p.name) > current)
    ]
    return sorted(found) + sorted(location.folder.glob("*.tmp"))


def sweep(location: Location) -> list[str]:
    """Remove what `leftovers` finds; returns its names."""
    found = leftovers(location)
    for path in found:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return [path.name for path in found]


def start(location: Location) -> Path:
    """An empty folder to build in; what an interrupted build left there is removed."""
    folder = location.generations / _BUILDING
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def entries(folder: Path) -> dict[str, FileEntry]:
    """Size and hash of every file in a generation's folder, by its path there."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != MANIFEST)
    return {
        p.relative_to(folder).as_posix(): FileEntry(p.stat().st_size, sha256_file(p)) for p in files
    }


def damaged_files(
    folder: Path, manifest: Manifest, components: Collection[str] | None = None
) -> list[str]:
    """The files, of some components or all, that are not byte for byte what the manifest says."""
    return [
        name
        for name, entry in manifest.files.items()
        if (components is None or name.split("/")[0] in components)
        and not _is(folder / name, entry)
    ]


def touched_files(folder: Path, manifest: Manifest) -> list[str]:
    """As `damaged_files`, at the cost of a look: only what was written after the manifest is hashed.

    Files of a generation never change, so one with another size or a later time was not left alone.
    """
    written = (folder / MANIFEST).stat().st_mtime_ns
    return [
        name
        for name, entry in manifest.files.items()
        if _written_after(folder / name, written, entry.size) and not _is(folder / name, entry)
    ]


def _written_after(path: Path, time_ns: int, size: int) -> bool:
    try:
        found = path.stat()
    except OSError:
        return True
    return found.st_size != size or found.st_mtime_ns > time_ns


def _is(path: Path, entry: FileEntry) -> bool:
    try:
        return path.stat().st_size == entry.size and sha256_file(path) == entry.sha256
    except OSError:
        return False


def publish(location: Location, folder: Path, manifest: Manifest) -> Path:
    """Make a built folder the current generation; readers see the old one or the new one, never less."""
    (folder / MANIFEST).write_bytes(
        msgspec.json.format(msgspec.json.encode(manifest, order="sorted"), indent=1)
    )
    for path in folder.rglob("*"):
        _fsync(path)
    _fsync(folder)
    final = folder_of(location, manifest.number)
    folder.rename(final)
    _fsync(location.generations)
    replace_file(location.current, f"{final.name}\n".encode("ascii"))
    return final


def spare(location: Location, keep: int, tagged: Collection[int] = ()) -> list[int]:
    """The generations that a policy lets go: all but the newest `keep`, the current and the tagged."""
    kept = {current_number(location), *numbers(location)[-keep:], *tagged}
    return [number for number in numbers(location) if number not in kept]


def prune(location: Location, keep: int, tagged: Collection[int] = ()) -> list[int]:
    """Remove what `spare` names, but for what a reader has open; returns what was removed."""
    return [number for number in spare(location, keep, tagged) if remove(location, number)]


def remove(location: Location, number: int) -> bool:
    """Remove a generation; False where a reader has it open.

    It loses its number first, so that a kill half way leaves nothing that looks whole.
    """
    folder = folder_of(location, number)
    with alone(folder / MANIFEST) as free:
        if free:
            doomed = folder.with_name(_REMOVING + folder.name)
            shutil.rmtree(doomed, ignore_errors=True)
            folder.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
        return free
