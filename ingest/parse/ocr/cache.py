"""What OCR found, by the image's bytes: one small file a page, safe to delete."""

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ingest.parse.ocr.base import OcrLine
from kb.digest import digest

if TYPE_CHECKING:
    from PIL.Image import Image

FOLDER = "ocr"  # within the cache


@dataclass(frozen=True, slots=True)
class Recognised:
    """The lines of a page, in pixels of the image after it was turned."""

    lines: tuple[OcrLine, ...]
    width: int
    height: int
    turn: int = 0  # degrees clockwise: 0, 90, 180 or 270


_decode = msgspec.json.Decoder(Recognised).decode


class OcrCache:
    """Where what was recognised by one engine, with one set of settings, is found again."""

    def __init__(self, folder: Path | None, *engine: str) -> None:
        self._folder = folder / FOLDER if folder is not None else None
        self._engine = engine

    def key(self, image: "Image") -> str:
        """Of the pixels, not of the file that they came in."""
        size = f"{image.mode} {image.width}x{image.height}"
        return digest("ocr", *self._engine, size, image.tobytes())

    def get(self, key: str) -> Recognised | None:
        """None also for a file that is damaged: it is made again."""
        if self._folder is None:
            return None
        try:
            return _decode(self._file(self._folder, key).read_bytes())
        except (OSError, msgspec.DecodeError):
            return None

    def put(self, key: str, found: Recognised) -> None:
        """A cache that cannot be written to costs time only."""
        if self._folder is None:
            return
        file = self._file(self._folder, key)
        temporary = file.with_suffix(f".{os.getpid()}.tmp")  # another worker may have the same page
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(msgspec.json.encode(found))
            temporary.replace(file)

    @staticmethod
    def _file(folder: Path, key: str) -> Path:
        return folder / key[:2] / f"{key}.json"


def clear(cache: Path, dry_run: bool = False) -> int:
    """Forget all pages; which of them a document still has is not known.

    Args:
        cache: the folder that runs lend their parsers.
        dry_run: only count them.
    """
    folder = cache / FOLDER
    count = sum(1 for _ in folder.glob("*/*.json"))
    if not dry_run and folder.exists():
        shutil.rmtree(folder)
    return count
