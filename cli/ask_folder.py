"""``tesela ask DIR``: a folder's own knowledge base, made where there is none, brought up to date."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cli import ran, say
from cli.following import run_sync
from cli.runlog import RunLog
from cli.workspace import Workspace, looking, open_workspace
from kb import generations
from kb.configure import load_settings, save_settings
from kb.errors import Locked, UsageError
from kb.location import KB_FOLDER, Location, at

_SPECIAL = re.compile(r"[\\*?\[\]!#]")  # in a line of a .gitignore


def split_arguments(words: Sequence[str]) -> tuple[Path | None, str]:
    """Folder (or None) and question.

    Raises:
        UsageError: there are too many, the first of two is no folder, or the only one is.
    """
    if len(words) == 1:
        if words[0] and Path(words[0]).is_dir():
            raise UsageError(
                f"{words[0]} is a folder: what do you want to know of it? Add a question"
            )
        return None, words[0]
    if len(words) > 2:
        raise UsageError(
            f"one question, or a folder and a question, not {len(words)} arguments: put the question "
            "in quotes"
        )
    if not Path(words[0]).is_dir():
        raise UsageError(
            f"{words[0]!r} is no folder: put the whole question in quotes; DIR comes before it"
        )
    return Path(words[0]), words[1]


def folder_workspace(
    folder: Path, flags: Mapping[str, Any], sets: list[str] | None
) -> tuple[Workspace, int]:
    """The knowledge base of a folder, up to date, and the exit code of what was read.

    One that lies above and follows the folder already is taken; see `within`.

    Raises:
        TeselaError: as of a sync; where another writer is at work, what there is answers.
    """
    from ingest.survey import Request as Following

    location = _there(folder) or _made(folder)
    workspace = open_workspace(location.folder, flags, sets)
    paths = None if _follows(workspace) else (folder,)
    try:
        report = run_sync(open_workspace(location.folder), Following(paths), 0.0, RunLog(), {})
    except Locked:
        if generations.current_number(location) is None:
            raise
        say.note("another run is at work on it: the answer is from before")
        return workspace, 0
    if report is None:
        return workspace, 0
    if report.build.published:
        say.note(f"{ran.read_summary(report.read)}; {ran.build_summary(report.build)}")
    ran.tell_files(report.read, RunLog())
    workspace.reload()
    return workspace, 3 if report.read.failed else 0


def within(folder: Path, location: Location) -> list[str] | None:
    """``--path`` for what is in the folder, where the knowledge base is that of a folder above it."""
    if at(folder).home == location.home:
        return None
    written = _SPECIAL.sub(r"\\\g<0>", location.written(folder))
    return [f"/{written}/"]


def _there(folder: Path) -> Location | None:
    own = at(folder)
    if own.folder.is_dir():
        return own
    for above in own.home.parents:
        location = at(above)
        if location.folder.is_dir() and location.folder.name == KB_FOLDER:
            return location if _covers(location, own.home) else None
    return None


def _covers(location: Location, folder: Path) -> bool:
    workspace = open_workspace(location.folder)
    with looking(workspace) as store:
        roots = [location.absolute(source.root) for source in store.sources()]
    return any(folder.is_relative_to(root) for root in roots)


def _made(folder: Path) -> Location:
    location = at(folder)
    load_settings()  # TESELA_* variables that do not hold are told before anything is made
    location.folder.mkdir(parents=True)
    save_settings(location.settings, {"preset": "default"})
    say.note(
        f"made: {location.folder}, which follows {folder}; once more, and only changes are read"
    )
    return location


def _follows(workspace: Workspace) -> bool:
    with looking(workspace) as store:
        return bool(store.sources())
