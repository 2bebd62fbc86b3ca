"""``tesela query``: ranked, cited hits."""

import sys
from typing import Annotated, Literal

import typer

from cli.answering import Request, answer
from cli.bundles import BundledCommand, with_bundles
from cli.expanding import ExpandOption, check_expand
from cli.filtering import FilterOptions
from cli.llm import LlmOptions
from cli.options import GenerationOption, KbOption, SetOption, plain_app
from cli.ranking import RankingOptions, sets_for
from cli.workspace import open_workspace
from kb.errors import UsageError

app = plain_app()


@app.command(cls=BundledCommand)
@with_bundles
def query(
    *,
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="[QUESTION]",
            help="What you look for; - reads it from stdin. "
            '"words in quotes" must follow each other in a hit, -word must not be in it.',
            show_default=False,
        ),
    ] = None,
    lex: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Words for the sparse leg alone, in place of QUESTION.",
            show_default=False,
        ),
    ] = None,
    vec: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="A sentence for the dense leg alone, in place of QUESTION.",
            show_default=False,
        ),
    ] = None,
    ranking: RankingOptions,
    expand: ExpandOption = None,
    narrow: FilterOptions,
    model: LlmOptions,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each hit came to its place.")
    ] = False,
    why_not: Annotated[
        str | None,
        typer.Option(
            "--why-not",
            metavar="PATH|ID",
            help="Say why this document or chunk is not among the hits, and what would bring it.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Literal["table", "json", "jsonl", "csv", "md", "paths", "trec"] | None,
        typer.Option(
            "--format",
            help="[default: table on a terminal, md elsewhere]",
            show_default=False,
        ),
    ] = None,
    docid: Annotated[
        Literal["path", "chunk"], typer.Option(help="What a line of --format trec names.")
    ] = "path",
    require_hits: Annotated[
        bool, typer.Option("--require-hits", help="Leave with exit code 7 when nothing is found.")
    ] = False,
    generation: GenerationOption = None,
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
    """Find the passages that answer a question.

    They come best first, each with file and line. In a whole sentence quotes name something: then
    they bind the sparse leg only.
    """
    if docid == "chunk" and form != "trec":
        raise UsageError(
            "--docid says what --format trec names: add --format trec, or leave it out"
        )
    if why_not is not None and not why_not.strip():
        raise UsageError("--why-not is given and empty: name a file, or the id of a chunk")
    check_expand(expand, form, ("paths", "trec"))
    flags = ranking.flags() | narrow.flags() | model.flags() | {"query.expand": expand}
    workspace = open_workspace(kb, flags, sets_for(form, sets))
    ranking.insist(workspace.settings.query)
    model.insist(workspace.settings)
    text = _stdin() if question == "-" else question
    chosen = narrow.filter(workspace.settings)
    answer(
        workspace,
        Request(
            _clean(text),
            chosen,
            lex=_clean(lex),
            vec=_clean(vec),
            explain=explain,
            form=form,
            docid=docid,
            require_hits=require_hits,
            generation=generation,
            fresh=fresh,
            why_not=why_not,
            keep=True,
            plan=model.plan(),
        ),
    )


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def _clean(text: str | None) -> str:
    """What is no UTF-8 in an argument comes as lone surrogates, which no tokenizer takes."""
    return (text or "").encode("utf-8", "replace").decode().strip()
