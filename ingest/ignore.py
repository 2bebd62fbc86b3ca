"""Which files ``.teselaignore``, ``.gitignore`` and a source's own globs leave out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from kb.errors import UsageError

IGNORE_FILES = (".teselaignore", ".gitignore")  # the stronger first


@dataclass(frozen=True, slots=True)
class _Layer:
    """One ignore file; what it says holds for paths below its own folder."""

    depth: int  # characters of that folder's path, from the source's root, with its slash
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files met on the way from a source's root down to a folder."""

    layers: tuple[tuple[_Layer, ...], ...] = ((),) * len(
        IGNORE_FILES
    )  # deepest first, as the files

    def entering(self, folder: str, relative: str, names: Iterable[str]) -> "IgnoreRules":
        """The rules in a folder.

        Args:
            folder: to open it by.
            relative: its path from the source's root, with a slash at its end, "" for the root.
            names: of what lies in it.

        Raises:
            OSError: an ignore file cannot be read, so that nobody knows what it leaves out.
        """
        there = set(IGNORE_FILES).intersection(names)
        if not there:
            return self
        return IgnoreRules(
            tuple(
                (_Layer(len(relative), read_spec(Path(folder, name))), *layers)
                if name in there
                else layers
                for name, layers in zip(IGNORE_FILES, self.layers, strict=True)
            )
        )

    def leave_out(self, path: str) -> bool:
        """Whether a path from the source's root is ignored; a folder's ends in a slash.

        As in git, the deepest ignore file that says anything decides, in it the last line, and
        nothing below an ignored folder is looked at. A ``.teselaignore`` decides before any
        ``.gitignore``, so that ``!notes/`` takes in what git is told to leave.
        """
        for layers in self.layers:
            for layer in layers:
                said = layer.spec.check_file(path[layer.depth :]).include
                if said is not None:
                    return said
        return False


@dataclass(frozen=True, slots=True)
class SourceGlobs:
    """``--include`` and ``--exclude`` of a source, read like lines of a .gitignore at its root."""

    include: GitIgnoreSpec | None  # None: everything
    exclude: GitIgnoreSpec

    @classmethod
    def of(cls, include: Sequence[str], exclude: Sequence[str]) -> "SourceGlobs":
        """From the globs as they are stored.

        Raises:
            UsageError: a glob that cannot be read, or that begins with ``!``.
        """
        return cls(_globs(include) if include else None, _globs(exclude))

    def leave_out(self, path: str) -> bool:
        """Whether a file or folder (with a slash at its end) is not taken; exclude is the stronger."""
        if self.exclude.match_file(path):
            return True
        return self.include is not None and path[-1:] != "/" and not self.include.match_file(path)


def read_spec(file: Path) -> GitIgnoreSpec:
    """An ignore file's rules; as in git, a line that is no pattern says nothing."""
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    lines = text.splitlines()
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _readable(line))


def _readable(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _globs(globs: Sequence[str]) -> GitIgnoreSpec:
    for glob in globs:
        if not _readable(glob) or not glob.strip() or glob[0] in "!#":
            raise UsageError(f"{glob!r} is no glob: write *.md, drafts/ or reports/**/*.pdf")
    return GitIgnoreSpec.from_lines(globs)
