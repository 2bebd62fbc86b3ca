"""``tesela query``: ranked, cited hits."""

import sys
from typing import Annotated, Literal

import typer

from cli.options import KbOption, SetOption, choices, plain_app
from cli.workspace import Workspace, open_workspace

app = plain_app()


@app.command()
def query(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What you look for; - reads it from stdin.")
    ],
    k: Annotated[
        int | None, typer.Option("-k", help="How many hits. [default: 10]", show_default=False)
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="dense|sparse|hybrid",
            help="Meaning, words, or both. [default: hybrid]",
            show_default=False,
        ),
    ] = None,
    fusion: Annotated[
        str | None,
        typer.Option(
            metavar=choices("fusion"),
            help="How hybrid merges its legs. [default: auto]",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            help="Dense share in weighted fusion, 0 to 1. [default: 0.65]", show_default=False
        ),
    ] = None,
    rerank: Annotated[
        str | None,
        typer.Option(
            metavar=choices("reranker"),
            help="Second look at the best hits. [default: maxsim]",
            show_default=False,
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="Only files that match, like a line of .gitignore; may be repeated.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each hit came to its place.")
    ] = False,
    form: Annotated[
        Literal["table", "json", "jsonl", "csv", "md", "paths"] | None,
        typer.Option(
            "--format",
            help="[default: table on a terminal, md elsewhere]",
            show_default=False,
        ),
    ] = None,
    require_hits: Annotated[
        bool, typer.Option("--require-hits", help="Leave with exit code 7 when nothing is found.")
    ] = False,
    fresh: Annotated[
        Literal["mark", "drop", "fail"],
        typer.Option(
            help="Hits whose file changed or went since it was indexed: mark them, leave them out, "
            "or leave with exit code 3 and list them."
        ),
    ] = "mark",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Find the passages that answer QUESTION, best first, each with file and line."""
    flags = {
        "query.k": k,
        "query.mode": mode,
        "query.fusion": fusion,
        "query.alpha": alpha,
        "query.rerank": rerank,
    }
    workspace = open_workspace(kb, flags, sets)
    text = _stdin() if question == "-" else question
    # What is no UTF-8 in an argument comes as lone surrogates, which no tokenizer takes.
    text = text.encode("utf-8", "replace").decode()
    answer(workspace, text.strip(), path or [], explain, form, require_hits, fresh)


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def answer(
    workspace: Workspace,
    text: str,
    globs: list[str],
    explain: bool,
    form: str | None,
    require_hits: bool,
    fresh: str = "mark",
) -> None:
    """Search and print."""
    from cli import freshness, say
    from cli.hits import FORMATTERS
    from index.reader import GenerationReader
    from kb.digest import digest_settings
    from kb.errors import NoHits
    from query.filter import rows_of_paths
    from query.fresh import FreshnessCheck
    from query.pipeline import Searcher, needs_embedder
    from query.results import Results

    settings = workspace.settings
    if needs_embedder(settings.query):
        workspace.embedder.preload()
    reader = GenerationReader.open(workspace.location, settings.bm25)
    searcher = Searcher(reader, settings.query, lambda: workspace.embedder)
    check = FreshnessCheck(workspace.location)
    wanted = check.is_fresh if fresh == "drop" else None
    with reader.blaming_damage():
        found = searcher.search(text, rows_of_paths(reader, globs), explain, wanted)
    for warning in reader.warnings:
        say.note(f"warning: {warning}")
    hits = check.marked(found)
    if fresh == "fail":
        freshness.require(check, hits)
    results = Results(text, reader.manifest.number, digest_settings(settings.query), hits)
    chosen = form or ("table" if sys.stdout.isatty() else "md")
    FORMATTERS[chosen](results, workspace.location)
    freshness.footer(check)
    if hits:
        return
    why = _why_nothing(len(reader), globs)
    if require_hits:
        raise NoHits(why)
    say.note(why)


def _why_nothing(chunks: int, globs: list[str]) -> str:
    if chunks == 0:
        return "no hits: the knowledge base is empty"
    return f"no hits in the files that match {' '.join(globs)}" if globs else "no hits"
