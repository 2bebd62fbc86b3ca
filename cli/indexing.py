"""What ``tesela index`` and ``tesela reindex`` share."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cli import ran, say
from cli.progress import progress
from cli.workspace import Workspace, keep, open_workspace, writing
from kb.errors import TeselaError
from kb.settings import EmbedSettings

if TYPE_CHECKING:
    from kb.store import Store


def build(
    kb: Path | None,
    flags: Mapping[str, Any],
    sets: list[str] | None,
    rebuild: bool = False,
    wait_seconds: float = 0.0,
    *,
    once: Mapping[str, Any] | None = None,
    retry: str = "",
) -> None:
    """Build and publish a generation with `flags`, and keep them once it is published.

    The old generation, and the old settings with it, go on answering until that moment.

    Args:
        kb: of ``--kb``.
        flags: dotted settings.
        sets: of ``--set``.
        rebuild: nothing is taken over from the current generation.
        wait_seconds: for another writer.
        once: dotted settings of this run, which are not kept.
        retry: the derivation whose LLM is asked again for what it failed to say; "": none.
    """
    from index.sync import index_documents
    from ingest.contextualize.wish import Wish

    workspace = open_workspace(kb, {**flags, **(once or {})}, sets)
    with writing(workspace, wait_seconds) as store, progress() as advance:
        if not rebuild:
            _insist_on_documents(workspace, store)
        announce(workspace, flags)
        report = index_documents(
            workspace.location,
            store,
            workspace.settings,
            workspace.embedder,
            advance,
            rebuild=rebuild,
            wish=Wish(retry=bool(retry), only=retry),
        )
        keep(workspace, flags)
    for text in report.notes:
        say.note(text)
    say.note(f"{ran.build_summary(report)}, engine {workspace.settings.engine.name}")
    code = ran.tell_llm(report)
    if code:
        raise typer.Exit(code)


def _insist_on_documents(workspace: Workspace, store: "Store") -> None:
    """A store that was lost must not empty the index that still answers."""
    from index.facts import is_forgotten
    from kb import generations

    current = generations.current_folder(workspace.location)
    try:
        manifest = generations.read_manifest(current) if current is not None else None
    except TeselaError:  # damaged: there is nothing to keep
        return
    if manifest is not None and is_forgotten(store, manifest):
        held = say.count(manifest.documents, "document")
        raise TeselaError(
            f"nothing is followed and no file was read, but generation {manifest.number} holds {held}: "
            "run 'tesela sync PATH' to read them again; 'tesela index --rebuild' empties the index"
        )


def announce(workspace: Workspace, flags: Mapping[str, Any]) -> None:
    """Have a change of model take effect with its generation, even if we are killed right after."""
    from kb import pending

    given = {key: value for key, value in flags.items() if value is not None}
    if any(key.startswith("embed.") for key in given):
        pending.announce(workspace.location, workspace.embedder.fingerprint, given)


def model_flags(embedder: str | None, model: str | None, current: str) -> dict[str, Any]:
    """The settings that name a model; a folder is written so that any working folder finds it.

    Args:
        embedder: of ``--embedder``.
        model: of ``--model``.
        current: the embedder of the settings, which stays where none is named.
    """
    if model is None and embedder == "bundled" != current:
        model = EmbedSettings().model  # another embedder's model would mean nothing to it
    if model is not None and (embedder or current) == "onnx":
        model = str(Path(model).expanduser().resolve())
    return {"embed.embedder": embedder, "embed.model": model}
