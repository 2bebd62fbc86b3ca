"""``tesela eval``: how good the answers are, and whether they stay so."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import say
from cli.bundles import BundledCommand, with_bundles
from cli.eval_running import Watch, check, cutoffs, leave, paired, show_run
from cli.evaluating import QuestionSetOptions, Wanted, evaluate, keep, prepare
from cli.filtering import FilterOptions
from cli.gating import judge
from cli.llm import ContextOptions, LlmOptions, asking, print_plan
from cli.options import GenerationOption, KbOption, SetOption, given_path, plain_app
from cli.ranking import RankingOptions
from cli.workspace import open_workspace
from kb.errors import UsageError

app = plain_app()
_Form = Literal["table", "json", "jsonl", "csv", "md", "trec"]


@app.callback()
def eval_() -> None:
    """Measure how good the answers are, and see that they stay so."""


@app.command(cls=BundledCommand)
@with_bundles
def run(
    *,
    which: QuestionSetOptions,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="K,K,…",
            help="How many hits the measures look at. [default: what -k says]",
            show_default=False,
        ),
    ] = None,
    legs: Annotated[
        bool,
        typer.Option("--legs/--no-legs", help="Also each leg alone, and both without rerank."),
    ] = True,
    details: Annotated[
        bool, typer.Option("--details", help="Also each question, and what it missed.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="RUN|FILE",
            help="Compare question by question with an earlier run (a number of 'tesela eval history', "
            "or last), a file of --format json, or a TREC run.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.svg|png",
            parser=given_path,
            help="Also draw the measures of each ranking.",
            show_default=False,
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also compare the values with those of ir-measures.")
    ] = False,
    keep_run: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Keep the run for 'tesela eval history'.")
    ] = True,
    ranking: RankingOptions,
    narrow: FilterOptions,
    model: LlmOptions,
    form: Annotated[
        _Form | None,
        typer.Option(
            "--format",
            help="jsonl: a line a question; trec: the run. [default: table on a terminal, md elsewhere]",
            show_default=False,
        ),
    ] = None,
    docid: Annotated[
        Literal["path", "chunk"], typer.Option(help="What a line of --format trec names.")
    ] = "path",
    generation: GenerationOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Ask the questions of a test set and score what comes back.

    hit@k: is any of what is relevant among the first k; recall@k: how much of it; failure: the share
    of questions with nothing relevant among the first 20; context precision: the share of the shown
    tokens that carry evidence.
    """
    from query.evaluate import measures

    form = form or ("table" if sys.stdout.isatty() else "md")
    check(plot, docid, form)
    workspace, testset, chosen = prepare(kb, which, ranking, narrow, model, sets)
    wanted = Wanted(
        workspace,
        testset,
        chosen,
        measures.usual(cutoffs(at) or [workspace.settings.query.k]),
        legs,
        generation,
        which.by_document,
    )
    plan = model.plan()
    watch = Watch(form, docid, verify)
    with asking(workspace, plan) as llm:
        ran = evaluate(wanted, llm, watch)
    if plan is not None:
        print_plan(plan, form)
        return
    earlier = paired(ran, against)
    if keep_run:
        keep(ran)
    show_run(ran, watch, form, earlier, details, plot)
    leave(ran)


@app.command(cls=BundledCommand)
@with_bundles
def gen(
    *,
    count: Annotated[
        int,
        typer.Option("-n", "--count", metavar="N", min=1, max=100_000, help="How many questions."),
    ] = 200,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Which ones.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FOLDER",
            parser=given_path,
            help="Where the test set goes. [default: kept in the knowledge base, for 'tesela eval run' and "
            "'tesela eval gate']",
            show_default=False,
        ),
    ] = None,
    narrow: FilterOptions,
    model: ContextOptions,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Make a test set from the documents themselves.

    Questions in Spanish or English, each with the span that answers it, a difficulty and a split.
    Without an LLM they are drawn from sentences: facts left out, phrases in another order and form.
    With --llm they are written for a passage and kept if the passage is found to answer them.
    """
    from cli.generating import Wish, generate

    flags = {**narrow.flags(), **model.named(), **model.caps()}
    workspace = open_workspace(kb, flags, sets)
    generate(workspace, Wish(count, seed, out, narrow.filter(workspace.settings), model, form))


@app.command(cls=BundledCommand)
@with_bundles
def gate(
    *,
    which: QuestionSetOptions,
    least: Annotated[
        list[str] | None,
        typer.Option(
            "--min",
            metavar="MEASURE=X",
            help="What a mean has to reach, e.g. recall@10=0.85; failure=0.1 is the most it may be; may "
            "be repeated.",
            show_default=False,
        ),
    ] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[MEASURE=]X",
            help="How much worse than the last run on the same questions that passed, e.g. 0.02 for "
            "every measure; may be repeated.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        int | None,
        typer.Option(
            metavar="RUN",
            min=1,
            help="The run that --max-drop compares with: one that stays, so that many small drops add up.",
            show_default=False,
        ),
    ] = None,
    show: Annotated[
        int, typer.Option(metavar="N", min=0, max=1000, help="How many of the questions that fell.")
    ] = 10,
    ranking: RankingOptions,
    narrow: FilterOptions,
    model: LlmOptions,
    form: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Leave with exit code 1 when the answers are not good enough, or worse than before.

    For cron and CI: names the measure and the questions that fell, and keeps the run.
    """
    from query.evaluate import gate as gates
    from query.evaluate import measures

    limits = [gates.read_limit(text) for text in least or []]
    drops = [gates.read_drop(text) for text in max_drop or []]
    if not limits and not drops:
        raise UsageError(
            "nothing to hold the answers to: add --min recall@10=0.85 or --max-drop 0.02"
        )
    if against is not None and not drops:
        raise UsageError("--against is what --max-drop compares with: add --max-drop")
    workspace, testset, chosen = prepare(kb, which, ranking, narrow, model, sets)
    asked = measures.usual([workspace.settings.query.k])
    asked += [limit.measure for limit in limits if limit.measure not in asked]
    asked += [drop.measure for drop in drops if drop.measure and drop.measure not in asked]
    wanted = Wanted(workspace, testset, chosen, asked, legs=False, by_document=which.by_document)
    plan = model.plan()
    with asking(workspace, plan) as llm:
        ran = evaluate(wanted, llm)
    if plan is not None:
        print_plan(plan, form)
        return
    judge(ran, limits, drops, against, form, show)
    leave(ran)


@app.command()
def history(
    measure: Annotated[
        str, typer.Option(metavar="MEASURE", help="What the line shows.")
    ] = "ndcg@10",
    last: Annotated[
        int, typer.Option("-n", "--last", metavar="N", min=1, max=1000, help="How many runs.")
    ] = 20,
    form: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
    kb: KbOption = None,
) -> None:
    """Show the runs that were kept, and how a measure went.

    Runs on the same questions share a line.
    """
    from cli import gate_view
    from query.evaluate import saved
    from query.evaluate.measures import Measure

    wanted = Measure.read(measure)
    runs = saved.history(open_workspace(kb).location)[-last:]
    if form == "json":
        gate_view.history_json(runs)
        return
    if not runs:
        say.note("no run was kept yet: 'tesela eval run'")
        return
    gate_view.history_table(runs, wanted)
