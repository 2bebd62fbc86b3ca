"""All checks, by name, in the order they are made: add a line to add one."""

from collections.abc import Iterator, Mapping

from index.health import content, files, parts
from index.health.base import Check, Checkup, Finding, Remedy
from kb.errors import TeselaError

CHECKS: Mapping[str, Check] = {
    "settings": parts.settings,
    "lock": files.lock,
    "store": files.store,
    "cache": files.cache,
    "current": files.current,
    "files": files.files,
    "rows": content.rows,
    "derived": content.derived,
    "vectors": content.vectors,
    "chunks": content.chunks,
    "slices": content.slices,
    "supersedes": content.supersedes,
    "model": parts.model,
    "reranker": parts.reranker,
    "engine": parts.engine,
    "extras": parts.extras,
    "ocr": parts.ocr,
    "old generations": files.old_generations,
    "leftovers": files.leftovers,
    "room": files.room,
}


def examine(checkup: Checkup) -> Iterator[tuple[str, Finding]]:
    """Everything that is found, with the name of the check that found it."""
    for name, check in CHECKS.items():
        try:
            for finding in check(checkup):
                yield name, finding
        except TeselaError as error:
            yield name, Finding(str(error), "do as it says")
        except (OSError, ValueError, IndexError) as error:  # of a file that says what cannot be
            yield name, Finding(f"cannot be checked: {error}", files.FIX, Remedy.BUILD)
