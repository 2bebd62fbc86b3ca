"""``tesela list``: the documents of the index."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.filtering import (
    AsOfOption,
    LanguageOption,
    PathOption,
    PrincipalOption,
    SinceOption,
    TagOption,
    TypeOption,
    UntilOption,
    WhereOption,
    filter_of,
)
from cli.options import GenerationOption, KbOption, plain_app
from cli.workspace import open_workspace

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.dates import Days
    from kb.records import Validity

app = plain_app()


@app.command()
def list_(
    path: PathOption = None,
    tag: TagOption = None,
    type_: TypeOption = None,
    language: LanguageOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    where: WhereOption = None,
    as_of: AsOfOption = None,
    form: Annotated[
        Literal["table", "json", "jsonl", "csv", "paths"] | None,
        typer.Option(
            "--format",
            help="[default: table on a terminal, paths elsewhere]",
            show_default=False,
        ),
    ] = None,
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """List the documents of the index.

    Also those that are expired, superseded or not yet valid, which say so.
    """
    from index.reader import GenerationReader
    from query.filter import documents

    workspace = open_workspace(kb)
    chosen = filter_of(
        workspace.settings,
        paths=path,
        tags=tag,
        types=type_,
        languages=language,
        since=since,
        until=until,
        where=where,
        as_of=as_of,
        principal=principal,
    )
    reader = GenerationReader.open(workspace.location, generation=generation)
    with reader.blaming_damage():
        found = [_facts(reader, *one) for one in documents(reader, chosen)]
    _print(form or ("table" if sys.stdout.isatty() else "paths"), found)
    say.note(
        f"{say.count(len(found), 'document')}, "
        f"{say.count(sum(one['chunks'] for one in found), 'chunk')}"
    )


def _facts(reader: "GenerationReader", number: int, validity: "Validity") -> dict[str, Any]:
    from index.fields import type_of
    from index.validity import document_days

    document = reader.chunks.documents[number]
    first, end = reader.chunks.rows(number)
    days = document_days(document)
    return {
        "path": document.path,
        "title": document.title,
        "type": type_of(document),
        "language": document.language,
        "date": None if days is None else _dated(days),
        "validity": validity,
        "tags": document.about.tags,
        "chunks": end - first,
        "parser": document.about.parser,
        "metadata": document.about.metadata,
    }


def _dated(days: "Days") -> str:
    """A day, or of a month or a year the first and the last."""
    first, last = days.first.isoformat(), days.last.isoformat()
    return first if first == last else f"{first}/{last}"


def _print(form: str, found: list[dict[str, Any]]) -> None:
    from cli import tables

    columns = [
        tables.Column("chunks", "chunks", lambda n: f"{n:,}"),
        tables.Column("language", "language", lambda name: str(name) or "-", left=True),
        tables.Column("date", "date", left=True),
        tables.Column("place", "path", left=True),
    ]
    if form == "json":
        say.data_json(found)
    elif form == "jsonl":
        say.data_jsonl(found)
    elif form == "csv":
        flat = [{k: v for k, v in one.items() if k != "metadata"} for one in found]
        tables.as_csv([{**one, "tags": ",".join(one["tags"])} for one in flat])
    elif form == "paths":
        for one in found:
            say.data(say.in_line(one["path"]))
    elif found:
        rows = [{**one, "place": _place(one)} for one in found]
        tables.aligned(columns, rows)


def _place(one: dict[str, Any]) -> str:
    """The path last, where it may be long; what is not valid says so behind it."""
    state = "" if one["validity"] == "valid" else f"  ({one['validity']})"
    return f"{one['path']}{state}"
