"""``tesela query``: ranked, cited hits."""

import sys
from typing import Annotated, Literal

import typer

from cli.answering import Request, answer
from cli.expanding import ExpandOption, check_expand
from cli.filtering import (
    AsOfOption,
    IncludeExpiredOption,
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
from cli.options import GenerationOption, KbOption, SetOption, choices, plain_app
from cli.workspace import open_workspace
from kb.errors import UsageError

app = plain_app()


@app.command()
def query(
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
    expand: ExpandOption = None,
    path: PathOption = None,
    tag: TagOption = None,
    type_: TypeOption = None,
    language: LanguageOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    where: WhereOption = None,
    as_of: AsOfOption = None,
    include_expired: IncludeExpiredOption = False,
    principal: PrincipalOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each hit came to its place.")
    ] = False,
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
    flags = {
        "query.k": k,
        "query.mode": mode,
        "query.fusion": fusion,
        "query.alpha": alpha,
        "query.rerank": rerank,
        "query.expand": expand,
        "query.include_expired": include_expired or None,
    }
    if docid == "chunk" and form != "trec":
        raise UsageError(
            "--docid says what --format trec names: add --format trec, or leave it out"
        )
    check_expand(expand, form, ("paths", "trec"))
    workspace = open_workspace(kb, flags, sets)
    text = _stdin() if question == "-" else question
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
            keep=True,
        ),
    )


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def _clean(text: str | None) -> str:
    """What is no UTF-8 in an argument comes as lone surrogates, which no tokenizer takes."""
    return (text or "").encode("utf-8", "replace").decode().strip()
