"""What a run looks at: the sources, or the parts of them, that it was asked for."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ingest.guard import Limit
from ingest.scan import Skipped, scan
from ingest.sidecar import candidates
from kb.errors import UsageError
from kb.location import KB_FOLDER, Location, lexically_absolute
from kb.records import SourceFile
from kb.settings import ScanSettings
from kb.store import FileRow, SourceRow


@dataclass(frozen=True, slots=True)
class Request:
    """What a run is asked to do."""

    paths: tuple[Path, ...] | None = None  # None: all sources; a path of no source becomes one
    verify: bool = False  # hash every file
    retry: bool = False  # try what failed again
    limit: Limit | None = None  # how much may go; None: everything


@dataclass(slots=True)
class Survey:
    """What the sources hold now, and which known files that says something about."""

    sources: list[SourceRow] = field(default_factory=list)
    new_sources: list[SourceRow] = field(default_factory=list)
    found: list[SourceFile | Skipped] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)  # roots that are not there
    prefixes: list[str] | None = None  # written paths that were looked under; None: everywhere

    def covers(self, row: FileRow) -> bool:
        """Whether a known file that was not found is gone, as far as its path tells.

        What belongs to no source any more is gone wherever it lies.
        """
        if self.prefixes is None or any(_under(row.path, prefix) for prefix in self.prefixes):
            return True
        return not any(_under(row.path, source.root) for source in self.sources)


def survey(
    location: Location,
    sources: Iterable[SourceRow],
    known: Iterable[str],
    settings: ScanSettings,
    paths: Iterable[Path] | None = None,
) -> Survey:
    """Scan all sources, or what lies under `paths`; a file belongs to the innermost source.

    Args:
        location: of the KB.
        sources: that are followed.
        known: written paths of the files that have a document.
        settings: for the scan.
        paths: a path that lies in no source becomes one; those in a source stay its parts.

    Raises:
        UsageError: a path is not there and never was, or lies in a KB's own folder.
    """
    result = Survey(list(sources))
    if paths is None:
        walks = [(row, location.absolute(row.root)) for row in result.sources]
    else:
        walks = _walks_of(location, result, set(known), list(paths))
        looked_at = [location.written(start) for _, start in walks]
        result.prefixes = [p for path in looked_at for p in (path, *candidates(path))]
    roots = [location.absolute(row.root) for row in result.sources]
    for row, start in walks:
        root = location.absolute(row.root)
        if not os.path.exists(root):  # noqa: PTH110  (a Path's own raises where a folder is closed)
            result.missing.add(row.root)
            result.found.append(Skipped(row.root, "it is not there", source=row.root))
            continue
        others = [other for other in roots if other != root]
        result.found += scan(root, location, settings, row, start, others)
    return result


def innermost(location: Location, sources: Iterable[SourceRow], path: Path) -> SourceRow | None:
    """The source that a file at `path` belongs to."""
    written = location.written(path)
    absolute = lexically_absolute(path)
    around = [
        row
        for row in sources
        if row.root == written or absolute.is_relative_to(location.absolute(row.root))
    ]
    return max(around, key=lambda row: len(location.absolute(row.root).parts), default=None)


def own_name(location: Location, sources: Iterable[SourceRow], path: Path) -> Path:
    """`path` as the source it lies in names it, where a link leads there by another name.

    Without this ``sync /link/docs`` would follow every file of ``docs`` a second time.
    """
    rows = list(sources)
    absolute = lexically_absolute(path)
    if innermost(location, rows, absolute) is not None:
        return absolute
    real = Path(os.path.realpath(absolute))
    for row in rows:
        root = location.absolute(row.root)
        if real.is_relative_to(real_root := Path(os.path.realpath(root))):
            named = root / real.relative_to(real_root)
            return named if os.path.realpath(named) == str(real) else absolute
    return absolute


def check_place(path: Path) -> None:
    """See that a path can be followed.

    Raises:
        UsageError: it lies in a KB's own folder, or is not there.
    """
    if KB_FOLDER in path.parts:
        raise UsageError(f"{path} is part of a knowledge base and never a document")
    if not path.exists():
        raise UsageError(f"{path} does not exist")


def _walks_of(
    location: Location, result: Survey, known: set[str], paths: list[Path]
) -> list[tuple[SourceRow, Path]]:
    paths = [own_name(location, result.sources, path) for path in paths]
    for path in paths:
        written = location.written(path)
        owned = innermost(location, result.sources, path) is not None
        if not owned or not any(_under(k, written) for k in known):
            check_place(path)
    walks: dict[Path, SourceRow] = {}
    for path in paths:
        owner = innermost(location, result.sources, path)
        if owner is None:
            owner = SourceRow(location.written(path))
            result.sources.append(owner)
            result.new_sources.append(owner)
        walks[path] = owner
        for row in result.sources:  # those nested in it
            if location.absolute(row.root).is_relative_to(path):
                walks[location.absolute(row.root)] = row
    return [
        (row, start)
        for start, row in walks.items()
        if not any(walks[above] == row for above in start.parents if above in walks)
    ]


def _under(path: str, prefix: str) -> bool:
    """Of written paths; ``.`` is the folder that holds the KB, which absolute paths lie outside of."""
    if prefix == ".":
        return not path.startswith("/")
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")
