"""Immutable generations and the swap between them.

A generation is built beside the others in ``generations/building``, synced to disk, renamed to its
number, and only then named by ``CURRENT``, which is replaced in one step. A writer killed at any
byte leaves the old generation in place.
"""

import os
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from kb.digest import sha256_file
from kb.errors import TeselaError, Unavailable
from kb.location import Location

FORMAT = 1
MANIFEST = "manifest.json"
_BUILDING = "building"


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
    final = location.generations / f"{manifest.number:04d}"
    folder.rename(final)
    _fsync(location.generations)
    temporary = location.current.with_suffix(".tmp")
    temporary.write_text(f"{final.name}\n", encoding="ascii")
    _fsync(temporary)
    temporary.replace(location.current)
    _fsync(location.folder)
    return final


def prune(location: Location, keep: int) -> None:
    """Remove all but the newest `keep` generations and the current one.

    A reader that has an old one open keeps its files until it closes them.
    """
    current = current_folder(location)
    for number in numbers(location)[:-keep]:
        folder = location.generations / f"{number:04d}"
        if folder != current:
            shutil.rmtree(folder, ignore_errors=True)


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
