"""``tesela demo``: the whole job on the sample corpus."""

import shutil
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from cli import ran, say
from cli.answering import Request, answer
from cli.filtering import filter_of
from cli.following import run_sync
from cli.options import plain_app
from cli.runlog import RunLog
from cli.workspace import open_workspace
from kb.location import at

app = plain_app()
QUESTIONS = (
    "How long must the capacitors discharge before I touch the frequency converter?",
    "¿Quién puede pagar las nóminas cuando la tesorera está de vacaciones?",
    "During which weeks does the town's power plant stand still because of the trout?",
    "bomba parada código E-217",
)


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where the sample is copied to.")
    ] = Path("tesela-demo"),
) -> None:
    """Do the whole job on the sample corpus.

    Builds a knowledge base in DIR and asks it a few questions.
    """
    from ingest.survey import Request as Following

    with resources.as_file(resources.files("sample_corpus") / "docs") as corpus:
        shutil.copytree(corpus, folder / "docs", dirs_exist_ok=True)
    at(folder).folder.mkdir(parents=True, exist_ok=True)
    workspace = open_workspace(folder)
    say.note(f"$ tesela sync {folder / 'docs'}")
    report = run_sync(workspace, Following((folder / "docs",)), 0.0, RunLog(), {})
    if report is not None:
        say.note(f"{ran.read_summary(report.read)}; {ran.build_summary(report.build)}")
    for question in QUESTIONS:
        say.note(f'\n$ tesela query "{question}" -k 2')
        asking = open_workspace(folder, {"query.k": 2})
        answer(asking, Request(question, filter_of(asking.settings, principal=None)))
    say.note(f'\nGo on by yourself: cd {folder} && tesela ask "…"')
