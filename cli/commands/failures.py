"""``tesela failures``: the files that could not be read, and why."""

from typing import Annotated, Literal

import typer

from cli import say
from cli.filtering import PrincipalOption, names_for
from cli.options import KbOption, plain_app
from cli.workspace import looking, open_workspace

app = plain_app()


@app.command()
def failures(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """List the files that could not be read, and those of which an LLM gave no context.

    One that is unchanged is not tried again until 'tesela sync --retry'. Where the system would not
    let a file be read, the text it had before is still found.
    """
    from ingest.contextualize.wish import told

    workspace = open_workspace(kb)
    with looking(workspace) as store:
        failed = [row for row in store.files() if row.error]
        unsaid = store.unsaid()
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
        )
        return
    for row in failed:
        kept = " (its last known text is still found)" if row.parse_key else ""
        say.data(f"{say.in_line(row.path)}: {row.error}{kept}")
    for path, chunks, why in unsaid:
        say.data(f"{say.in_line(path)}: {told(chunks, why)}")
    if not failed and not unsaid:
        say.note("no failures")
