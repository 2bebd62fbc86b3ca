"""What ``tesela eval run`` and ``tesela eval gate`` share: their options, and a run from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.filtering import FilterOptions
from cli.llm import LlmOptions
from cli.options import given_path
from cli.progress import progress
from cli.ranking import RankingOptions
from cli.workspace import Workspace, open_workspace
from kb.location import Location

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.models.llm.llm import Llm
    from kb.records import Hit
    from query.evaluate.held import Resolved
    from query.evaluate.measures import Measure
    from query.evaluate.outcome import Failed, Outcome, Row
    from query.evaluate.saved import Saved
    from query.evaluate.testset import QuestionSet
    from query.filter import Filter

    Watch = Callable[[Row | Failed, Mapping[str, list[Hit]]], None]

_NAMED = 5  # of what a message lists


@dataclass(frozen=True, slots=True)
class QuestionSetOptions:
    """Which questions, and what answers them."""

    testset: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]",
            parser=given_path,
            help="A test set in BEIR layout, or one that 'tesela eval gen -o' wrote. [default: the one "
            "that was generated last, kept in the knowledge base]",
            show_default=False,
        ),
    ] = None
    queries: Annotated[
        Path | None,
        typer.Option(
            "--queries",
            metavar="FILE",
            parser=given_path,
            help="Questions: JSONL, TSV (id, tab, text) or TREC topics.",
            show_default=False,
        ),
    ] = None
    qrels: Annotated[
        Path | None,
        typer.Option(
            "--qrels",
            metavar="FILE",
            parser=given_path,
            help="What answers them: JSONL, TSV or TREC qrels, by document, by chunk, or by path and "
            "span of characters (QUERY PATH START END GRADE).",
            show_default=False,
        ),
    ] = None
    split: Annotated[
        Literal["tune", "test", "all"] | None,
        typer.Option(
            help="Which part of a split test set. [default: test, which is held out from tuning]",
            show_default=False,
        ),
    ] = None
    by_document: Annotated[
        bool,
        typer.Option(
            "--by-document", help="Any part of the right document counts, not only the evidence."
        ),
    ] = False

    def read(self, location: Location) -> "QuestionSet":
        """The test set, or its part.

        Raises:
            UsageError: it is not there, or cannot be read.
        """
        from query.evaluate.testset import read_testset

        return read_testset(location, self.testset, self.queries, self.qrels).part(self.split or "")


@dataclass
class Wanted:
    """A run that is to be made."""

    workspace: Workspace
    testset: "QuestionSet"
    filter: "Filter"
    measures: "list[Measure]"
    legs: bool = True
    generation: str | None = None
    by_document: bool = False


@dataclass
class Ran:
    """A run that was made."""

    wanted: Wanted
    outcome: "Outcome"
    resolved: "Resolved"
    saved: "Saved"
    warnings: list[str] = field(default_factory=list)


def prepare(
    kb: Path | None,
    which: QuestionSetOptions,
    ranking: RankingOptions,
    narrow: FilterOptions,
    model: LlmOptions,
    sets: list[str] | None,
) -> tuple[Workspace, "QuestionSet", "Filter"]:
    """Open what a run needs, before any work.

    Raises:
        UsageError: something of it is not there, or cannot be read.
    """
    flags = ranking.flags() | narrow.flags() | model.flags()
    # Judgements name each document by itself, so copies are kept unless told otherwise.
    workspace = open_workspace(kb, flags, ["query.collapse=false", *(sets or [])])
    ranking.insist(workspace.settings.query)
    model.insist(workspace.settings)
    return workspace, which.read(workspace.location), narrow.filter(workspace.settings)


def evaluate(
    wanted: Wanted, llm: "Callable[[], Llm] | None", watch: "Watch" = lambda _row, _hits: None
) -> Ran:
    """Ask all questions.

    Raises:
        UsageError: nothing could be asked.
    """
    from index.reader import GenerationReader
    from query.evaluate import rankings
    from query.evaluate.run import run
    from query.filter import rows
    from query.pipeline import check_llm, needs_embedder

    workspace, settings = wanted.workspace, wanted.workspace.settings
    check_llm(settings.query, llm)
    reader = GenerationReader.open(workspace.location, settings.bm25, wanted.generation)
    live = rows(reader, wanted.filter)
    resolved = _resolved(wanted, reader)
    named = rankings.rankings(settings.query, wanted.legs)
    if any(needs_embedder(one) for one in named.values()):
        workspace.embedder.preload()
    made = rankings.rankers(named, reader, lambda: workspace.embedder, live, llm)
    with progress() as advance, reader.blaming_damage():

        def tell(row: "Row | Failed", hits: "Mapping[str, list[Hit]]") -> None:
            watch(row, hits)
            advance("questions", 1)

        outcome = run(
            wanted.testset.questions,
            resolved.targets,
            made,
            wanted.measures,
            settings.query.k,
            settings.query.operators,
            tell,
        )
    _insist_on_rows(outcome, resolved)
    about = _about(wanted, reader, outcome)
    return Ran(wanted, outcome, resolved, about, list(reader.warnings))


def _resolved(wanted: Wanted, reader: "GenerationReader") -> "Resolved":
    from query.evaluate.held import Documents, resolve, whole_documents
    from query.evaluate.relocate import Relocator
    from query.filter import readable, rows

    documents = Documents(
        reader,
        wanted.workspace.location,
        readable(reader, wanted.filter),
        rows(reader, wanted.filter),
    )
    resolved = resolve(wanted.testset.judgements, documents, Relocator(reader))
    if wanted.by_document:
        resolved.targets = [whole_documents(targets) for targets in resolved.targets]
    return resolved


def _insist_on_rows(outcome: "Outcome", resolved: "Resolved") -> None:
    from kb.errors import UsageError

    if outcome.rows:
        return
    if outcome.failed:
        raise UsageError(f"no question could be asked: {outcome.failed[0].error}")
    raise UsageError(
        f"the evidence of all {len(resolved.gone)} questions has changed or gone since they were made: "
        "run 'tesela eval gen' again"
    )


def _about(wanted: Wanted, reader: "GenerationReader", outcome: "Outcome") -> "Saved":
    import msgspec

    from kb.digest import digest
    from query.evaluate.saved import saved

    settings = wanted.workspace.settings
    narrowed = (wanted.filter.narrows, wanted.filter.principal)  # not the day: cron asks on each
    asked = msgspec.json.encode((settings.query, settings.bm25, narrowed), order="sorted")
    made_from = msgspec.json.encode(reader.manifest.components, order="sorted")
    return saved(
        outcome,
        testset=wanted.testset.name,
        testset_digest=wanted.testset.digest,
        split=wanted.testset.split,
        by_document=wanted.by_document,
        generation=reader.manifest.number,
        index=digest(made_from),
        settings=digest(asked),
    )


def keep(ran: Ran) -> "Saved":
    """Keep the run in the KB; where it may not be written, say so and go on."""
    from query.evaluate import saved

    try:
        ran.saved = saved.keep(ran.wanted.workspace.location, ran.saved)
    except OSError as error:
        say.note(f"this run is not kept: {error.strerror or error}")
    return ran.saved


def tell_what_is_odd(ran: Ran) -> None:
    """Name what was left out, and what no ranking can meet."""
    testset, resolved = ran.wanted.testset, ran.resolved
    for warning in ran.warnings:
        say.note(f"warning: {warning}")
    for names, what in (
        (testset.unjudged, "without a judgement, not asked"),
        (testset.irrelevant, "without anything relevant, not asked"),
        (testset.unasked, "judged, and there is no such question"),
        ([testset.questions[n].id for n in resolved.gone], "whose evidence has changed or gone"),
    ):
        if names:
            say.note(f"{say.count(len(names), 'question')} {what}: {_some(names)}")
    if resolved.moved:
        moved = say.count(resolved.moved, "span")
        say.note(f"{moved} of evidence found elsewhere in its document now")
    _tell_unheld(resolved)


def _tell_unheld(resolved: "Resolved") -> None:
    for counted, what in (
        (resolved.missing, "the knowledge base does not hold, or not for whoever asks"),
        (resolved.ambiguous, "several documents are called"),
        (resolved.hidden, "the filters keep out"),
    ):
        if counted:
            judgements = say.count(counted.total(), "judgement")
            say.note(f"{judgements} of what {what}: {_some(list(counted))}")


def _some(names: Sequence[str]) -> str:
    listed = [say.in_line(name) for name in names]
    more = len(listed) - _NAMED
    return ", ".join(listed[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
