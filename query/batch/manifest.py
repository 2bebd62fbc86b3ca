"""What a batch ran on, beside its results: enough to go on with it, and to get it again."""

import os
from importlib.metadata import version
from pathlib import Path

import msgspec

from index.reader import GenerationReader
from kb.digest import digest, sha256_file
from kb.errors import UsageError

VERSION = 1


class Counts(msgspec.Struct, kw_only=True):
    """Lines read, and what came of them."""

    questions: int = 0
    answered: int = 0
    failed: int = 0
    hits: int = 0


class Time(msgspec.Struct, frozen=True, kw_only=True):
    """The only part that two equal runs do not share; of the last run where there were several."""

    started: str  # ISO 8601, UTC
    seconds: float


class BatchManifest(msgspec.Struct, kw_only=True):
    """Written when a run begins and again when it ends."""

    version: int = VERSION
    tesela: str
    queries: str  # SHA-256 of the file; "" for stdin
    generation: int
    index: str  # digest of what the generation was made from
    model: str
    settings: str  # digest of the settings of lines that say nothing else
    format: str
    finished: bool = False
    counts: Counts | None = None
    time: Time | None = None


# What must be the same for a run to go on, and what it is called.
_SAME = {
    "queries": "the questions have changed",
    "generation": "the index is of another generation",
    "index": "the index was made anew",
    "model": "the model is another one",
    "settings": "the settings are others",
    "format": "the format is another one",
    "tesela": "the version of tesela is another one",
}


def describe(
    reader: GenerationReader, queries: Path | None, settings: bytes, form: str
) -> BatchManifest:
    """The manifest of a run that begins; `queries` None for stdin."""
    made_from = msgspec.json.encode(reader.manifest.components, order="sorted")
    return BatchManifest(
        tesela=version("tesela"),
        queries=sha256_file(queries) if queries else "",
        generation=reader.manifest.number,
        index=digest(made_from),
        model=reader.manifest.embedder,
        settings=digest(settings),
        format=form,
    )


def place(results: Path) -> Path:
    """Where the manifest of a results file lies."""
    return results.with_name(f"{results.name}.manifest.json")


def write(results: Path, manifest: BatchManifest) -> None:
    """Put the manifest beside the results, in one step."""
    path = place(results)
    temporary = path.with_name(f"{path.name}.tmp")
    with temporary.open("wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(path)


def check_same(results: Path, now: BatchManifest) -> None:
    """See that a run can go on where the one behind the manifest stopped.

    Raises:
        UsageError: it cannot; the message says why.
    """
    path = place(results)
    try:
        before = msgspec.json.decode(path.read_bytes(), type=BatchManifest)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(
            f"{results} cannot be gone on with, its manifest {path.name} cannot be read ({error}): "
            "leave out --resume to begin anew"
        ) from error
    for name, what in _SAME.items():
        then, new = getattr(before, name), getattr(now, name)
        if then != new:
            raise UsageError(
                f"{results} cannot be gone on with, {what} ({name} {then} then, {new} now): "
                "leave out --resume to begin anew"
            )
