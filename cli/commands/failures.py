"""``tesela failures``: the files that could not be read, and why."""

from typing import Annotated, Literal

import typer

from cli import say
from cli.filtering import PrincipalOption, names_for
from cli.options import KbOption, plain_app
from cli.workspace import Workspace, looking, open_workspace

app = plain_app()


@app.command()
def failures(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """List the files that could not be read, and what an LLM failed to say.

    One that is unchanged is not tried again until 'tesela sync --retry'. Where the system would not
    let a file be read, the text it had before is still found.
    """
    from ingest.contextualize.wish import told

    workspace = open_workspace(kb)
    with looking(workspace) as store:
        failed = [row for row in store.files() if row.error]
        unsaid = store.unsaid()
    derived = _derived(workspace)
    if failed or unsaid:
        may_name = names_for(workspace, principal)
        failed = [row for row in failed if may_name(row.path)]
        unsaid = [found for found in unsaid if may_name(found[0])]
    if form == "json":
        say.data_json(
            [
                {"path": row.path, "reason": row.error, "served": bool(row.parse_key)}
                for row in failed
            ]
            + [
                {"path": path, "reason": told(chunks, why), "served": True, "contexts": chunks}
                for path, chunks, why in unsaid
            ]
            + [
                {"derived": name, "reason": why[0], "served": True, "answers": len(why)}
                for name, why in derived.items()
            ]
        )
        return
    for row in failed:
        kept = " (its last known text is still found)" if row.parse_key else ""
        say.data(f"{say.in_line(row.path)}: {row.error}{kept}")
    for path, chunks, why in unsaid:
        say.data(f"{say.in_line(path)}: {told(chunks, why)}")
    for name, reasons in derived.items():
        stood_in = say.count(len(reasons), "answer")
        say.data(f"{name}: {stood_in} of the LLM stood in for by what needs none: {reasons[0]}")
    if not failed and not unsaid and not derived:
        say.note("no failures")


def _derived(workspace: Workspace) -> dict[str, list[str]]:
    """By what is derived from the chunks, why an LLM's answers are stood in for."""
    from index.derived.files import failed_answers
    from kb import generations
    from kb.registry import names

    folder = generations.current_folder(workspace.location)
    if folder is None:
        return {}
    found = {name: failed_answers(folder / name) for name in names("derivation")}
    return {name: why for name, why in found.items() if why}
