"""``tesela compare``: two variants side by side."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import variants
from cli.bundles import BundledCommand, with_bundles
from cli.durations import parse_wait
from cli.filtering import FilterOptions
from cli.llm import LlmOptions, asking, print_plan
from cli.options import KbOption, SetOption, WaitOption, plain_app
from cli.progress import progress
from cli.variants import Side
from kb.errors import PartialFailure, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kb.models.llm.llm import Llm
    from kb.models.llm.plan import Plan
    from query.batch.lines import Line
    from query.batch.session import Session
    from query.compare.many import Tally
    from query.filter import Filter

app = plain_app()
_VariantOption = typer.Option(
    metavar="SETTING=VALUE",
    help="What this variant has of its own, e.g. context=none, rerank=maxsim, chunk.size=384, "
    "engine=hnsw, generation=3; may be repeated. [default: as it is]",
    show_default=False,
)


@app.command(cls=BundledCommand)
@with_bundles
def compare(
    *,
    question: Annotated[
        str | None,
        typer.Argument(metavar="[QUESTION]", help="One question to ask both.", show_default=False),
    ] = None,
    a: Annotated[list[str] | None, _VariantOption] = None,
    b: Annotated[list[str] | None, _VariantOption] = None,
    queries: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='Many questions, as for "tesela batch"; - reads stdin. In JSONL "relevant" may name '
            'what a good answer holds: ["a.md", {"path": "b.md", "span": [120, 480]}, {"chunk": ID}].',
            show_default=False,
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", metavar="N", help="How many hits of each. [default: 10]", show_default=False
        ),
    ] = None,
    show: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=1000, help="How many of the questions that differ most."
        ),
    ] = 5,
    narrow: FilterOptions,
    model: LlmOptions,
    form: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Ask two variants of the settings the same.

    Shows how the answers differ. What has no index yet is built beside the knowledge base, which
    stays as it is, and kept for the next time; 'tesela gc --caches' removes it. With judgements
    the measures of both come with the interval of their difference, without them how alike the
    answers are.
    """
    wait_seconds = parse_wait(wait)
    lines = _lines(question, queries)
    flags = {"query.k": k} | narrow.flags() | model.flags()
    own = _sets(lines, sets)
    found = variants.sides(
        [variants.read("a", a or []), variants.read("b", b or [])], kb, flags, own
    )
    if not any(_situates(side) for side in found):
        model.insist(max(found, key=_asks_llm).workspace.settings)
    variants.find(found)
    plan = model.plan()
    if plan is not None and variants.plan_contexts(found, plan):
        print_plan(plan, form)
        return
    with _llms(found, plan) as llms:
        sessions = _sessions(found, narrow, llms, wait_seconds)
        if queries is None:
            _one(found, sessions, lines[0], form, plan)
        else:
            tally = _many(found, sessions, lines, form, show, plan)
            chosen = narrow.filter(found[0].workspace.settings)
            _leave(tally, chosen, sessions)


def _lines(question: str | None, queries: str | None) -> "list[Line]":
    from query.batch.lines import Line, read_lines

    if (question is None) == (queries is None):
        raise UsageError("give one question, or a file of them with --queries FILE (- is stdin)")
    if question is not None:
        text = question.encode("utf-8", "replace").decode().strip()
        return [Line("1", {"text": text})]
    if queries == "-":
        return list(read_lines(sys.stdin.buffer))
    try:
        with Path(queries or "").open("rb") as stream:
            return list(read_lines(stream))
    except OSError as error:
        raise UsageError(f"{queries}: {error.strerror}") from error


def _sets(lines: "list[Line]", sets: list[str] | None) -> list[str]:
    """Judgements name each document by itself, so copies are kept unless told otherwise."""
    from query.compare.many import JUDGED

    judged = any(JUDGED in line.fields for line in lines)
    return [*(["query.collapse=false"] if judged else []), *(sets or [])]


def _situates(side: Side) -> bool:
    return side.workspace.settings.context.provider == "llm"


def _asks_llm(side: Side) -> bool:
    query = side.workspace.settings.query
    return query.rerank == "llm" or bool(query.helpers)


@contextlib.contextmanager
def _llms(
    found: "Sequence[Side]", plan: "Plan | None"
) -> "Iterator[list[Callable[[], Llm] | None]]":
    """The LLM of each side; what both spend together stays under the caps of both."""
    a, b = (side.workspace for side in found)
    if a.settings.llm == b.settings.llm:
        with asking(a, plan) as llm:
            yield [llm, llm]
        return
    from kb.models.llm.budget import Budget
    from kb.models.llm.open import caps_of

    caps = caps_of(a.settings.llm)
    shared = Budget(caps) if caps == caps_of(b.settings.llm) else None
    with asking(a, plan, shared) as first, asking(b, plan, shared) as second:
        yield [first, second]


def _sessions(
    found: "Sequence[Side]",
    narrow: FilterOptions,
    llms: "list[Callable[[], Llm] | None]",
    wait_seconds: float,
) -> "list[Session]":
    from query.batch.session import Session
    from query.pipeline import check_llm, needs_embedder

    for side, llm in zip(found, llms, strict=True):
        check_llm(side.workspace.settings.query, llm)
    filters = [narrow.filter(side.workspace.settings) for side in found]
    variants.make_ready(found, wait_seconds)
    sessions = []
    for side, chosen, llm in zip(found, filters, llms, strict=True):
        settings = side.workspace.settings.query
        if needs_embedder(settings):
            side.embedder().preload()
        sessions.append(Session(side.open(), settings, chosen, side.embedder, llm))
    return sessions


def _one(
    found: "Sequence[Side]",
    sessions: "list[Session]",
    line: "Line",
    form: str,
    plan: "Plan | None",
) -> None:
    from cli import compared_view
    from query.compare.many import Failed, compare

    a, b = sessions
    with a.reader.blaming_damage(), b.reader.blaming_damage():
        (done,) = compare([line], a, b)
    if isinstance(done, Failed):
        raise UsageError(done.error)
    if plan is not None:
        print_plan(plan, form)
        return
    k = max(side.workspace.settings.query.k for side in found)
    if form == "json":
        compared_view.json_of_one(found, sessions, done, k)
    else:
        compared_view.table_of_one(found, sessions, done, k)


def _many(
    found: "Sequence[Side]",
    sessions: "list[Session]",
    lines: "list[Line]",
    form: str,
    show: int,
    plan: "Plan | None",
) -> "Tally":
    from cli import compared_view
    from query.compare.many import Tally, compare

    a, b = sessions
    tally = Tally(max(side.workspace.settings.query.k for side in found))
    with progress() as advance, a.reader.blaming_damage(), b.reader.blaming_damage():
        for done in compare(lines, a, b):
            tally.add(done)
            advance("questions", 1)
    if plan is not None:
        print_plan(plan, form)
    elif form == "json":
        compared_view.json_of_many(found, sessions, tally, show)
    else:
        compared_view.table_of_many(found, sessions, tally, show)
    return tally


def _leave(tally: "Tally", chosen: "Filter", sessions: "list[Session]") -> None:
    from cli import compared_view
    from query.compare.many import strangers

    readers = [session.reader for session in sessions]
    compared_view.strangers(strangers(tally.paths, chosen, readers))
    compared_view.failures(tally.failed)
    if tally.failed:
        raise PartialFailure(
            f"{len(tally.failed)} of {len(tally.failed) + len(tally.rows)} questions could not be "
            "compared; the rest is done"
        )
