"""A small JSON beside an engine's files, checked before any library reads them.

Annoy takes garbage for an index, and faiss and hnswlib may crash on a truncated one: nothing
reaches them that is not byte for byte what was saved.
"""

import hashlib
from pathlib import Path

import msgspec

from kb.digest import sha256_file

_NAME = "seal.json"


class SealedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file was when it was sealed."""

    size: int
    sha256: str


class Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an engine's folder holds."""

    engine: str
    version: int
    rows: int
    dimension: int
    note: str = ""
    files: dict[str, SealedFile] = msgspec.field(default_factory=dict)


def write_seal(folder: Path, seal: Seal) -> None:
    """Record all files that lie in `folder`, and add the record to it."""
    files = {
        path.name: SealedFile(path.stat().st_size, sha256_file(path))
        for path in sorted(folder.iterdir())
        if path.name != _NAME
    }
    body = msgspec.json.encode(msgspec.structs.replace(seal, files=files))
    check = hashlib.sha256(body).hexdigest().encode()
    (folder / _NAME).write_bytes(body + b"\n" + check + b"\n")


def read_seal(folder: Path, expected: Seal) -> Seal:
    """The seal of `folder`, once engine, version, shape and every file's bytes are as expected.

    Raises:
        OSError: a file is missing or unreadable.
        ValueError: a file is damaged, or the folder was made by another engine, version or matrix.
    """
    seal = _seal_of(folder)
    for name in ("engine", "version", "rows", "dimension"):
        found, wanted = getattr(seal, name), getattr(expected, name)
        if found != wanted:
            raise ValueError(
                f"{folder} was built with {name} {found}, not {wanted}: build it again"
            )
    for name, file in seal.files.items():
        _check_file(folder / name, file)
    return seal


def sealed_engine(folder: Path) -> str:
    """The engine that made `folder`. Raises as `read_seal` does, where the seal itself is damaged."""
    return _seal_of(folder).engine


def _seal_of(folder: Path) -> Seal:
    path = folder / _NAME
    body, _, check = path.read_bytes().partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != check.strip():
        raise ValueError(f"{path} is damaged: build the index again")
    return msgspec.json.decode(body, type=Seal)  # its error is a ValueError


def _check_file(path: Path, file: SealedFile) -> None:
    size = path.stat().st_size
    if size != file.size:
        raise ValueError(f"{path} has {size} bytes, {file.size} were saved: build the index again")
    if sha256_file(path) != file.sha256:
        raise ValueError(f"{path} is damaged (its SHA-256 differs): build the index again")
