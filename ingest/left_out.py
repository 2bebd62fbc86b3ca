"""Which rule leaves a file out of a source, for people who miss it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from ingest.ignore import IGNORE_FILES, SourceGlobs, read_spec
from kb.location import lexically_absolute
from kb.settings import ScanSettings
from kb.store import SourceRow


@dataclass(frozen=True, slots=True)
class _Said:
    """An ignore file and the folder it stands in, from the source's root, with a slash at its end."""

    file: Path
    folder: str
    spec: GitIgnoreSpec


def left_out_by(root: Path, path: Path, settings: ScanSettings, source: SourceRow) -> str:
    """What leaves a file out, in words; "" where no rule does.

    Args:
        root: of the source the file lies in.
        path: of the file.
        settings: of the scan.
        source: whose globs hold.

    Raises:
        OSError: an ignore file on the way cannot be read.
    """
    parts = lexically_absolute(path).relative_to(lexically_absolute(root)).parts
    said: list[_Said] = []
    for number, name in enumerate(parts):
        folder = "".join(f"{part}/" for part in parts[:number])
        if name.startswith(".") and not settings.hidden:
            return f"{folder}{name} is hidden, and scan.hidden is false"
        said = [*_in_folder(root, folder), *said]
        within = folder + name + ("/" if number + 1 < len(parts) else "")
        reason = _by_globs(within, source) or _by_files(within, said)
        if reason:
            return reason
    return ""


def _in_folder(root: Path, folder: str) -> Iterator[_Said]:
    for name in IGNORE_FILES:
        file = root / folder / name
        if file.is_file():
            yield _Said(file, folder, read_spec(file))


def _by_globs(path: str, source: SourceRow) -> str:
    globs = SourceGlobs.of(source.include, source.exclude)
    if globs.exclude.match_file(path):
        return f"the source {source.root} excludes {_pattern(globs.exclude, path)}"
    if globs.leave_out(path):
        return f"the source {source.root} includes only {', '.join(source.include)}"
    return ""


def _by_files(path: str, said: Sequence[_Said]) -> str:
    """As `ingest.ignore.IgnoreRules` decides: the stronger file first, in it the deepest that speaks."""
    for name in IGNORE_FILES:
        for one in said:
            if one.file.name != name:
                continue
            below = path[len(one.folder) :]
            include = one.spec.check_file(below).include
            if include:
                return f"{one.folder}{name} leaves it out by the line {_pattern(one.spec, below)}"
            if include is not None:
                return ""
    return ""


def _pattern(spec: GitIgnoreSpec, path: str) -> str:
    """The line that decided, as it is written."""
    number = spec.check_file(path).index
    return repr(str(getattr(list(spec.patterns)[number or 0], "pattern", "")))
