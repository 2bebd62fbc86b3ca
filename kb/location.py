"""Where a knowledge base lies, and how paths in it are written."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from kb.errors import UsageError

KB_FOLDER = ".tesela"
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")
_SURROGATE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Location:
    """A KB's folder (``.tesela``) and the folder that holds it, against which paths are relative."""

    folder: Path

    @property
    def home(self) -> Path:
        """The folder that holds the KB."""
        return self.folder.parent

    @property
    def store(self) -> Path:
        """The SQLite file with documents, chunks and contexts."""
        return self.folder / "store.sqlite"

    @property
    def vector_cache(self) -> Path:
        """The SQLite file with embeddings by text; safe to delete."""
        return self.folder / "cache" / "vectors.sqlite"

    @property
    def owns_caches(self) -> bool:
        """Whether what its generations do not need may be dropped from its caches."""
        return True

    @property
    def llm_cache(self) -> Path:
        """The SQLite file with an LLM's answers by what was asked; safe to delete."""
        return self.folder / "cache" / "llm.sqlite"

    @property
    def ledger(self) -> Path:
        """The SQLite file with what each call to an LLM cost."""
        return self.folder / "ledger.sqlite"

    @property
    def batches(self) -> Path:
        """What was left with an LLM provider's batch service."""
        return self.folder / "batches.json"

    @property
    def spare(self) -> dict[str, Path]:
        """Databases without which everything is still found, by what they are."""
        return {"cache": self.vector_cache, "LLM cache": self.llm_cache, "ledger": self.ledger}

    @property
    def prices(self) -> Path:
        """The user's own prices of LLMs."""
        return self.folder / "prices.toml"

    @property
    def generations(self) -> Path:
        """The folder of searchable generations."""
        return self.folder / "generations"

    @property
    def current(self) -> Path:
        """The file that names the generation readers open."""
        return self.folder / "CURRENT"

    @property
    def history(self) -> Path:
        """When each generation was published."""
        return self.folder / "history.json"

    @property
    def snapshots(self) -> Path:
        """The names given to generations."""
        return self.folder / "snapshots.json"

    @property
    def pending(self) -> Path:
        """Settings that take effect with a generation that is being built."""
        return self.folder / "pending.json"

    @property
    def lock(self) -> Path:
        """The writer's lock file."""
        return self.folder / "lock"

    @property
    def settings(self) -> Path:
        """The settings that differ from the preset."""
        return self.folder / "tesela.toml"

    def written(self, path: Path) -> str:
        """`path` as records hold it: POSIX, relative to `home` where it lies inside, else absolute."""
        absolute = lexically_absolute(path)
        if absolute.is_relative_to(self.home):
            absolute = absolute.relative_to(self.home)
        return escape_path(absolute.as_posix())

    def absolute(self, written: str) -> Path:
        """The file behind a written path."""
        return self.home / unescape_path(written)


def lexically_absolute(path: Path) -> Path:
    """Absolute and without ``..``, links as they are: a linked folder keeps the name the user gave."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def escape_path(path: str) -> str:
    r"""Bytes that are not UTF-8 become ``\xNN``, so that the path can be printed and put in JSON."""
    literal = _ESCAPED.sub(lambda m: r"\x5cx" + m[1], path)
    return _SURROGATE.sub(lambda m: rf"\x{ord(m[0]) - 0xDC00:02x}", literal)


def unescape_path(written: str) -> str:
    """The inverse of `escape_path`, fit for ``open``."""
    return _ESCAPED.sub(_byte, written)


def _byte(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code < 0x80 else chr(0xDC00 + code)


def find(explicit: Path | None = None) -> Location:
    """The KB named by ``--kb`` or ``TESELA_KB``, else the first found by walking up like git does.

    Raises:
        UsageError: there is none; the message says how to make one.
    """
    named = explicit or (Path(os.environ["TESELA_KB"]) if os.environ.get("TESELA_KB") else None)
    if named is not None:
        return _named(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / KB_FOLDER).is_dir():
            return Location(folder / KB_FOLDER)
    raise UsageError(
        f"no knowledge base here or above {here}: run 'tesela init', "
        "or name one with --kb DIR or TESELA_KB"
    )


def _named(named: Path) -> Location:
    location = at(named)
    if named.is_file():
        raise UsageError(
            f"{named} is a file: name the folder that holds {KB_FOLDER}, or that itself"
        )
    if not location.folder.is_dir():
        raise UsageError(f"no knowledge base at {named}: run 'tesela init {named}'")
    return location


def at(path: Path) -> Location:
    """The KB of a folder, whether it is there yet or not; `path` may be the ``.tesela`` itself."""
    absolute = lexically_absolute(path)
    return Location(absolute if absolute.name == KB_FOLDER else absolute / KB_FOLDER)
