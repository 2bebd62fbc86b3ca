"""``tesela batch``: many questions in one run."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from cli import say
from cli.bundles import BundledCommand, with_bundles
from cli.expanding import ExpandOption, check_expand
from cli.filtering import FilterOptions
from cli.llm import LlmOptions, asking, print_plan
from cli.options import GenerationOption, KbOption, SetOption, plain_app
from cli.progress import progress
from cli.ranking import RankingOptions, sets_for
from cli.workspace import Workspace, open_workspace
from kb.errors import PartialFailure, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from index.reader import GenerationReader
    from kb.models.llm.llm import Llm
    from kb.models.llm.plan import Plan
    from query.batch.batch import Done, Form
    from query.batch.manifest import BatchManifest, Counts
    from query.filter import Filter
    from query.trec import DocId

app = plain_app()
_TOLD = 10  # failures named on stderr


@app.command(cls=BundledCommand)
@with_bundles
def batch(
    *,
    questions: Annotated[
        str,
        typer.Argument(
            metavar="QUERIES",
            help='JSONL ({"id", "text", and any of lex, vec, path, where, k … for that line}), '
            "TSV (id, tab, text) or TREC topics; - reads stdin.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option("-o", "--out", metavar="RESULTS", help="Where the results go; - is stdout."),
    ] = "-",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after the last whole line of RESULTS.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=256, help="Threads; they change no byte of the results."
        ),
    ] = 2,
    ranking: RankingOptions,
    expand: ExpandOption = None,
    narrow: FilterOptions,
    model: LlmOptions,
    form: Annotated[
        Literal["jsonl", "trec"],
        typer.Option("--format", help="jsonl: as 'query --format json', with the id; trec: a run."),
    ] = "jsonl",
    docid: Annotated[
        Literal["path", "chunk"], typer.Option(help="What a line of --format trec names.")
    ] = "path",
    generation: GenerationOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Answer a file of questions.

    Each gets one line of results, in their order. A line that cannot be answered gets {"id",
    "error"} and the run goes on; the exit code is then 3. RESULTS.manifest.json says what it ran
    on.
    """
    source = None if questions == "-" else Path(questions)
    results = None if out == "-" else Path(out)
    _check(source, results, resume, form)
    check_expand(expand, form, ("trec",))
    # The jobs are the threads; those of numpy's matrix products only stand in their way. Read when numpy
    # is first imported, which is after this.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    flags = ranking.flags() | narrow.flags() | model.flags() | {"query.expand": expand}
    workspace = open_workspace(kb, flags, sets_for(form, sets))
    chosen = narrow.filter(workspace.settings)
    started = time.monotonic()
    with _opened(source) as stream:
        run = _Run(workspace, chosen, jobs, form, docid, generation, model.plan())
        with asking(workspace, run.plan) as llm:
            counts = run.answer(stream, source, results, resume, llm)
    if run.plan is not None:
        print_plan(run.plan, form)
        return
    _leave(counts, time.monotonic() - started)


def _check(source: Path | None, results: Path | None, resume: bool, form: str) -> None:
    if source is not None and not source.exists():
        raise UsageError(f"{source}: no such file")
    if source is not None and not source.is_file():
        raise UsageError(
            f"{source} is no plain file: name one, or pipe the questions in and name -"
        )
    if source is not None and results is not None and results.exists() and results.samefile(source):
        raise UsageError(f"{results} holds the questions: name another file for the results")
    if results is not None and results.exists() and not results.is_file():
        raise UsageError(f"{results} is a folder or a device: name a file for the results, or -")
    if resume and (source is None or results is None):
        raise UsageError("--resume needs files for the questions and for the results, not -")
    if resume and form != "jsonl":
        raise UsageError("--resume needs --format jsonl: a TREC run does not tell where it stopped")


@contextlib.contextmanager
def _opened(source: Path | None) -> Iterator[BinaryIO]:
    if source is None:
        yield sys.stdin.buffer
        return
    with source.open("rb") as stream:
        yield stream


@dataclass
class _Run:
    workspace: Workspace
    filter: "Filter"
    jobs: int
    form: "Form"
    docid: "DocId"
    generation: str | None
    plan: "Plan | None" = None
    _told: int = 0

    def answer(
        self,
        stream: BinaryIO,
        source: Path | None,
        results: Path | None,
        resume: bool,
        llm: "Callable[[], Llm] | None",
    ) -> "Counts":
        """Answer all questions of the stream."""
        from index.reader import GenerationReader
        from query.batch.batch import Batch, to_file, to_stream
        from query.batch.lines import read_lines
        from query.batch.session import Session
        from query.pipeline import check_llm, needs_embedder

        workspace, settings = self.workspace, self.workspace.settings
        check_llm(settings.query, llm)
        if needs_embedder(settings.query):
            workspace.embedder.preload()
        reader = GenerationReader.open(workspace.location, settings.bm25, self.generation)
        session = Session(reader, settings.query, self.filter, lambda: workspace.embedder, llm)
        batch = Batch(session, self.jobs, self.form, self.docid)
        lines = read_lines(stream)
        with progress() as advance:

            def tell(done: "Done") -> None:
                self._tell_failure(done)
                advance("questions", 1)

            if self.plan is not None:
                counts = to_stream(batch, lines, len, tell)
            elif results is None:
                counts = to_stream(batch, lines, sys.stdout.write, tell)
            else:
                run = self._manifest(reader, source)
                counts = to_file(batch, lines, results, run, resume, tell)
        for warning in reader.warnings:
            say.note(f"warning: {warning}")
        return counts

    def _manifest(self, reader: "GenerationReader", source: Path | None) -> "BatchManifest":
        import msgspec

        from kb.models.llm.base import asked_of
        from query.batch.manifest import describe

        settings = self.workspace.settings
        parts = (settings.query, settings.bm25, self.filter, asked_of(settings.llm))
        form = self.form if self.form == "jsonl" else f"{self.form} {self.docid}"
        return describe(reader, source, msgspec.json.encode(parts, order="sorted"), form)

    def _tell_failure(self, done: "Done") -> None:
        if done.error and self._told <= _TOLD:
            more = self._told == _TOLD
            say.note("  failed: and more" if more else f"  failed: {done.id}: {done.error}")
            self._told += 1


def _leave(counts: "Counts", seconds: float) -> None:
    say.note(
        f"{say.count(counts.answered, 'question')} answered with {say.count(counts.hits, 'hit')} "
        f"({seconds:.1f} s)"
    )
    if counts.failed:
        failed = say.count(counts.failed, "question")
        raise PartialFailure(f"{failed} could not be answered; the rest is done")
