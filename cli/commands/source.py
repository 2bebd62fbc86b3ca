"""``tesela source``: the folders that are followed."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.durations import parse_wait
from cli.options import KbOption, WaitOption, given_path, plain_app
from cli.workspace import looking, open_workspace, writing
from kb.errors import UsageError
from kb.location import Location, lexically_absolute

if TYPE_CHECKING:
    from kb.store import SourceRow

app = plain_app()


@app.callback()
def source() -> None:
    """Say which folders are followed."""


@app.command()
def add(
    folder: Annotated[
        Path, typer.Argument(parser=given_path, metavar="DIR", help="A folder, or a single file.")
    ],
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="Only files that match, like a line of .gitignore, e.g. '*.md'; may be repeated.",
            show_default=False,
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="No files or folders that match, e.g. 'drafts/'; stronger than --include.",
            show_default=False,
        ),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAG",
            help="Kept with the source, for 'tesela query --tag'; may be repeated.",
            show_default=False,
        ),
    ] = None,
    kb: KbOption = None,
    wait: WaitOption = None,
) -> None:
    """Follow a folder from the next sync on.

    A folder that is followed already gets the rules that are given, in place of those it had. A
    folder inside a source becomes a source of its own: a file belongs to the innermost.
    """
    from ingest.ignore import SourceGlobs
    from ingest.survey import check_place, own_name
    from kb.store import SourceRow

    check_place(lexically_absolute(folder))
    SourceGlobs.of(include or (), exclude or ())
    location = (workspace := open_workspace(kb)).location
    tags = _tags(tag or [])
    with writing(workspace, parse_wait(wait)) as store:
        sources = {known.root: known for known in store.sources()}
        path = own_name(location, sources.values(), folder)
        row = SourceRow(location.written(path), tuple(include or ()), tuple(exclude or ()), tags)
        known = sources.get(row.root)
        if known is not None and row in (known, SourceRow(row.root)):
            say.note(f"already followed: {_described(known)}")
            return
        store.put_source(row)
    for other in sources:
        if other != row.root and _nested(location, row.root, other):
            say.note(f"{_inner(location, row.root, other)} keeps its own files and rules")
    say.note(f"{'followed' if known is None else 'changed'}: {_described(row)}; next: tesela sync")


@app.command("list")
def list_sources(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
) -> None:
    """List the sources.

    Each with its rules, its tags, and how many of its documents are indexed.
    """
    with looking(open_workspace(kb)) as store:
        counts = Counter(row.source for row in store.files() if row.parse_key)
        sources = store.sources()
    if form == "json":
        say.data_json(
            [
                {
                    "root": row.root,
                    "include": list(row.include),
                    "exclude": list(row.exclude),
                    "tags": list(row.tags),
                    "documents": counts[row.root],
                }
                for row in sources
            ]
        )
        return
    for row in sources:
        say.data(f"{_described(row)}: {say.count(counts[row.root], 'document')}")
    if not sources:
        say.note("nothing is followed yet: tesela source add DIR")


@app.command()
def remove(
    folder: Annotated[
        Path, typer.Argument(parser=given_path, metavar="DIR", help="As 'tesela source list' says.")
    ],
    kb: KbOption = None,
    wait: WaitOption = None,
) -> None:
    """Follow a folder no longer.

    Its documents leave with the next sync.
    """
    workspace = open_workspace(kb)
    with writing(workspace, parse_wait(wait)) as store:
        roots = [row.root for row in store.sources()]
        root = next(
            (name for name in (workspace.location.written(folder), str(folder)) if name in roots),
            None,
        )
        if root is None:
            there = ", ".join(roots) or "none"
            raise UsageError(f"{folder} is no source; there are: {there}")
        store.remove_source(root)
        documents = sum(row.source == root and bool(row.parse_key) for row in store.files())
        here = workspace.location.absolute(root)
        outer = [
            row.root
            for row in store.sources()
            if here.is_relative_to(workspace.location.absolute(row.root))
        ]
    its = f"its {say.count(documents, 'document')}"
    verb = "leaves" if documents == 1 else "leave"
    what = f"{its} {verb} with the next sync"
    if outer:  # the innermost of those that are left
        takes = max(outer, key=lambda name: len(workspace.location.absolute(name).parts))
        what = f"with the next sync the rules of {takes} decide on {its}"
    say.note(f"no longer followed: {root}; {what}")


def _tags(given: list[str]) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(tag.strip() for tag in given))
    if not all(tags):
        raise UsageError("--tag: a tag has at least one letter")
    return tags


def _nested(location: Location, one: str, other: str) -> bool:
    a, b = location.absolute(one), location.absolute(other)
    return a.is_relative_to(b) or b.is_relative_to(a)


def _inner(location: Location, one: str, other: str) -> str:
    return max(one, other, key=lambda root: len(location.absolute(root).parts))


def _described(row: "SourceRow") -> str:
    parts = [row.root]
    for name, values in (("include", row.include), ("exclude", row.exclude), ("tags", row.tags)):
        if values:
            parts.append(f"({name} {', '.join(values)})")
    return " ".join(parts)
