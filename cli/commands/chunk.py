"""``tesela chunk``: cut documents, and look at the cuts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.durations import parse_wait
from cli.options import KbOption, SetOption, WaitOption, choices, plain_app
from cli.progress import progress
from cli.workspace import (
    Workspace,
    keep,
    location_if_any,
    open_workspace,
    settings_of,
    writing,
)
from kb.configure import parse_value
from kb.errors import UsageError
from kb.location import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb.records import Chunk

app = plain_app()


@app.command()
def chunk(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A file whose cuts are printed; without it the knowledge base is cut anew.",
            show_default=False,
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            metavar=choices("chunker"),
            help="Where to cut. [default: recursive]",
            show_default=False,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Most tokens of a chunk. [default: 256]", show_default=False
        ),
    ] = None,
    overlap: Annotated[
        str | None,
        typer.Option(
            metavar="N|N%",
            help="Tokens, or a share such as 15%, that a chunk repeats of the one before. "
            "[default: 0]",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Literal["text", "json", "jsonl"] | None,
        typer.Option(
            "--format",
            help="[default: text on a terminal, jsonl elsewhere]",
            show_default=False,
        ),
    ] = None,
    llm_tokens: Annotated[
        bool,
        typer.Option("--llm-tokens", help="Count in o200k_base, as LLM budgets do, as well."),
    ] = False,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Cut documents into chunks.

    With FILE the cuts are printed and nothing is stored. Without, the documents of the knowledge base
    are cut, and the flags are kept for later runs.
    """
    flags = {
        "chunk.strategy": strategy,
        "chunk.size": size,
        "chunk.overlap": None if overlap is None else parse_value(overlap),
    }
    if file is not None:
        location = location_if_any(kb)
        workspace = Workspace(location or Location(Path()), settings_of(location, flags, sets))
        _print(_cut_file(workspace, file), form, llm_tokens)
        return
    if form or llm_tokens:
        raise UsageError("--format and --llm-tokens go with a FILE to print")
    _cut_kb(open_workspace(kb, flags, sets), flags, parse_wait(wait))


def _cut_kb(workspace: Workspace, flags: dict[str, Any], wait_seconds: float) -> None:
    from ingest.pipeline import check_window, chunk_documents

    embedder = workspace.embedder
    # before the flags are kept: with a size over the window no later run could begin
    check_window(workspace.settings, embedder)
    with writing(workspace, wait_seconds) as store, progress() as advance:
        keep(workspace, flags)
        done = chunk_documents(store, workspace.settings, embedder, advance).cut
        total = sum(1 for r in store.files() if r.chunk_key for _ in store.chunks(r.chunk_key))
    say.note(
        f"{say.count(done, 'document')} cut, {say.count(total, 'chunk')} in all; next: tesela index"
    )


def _cut_file(workspace: Workspace, file: Path) -> "Sequence[Chunk]":
    from ingest.pipeline import cut_document
    from ingest.read import read_parts

    parts = read_parts(file, workspace.settings.parse)
    return cut_document(parts, workspace.settings, workspace.embedder)


def _print(chunks: "Sequence[Chunk]", form: str | None, llm_tokens: bool) -> None:
    records = [_record(number, c, llm_tokens) for number, c in enumerate(chunks, 1)]
    chosen = form or ("text" if sys.stdout.isatty() else "jsonl")
    if chosen == "json":
        say.data_json(records)
    elif chosen == "jsonl":
        say.data_jsonl(records)
    else:
        _print_cuts(records)


def _record(number: int, chunk: "Chunk", llm_tokens: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "chunk": number,
        "tokens": chunk.tokens,
        "span": [chunk.start, chunk.end],
        "lines": list(chunk.lines) if chunk.lines else None,
        "pages": list(chunk.pages) if chunk.pages else None,
        "heading": list(chunk.heading),
        "language": chunk.language,
        "kinds": list(chunk.kinds),
        "text": chunk.text,
    }
    if llm_tokens:
        from kb.models.llm_tokens import count_llm_tokens

        record["llm_tokens"] = count_llm_tokens(chunk.text)
    return record


def _print_cuts(records: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.rule import Rule
    from rich.text import Text

    console = Console(highlight=False)
    for record in records:
        place = record["lines"] or record["pages"]
        kind = "lines" if record["lines"] else "pages"
        title = Text(f"{record['chunk']} · {record['tokens']} tokens")
        if "llm_tokens" in record:
            title.append(f" · {record['llm_tokens']} o200k_base")
        title.append(f" · {kind} {place[0]}-{place[1]}" if place else "")
        console.print(Rule(title, style="cyan", align="left"))
        console.print(Text(record["text"]), soft_wrap=True)
    say.note(say.count(len(records), "chunk"))
