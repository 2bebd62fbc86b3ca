"""``tesela tune``: which settings suit these documents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.durations import parse_wait
from cli.filtering import FilterOptions
from cli.options import KbOption, SetOption, WaitOption, given_path, plain_app
from cli.workspace import Workspace, keep, open_workspace
from kb.errors import BudgetReached
from kb.quantities import parse_duration

if TYPE_CHECKING:
    from kb.settings import Settings
    from query.evaluate.testset import QuestionSet
    from query.tune.material import Material
    from query.tune.trial import Trial
    from query.tune.tune import Tuning

app = plain_app()
_GENERATED = 200  # questions
_DEEP = 20  # ranks that a ranking cut by its tokens is looked at


@app.command()
def tune(
    testset: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]",
            parser=given_path,
            help="A test set, as for 'tesela eval run'. [default: the one that was generated last; where "
            "there is none, 200 questions are made from the documents]",
            show_default=False,
        ),
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=given_path,
            help="Questions, as for 'tesela eval run'.",
            show_default=False,
        ),
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=given_path, help="What answers them.", show_default=False
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(metavar="TIME", help="After this no trial is begun; the next run goes on."),
    ] = "10m",
    documents: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="How many documents trials are made on, those that answer among them; 0: all.",
        ),
    ] = 500,
    write: Annotated[
        bool, typer.Option("--write", help="Keep what is chosen in tesela.toml.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=given_path,
            help="Draw quality against what a question takes, as .svg or .png.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[Literal["table", "json", "csv", "md"], typer.Option("--format")] = "table",
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Find the settings that answer questions on these documents best.

    Tries fusion, rerank, context, size and kind of chunks, and engine, one at a time and together,
    on half of the questions, and reports on the other half. Where a difference may be chance, the
    settings in force stay. Trials are kept: a run that was cut off goes on. Indexes are built beside
    the knowledge base, from what is cached; 'tesela gc --caches' removes them. Without --write no
    setting changes.
    """
    from cli import tuned_view

    seconds = parse_duration(budget)
    if plot is not None:
        from kb.plot.save import check

        check(plot)
    # Judgements name each document by itself, so copies are kept, as by 'tesela eval run'.
    workspace = open_workspace(kb, sets=["query.collapse=false", *(sets or [])])
    whole = _testset(workspace, testset, queries, qrels)
    material, measure, tuning = _run(workspace, whole, documents, seconds, parse_wait(wait))
    tuned_view.show(form, tuning, material, measure)
    if plot is not None:
        from kb.plot.save import save
        from query.tune.picture import picture

        save(picture(tuning, tuned_view.title(tuning, material), measure), plot)
        say.note(f"drawn: {plot}")
    _settle(workspace, tuning, write, parse_wait(wait))
    if tuning.left:
        left = say.count(len(tuning.left), "way")
        raise BudgetReached(f"the budget of {budget} left {left} untried: run it again to go on")


def _testset(
    workspace: Workspace, folder: Path | None, queries: Path | None, qrels: Path | None
) -> "QuestionSet":
    from query.evaluate.testset import kept_folder, read_testset

    location = workspace.location
    if not (folder or queries or qrels or kept_folder(location).is_dir()):
        from index.reader import GenerationReader
        from query.filter import rows
        from query.tune.questions import make_questions

        settings = workspace.settings
        reader = GenerationReader.open(location, settings.bm25)
        live = rows(reader, FilterOptions().filter(settings))
        with reader.blaming_damage():
            made = make_questions(location, reader, workspace.embedder, live, _GENERATED)
        say.note(
            f"there was no test set: {say.count(made, 'question')} made from the documents, and kept"
        )
    return read_testset(location, folder, queries, qrels)


def _run(
    workspace: Workspace, whole: "QuestionSet", most: int, seconds: float, wait_seconds: float
) -> "tuple[Material, str, Tuning]":
    from cli.progress import progress
    from index.reader import GenerationReader
    from kb.digest import digest, digest_settings
    from query.evaluate.measures import Measure
    from query.tune import fit, space
    from query.tune.material import gather
    from query.tune.measure import Bench
    from query.tune.state import State
    from query.tune.trial import label
    from query.tune.tune import Tuner

    location = workspace.location
    settings, notes = fit.without_llm(workspace.settings)
    chosen = FilterOptions().filter(settings)
    reader = GenerationReader.open(location, settings.bm25)
    with reader.blaming_damage():
        material = gather(location, reader, chosen, whole, most)
    read_tokens = settings.query.k * settings.chunk.size if material.by_span else None
    measure = Measure("ndcg", settings.query.k if read_tokens is None else _DEEP)
    fields = space.fields(settings, space.engines_there(), workspace.embedder.max_tokens)
    fields, more = fit.allowed(fields, settings, workspace.settings, material.by_chunk)
    for text in (*notes, *more):
        say.note(f"  {text}")
    subject = digest(
        "tune",
        material.digest,
        str(read_tokens),
        digest_settings(settings),
        reader.manifest.components["chunks"],
        workspace.embedder.fingerprint,
    )
    bench = Bench(
        location, workspace.embedder, material, measure, read_tokens, chosen, progress, wait_seconds
    )
    tuner = Tuner(bench, State(location, subject), settings, seconds, _tell)
    shown = measure.shown if read_tokens is None else f"nDCG in {read_tokens:,} tokens"
    tuning = tuner.run(fields)
    for changes, why in tuning.refused:
        say.note(f"  not tried: {label(changes)}: {why}")
    return material, shown, tuning


def _tell(trial: "Trial", kept: bool) -> None:
    earlier = ", from an earlier run" if kept else ""
    say.note(f"  {trial.mean:.3f}  {trial.query_ms:.0f} ms  {trial.label}{earlier}")


def _settle(workspace: Workspace, tuning: "Tuning", write: bool, wait_seconds: float) -> None:
    """Show what changes in ``tesela.toml``, and write it where that is asked for."""
    from cli.tuned_view import held_gain
    from kb.configure import as_toml
    from kb.lock import writer_lock

    changes = tuning.choice.chosen.changes
    if not changes:
        return
    for key, value in changes.items():
        now = _value(workspace.settings, key)
        say.note(f"  {key} = {as_toml(value)}  # now {as_toml(now)}")
    if held_gain(tuning).mean <= 0:
        say.note("not written: it is no better on the questions that took no part in choosing")
    elif not write:
        say.note("not written: add --write")
    else:
        with writer_lock(workspace.location.lock, wait_seconds):
            keep(workspace, changes)
        say.note("next: tesela sync")


def _value(settings: "Settings", dotted: str) -> object:
    section, _, key = dotted.partition(".")
    return getattr(getattr(settings, section), key)
