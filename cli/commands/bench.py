"""``tesela bench``: what engines and stages do on this machine and this data."""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.options import KbOption, SetOption, given_path, plain_app
from cli.workspace import Workspace, open_workspace, settings_of
from kb.errors import PartialFailure, TeselaError, UsageError

if TYPE_CHECKING:
    from index.bench.ann import Measured
    from index.bench.material import Material
    from kb.location import Location
    from kb.settings import EngineSettings
    from query.speed import Asked

app = plain_app()
_Form = Annotated[Literal["table", "json", "csv", "md"], typer.Option("--format")]


@app.callback()
def bench() -> None:
    """Measure engines and stages, on this machine and this data."""


@app.command()
def ann(
    engine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this: exact, hnsw, annoy, faiss-flat, faiss-ivf, faiss-hnsw; may be repeated.",
            show_default=False,
        ),
    ] = None,
    random: Annotated[
        str | None,
        typer.Option(
            metavar="N,D",
            help="Not this knowledge base's vectors: N made-up ones of D numbers, lying around "
            "topics as those of texts do.",
            show_default=False,
        ),
    ] = None,
    questions: Annotated[
        int, typer.Option(metavar="N", min=1, max=100_000, help="How many questions are asked.")
    ] = 200,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=given_path,
            help="Draw recall against questions a second, as .svg or .png.",
            show_default=False,
        ),
    ] = None,
    form: _Form = "table",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Compare the engines that find the nearest vectors.

    Recall is the share of the ten nearest that is found. Questions are asked one at a time, three
    times, and the quickest counts. Memory is what an engine holds beside the mapped vectors. Adds and
    deletes tell what its library can do to an index that is there; here each generation's engine is
    built anew. The knowledge base is only read.
    """
    from index.bench import subjects
    from index.bench.ann import Left, measure

    if plot is not None:
        from kb.plot.save import check

        check(plot)
    names = subjects.chosen(engine or [])
    with _material(random, questions, kb, sets) as (material, base):
        found: list[Measured] = []
        failed: list[str] = []
        for one in measure(material, names, base):
            if isinstance(one, Left):
                say.note(f"  not measured: {one.name}: {one.reason}")
                failed += [] if one.missing else [one.name]
            else:
                found.append(one)
                if sys.stderr.isatty():  # the next may take minutes
                    say.note(f"  {one.name}: built in {one.built.seconds:,.1f} s, asked")
    _leave(found, failed, material, form, plot)


@contextlib.contextmanager
def _material(
    random: str | None, questions: int, kb: Path | None, sets: list[str] | None
) -> "Iterator[tuple[Material, EngineSettings]]":
    from index.bench import material

    with tempfile.TemporaryDirectory(prefix="tesela-bench-") as place:
        if random is not None:
            n, dimension = _pair(random)
            made = material.made_up(n, dimension, questions, Path(place))
            yield made, settings_of(None, sets=sets).engine
            return
        from index.reader import GenerationReader

        workspace = open_workspace(kb, sets=sets)
        reader = GenerationReader.open(workspace.location)
        with reader.blaming_damage():
            made = material.of_kb(reader.folder, workspace.embedder, questions, Path(place))
        yield made, workspace.settings.engine


def _pair(text: str) -> tuple[int, int]:
    parts = text.replace("_", "").split(",")
    if len(parts) != 2 or not all(
        part.strip().isascii() and part.strip().isdigit() for part in parts
    ):
        raise UsageError(
            f"--random {text!r}: write how many vectors of how many numbers, e.g. 100000,384"
        )
    return int(parts[0]), int(parts[1])


def _leave(
    found: "list[Measured]", failed: list[str], material: "Material", form: str, plot: Path | None
) -> None:
    from cli import measured

    if not found:
        raise TeselaError("no engine could be measured")
    measured.show(form, material, found)
    if plot is not None:
        from kb.plot.save import save

        save(measured.picture(material, found), plot)
        say.note(f"drawn: {plot}")
    if failed:
        raise PartialFailure(f"not measured: {', '.join(failed)}")


@app.command()
def pipeline(
    files: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many files, spread over all; 0: all.")
    ] = 200,
    questions: Annotated[
        int, typer.Option(metavar="N", min=0, max=100_000, help="How many questions are asked.")
    ] = 50,
    form: _Form = "table",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Tell where the time goes, stage by stage.

    A sample of this knowledge base's files is read, cut, embedded and indexed anew into a temporary
    one, by the settings of this one, which is only looked at; then sentences of the chunks are asked
    as questions. No LLM is asked, and nothing is taken from caches.
    """
    from cli import timed_view
    from cli.progress import progress
    from index.bench.pipeline import time_stages
    from kb.location import KB_FOLDER, Location

    workspace = open_workspace(kb, sets=sets)
    with tempfile.TemporaryDirectory(prefix="tesela-bench-") as place, progress() as advance:
        at = Location(Path(place).resolve() / KB_FOLDER)
        done = time_stages(
            workspace.location, at, workspace.settings, workspace.embedder, advance, files
        )
        asked = _asked(at, workspace, questions)
    for text in done.notes:
        say.note(f"  {text}")
    say.failures(done.failed)
    timed_view.show(form, done, asked, _peak_memory())


def _asked(at: "Location", workspace: Workspace, count: int) -> "Asked | None":
    from index.bench.material import sentences
    from index.reader import GenerationReader
    from query.speed import time_questions

    settings = workspace.settings
    reader = GenerationReader.open(at, settings.bm25)
    if not count or not len(reader):
        return None
    texts = sentences(reader.chunks, count)
    return time_questions(reader, settings.query, workspace.embedder, texts)


def _peak_memory() -> int | None:
    """Bytes that this process held at most; its workers' are not in it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
