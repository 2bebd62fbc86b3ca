"""``tesela status``: what the knowledge base holds."""

from typing import Annotated, Any, Literal

import typer

from cli import say
from cli.filtering import PrincipalOption, names_for
from cli.options import KbOption, plain_app
from cli.workspace import Workspace, looking, open_workspace

app = plain_app()


@app.command()
def status(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Say what the knowledge base holds."""
    workspace = open_workspace(kb)
    found = _facts(workspace)
    if failed := found.get("failed"):
        may_name = names_for(workspace, principal)
        found["failed"] = [line for line in failed if may_name(line["path"])]
        if hidden := len(failed) - len(found["failed"]):
            found["failed_hidden"] = hidden
    if form == "json":
        say.data_json(found)
        return
    for name, value in found.items():
        _print(name, value)


def _facts(workspace: Workspace) -> dict[str, Any]:
    from index import facts
    from kb import generations

    location = workspace.location
    found: dict[str, Any] = {"kb": str(location.folder)}
    current = generations.current_folder(location)
    manifest = generations.read_manifest(current) if current is not None else None
    behind = False
    if location.store.exists():
        with looking(workspace) as store:
            found |= facts.store_facts(store)
            behind = facts.is_behind(store, manifest)
    if current is None or manifest is None:
        found["generation"] = "none yet: tesela sync PATH"
    else:
        found["generation"] = manifest.number
        history = facts.generations_facts(location)
        found["published"] = next((g["published"] for g in history if g["current"]), None)
        found["behind"] = behind
        found |= facts.generation_facts(current, manifest)
        found["generations"] = history
    found["disk_bytes"] = facts.bytes_under(location.folder)
    return found


def _print(name: str, value: Any) -> None:
    label = f"{name + ':':<17}"
    if isinstance(value, dict):
        say.data(label + (", ".join(f"{key} {n:,}" for key, n in value.items()) or "none"))
    elif isinstance(value, list):
        say.data(f"{label}{len(value)}")
        for item in value:
            say.data(f"  {_row(item)}")
    elif isinstance(value, bool):
        say.data(label + ("yes: run 'tesela index'" if value else "no"))
    else:
        say.data(f"{label}{value:,}" if isinstance(value, int) else f"{label}{value}")


def _row(item: Any) -> str:
    if not isinstance(item, dict):
        return say.in_line(str(item))
    if "generation" not in item:
        return say.in_line(": ".join(item.values()))
    return generation_line(item)


def generation_line(row: dict[str, Any]) -> str:
    """``   4  2026-11-30 01:03  35 documents  90 chunks  first, current``."""
    names = ", ".join([*row["tags"], *(["current"] if row["current"] else [])])
    day = row["published"][:16].replace("T", " ")
    if row["documents"] is None:
        return f"{row['generation']:>6}  {day}  damaged: tesela doctor  {names}".rstrip()
    documents = _column(row["documents"], 7, "document")
    chunks = _column(row["chunks"], 9, "chunk")
    return f"{row['generation']:>6}  {day}  {documents}  {chunks}  {names}".rstrip()


def _column(number: int, width: int, what: str) -> str:
    """A count whose digits and words stand below each other."""
    digits, _, word = say.count(number, what).partition(" ")
    return f"{digits:>{width}} {word:<{len(what) + 1}}"
