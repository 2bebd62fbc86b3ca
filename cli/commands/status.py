"""``tesela status``: what the knowledge base holds."""

import contextlib
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cli import say
from cli.options import KbOption, plain_app
from cli.workspace import Workspace, open_workspace

app = plain_app()


@app.command()
def status(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
) -> None:
    """Say what the knowledge base holds: sources, documents, chunks, model, size."""
    workspace = open_workspace(kb)
    found = _facts(workspace)
    if form == "json":
        say.data_json(found)
        return
    for name, value in found.items():
        if isinstance(value, list):
            say.data(f"{name + ':':<12} {len(value)}")
            for item in value:
                say.data(f"  {': '.join(item.values()) if isinstance(item, dict) else item}")
        else:
            say.data(
                f"{name + ':':<12} {value:,}"
                if isinstance(value, int)
                else f"{name + ':':<12} {value}"
            )


def _facts(workspace: Workspace) -> dict[str, Any]:
    from kb import generations
    from kb.store import Store

    location = workspace.location
    facts: dict[str, Any] = {"kb": str(location.folder)}
    if location.store.exists():
        with Store(location) as store:
            files = store.files()
            facts["sources"] = [row.root for row in store.sources()]
            facts["files"] = len(files)
            facts["failed"] = [{"path": f.path, "reason": f.error} for f in files if f.error]
    current = generations.current_folder(location)
    if current is None:
        facts["generation"] = "none yet: tesela sync PATH"
    else:
        manifest = generations.read_manifest(current)
        facts |= {
            "generation": manifest.number,
            "documents": manifest.documents,
            "chunks": manifest.chunks,
            "embedder": manifest.embedder,
            "dimension": manifest.dimension,
            "engine": manifest.engine,
            "index_bytes": sum(entry.size for entry in manifest.files.values()),
        }
    facts["disk_bytes"] = _bytes_under(location.folder)
    return facts


def _bytes_under(folder: Path) -> int:
    """Bytes of all files; one that a writer removes meanwhile counts for nothing."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(os.path.join(base, name)).st_size  # noqa: PTH118
    return total
