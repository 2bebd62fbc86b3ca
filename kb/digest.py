"""Content hashes: the only source of ids and stage keys."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec


def digest(*parts: str | bytes) -> str:
    """32 hex digits, 128 bits of BLAKE2b.

    Each part is prefixed by its length, so that ``("ab", "c")`` and ``("a", "bc")`` differ.
    """
    h = hashlib.blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        h.update(len(raw).to_bytes(8, "little"))
        h.update(raw)
    return h.hexdigest()


def digest_settings(settings: Any) -> str:
    """Digest of a settings struct; equal settings give equal digests whatever their origin."""
    return digest(msgspec.json.encode(settings, order="sorted"))


def sha256_file(path: Path | str) -> str:
    """Hex SHA-256 of a file's bytes, read in 1 MiB blocks."""
    with open(path, "rb") as f:  # noqa: PTH123  (a Path for each of 10,000 files takes time)
        return hashlib.file_digest(f, "sha256").hexdigest()


def sha256_bytes(blocks: Iterable[bytes]) -> str:
    """Hex SHA-256 over blocks of bytes."""
    h = hashlib.sha256()
    for block in blocks:
        h.update(block)
    return h.hexdigest()
