"""``tesela ask``: an answer with citations."""

import sys
from dataclasses import replace
from typing import Annotated, Literal

import typer

from cli.answering import Request
from cli.ask_folder import folder_workspace, split_arguments, within
from cli.asking import answer
from cli.bundles import BundledCommand, with_bundles
from cli.expanding import ExpandOption
from cli.filtering import FilterOptions
from cli.llm import LlmOptions
from cli.options import GenerationOption, KbOption, SetOption, plain_app
from cli.ranking import RankingOptions
from cli.workspace import open_workspace
from kb.errors import UsageError

app = plain_app()


@app.command(cls=BundledCommand)
@with_bundles
def ask(
    *,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[DIR] QUESTION",
            help="What you want to know; - reads it from stdin. With DIR, what is in that folder is "
            "read first, or what changed there.",
            show_default=False,
        ),
    ],
    quote: Annotated[
        bool,
        typer.Option(
            "--quote", help="The sources' own sentences, word for word, also where an LLM is set."
        ),
    ] = False,
    ranking: RankingOptions,
    expand: ExpandOption = None,
    narrow: FilterOptions,
    model: LlmOptions,
    form: Annotated[
        Literal["text", "md", "json"] | None,
        typer.Option(
            "--format", help="[default: text on a terminal, md elsewhere]", show_default=False
        ),
    ] = None,
    require_hits: Annotated[
        bool,
        typer.Option("--require-hits", help="Leave with exit code 7 when nothing answers."),
    ] = False,
    generation: GenerationOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Answer a question, with citations.

    In an LLM's words where one is set (--llm URL --llm-model NAME), each sentence checked against what
    it cites; otherwise in the sources' own sentences. Says so where they do not answer.
    """
    folder, text = split_arguments(words)
    flags = ranking.flags() | narrow.flags() | model.flags() | {"query.expand": expand}
    if folder is not None:
        if kb is not None or generation is not None or model.dry_run:
            raise UsageError(
                "with DIR that folder's own knowledge base is brought up to date and asked: neither "
                "--kb, --generation nor --dry-run goes with it"
            )
        workspace, code = folder_workspace(folder, flags, sets)
        narrow = replace(narrow, path=narrow.path or within(folder, workspace.location))
    else:
        workspace, code = open_workspace(kb, flags, sets), 0
    ranking.insist(workspace.settings.query)
    if not workspace.settings.llm.url:
        model.insist(workspace.settings)
    answer(
        workspace,
        Request(
            _clean(sys.stdin.buffer.read().decode("utf-8-sig", "replace") if text == "-" else text),
            narrow.filter(workspace.settings),
            form=form,
            require_hits=require_hits,
            generation=generation,
            keep=True,
            plan=model.plan(),
        ),
        quote,
    )
    raise typer.Exit(code)


def _clean(text: str) -> str:
    """What is no UTF-8 in an argument comes as lone surrogates, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode().strip()
