"""``tesela diff``: what changed between two generations."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.filtering import PrincipalOption, filter_of
from cli.options import KbOption, plain_app
from cli.workspace import open_workspace
from kb.errors import UsageError

if TYPE_CHECKING:
    from index.diff import ChunkChange, DocumentChange
    from kb.records import Chunk

app = plain_app()
_SIGNS = {"added": "+", "changed": "~", "removed": "-", "renamed": ">"}
_SHOWN = 72  # characters of a chunk's beginning


@app.command()
def diff(
    old: Annotated[
        str,
        typer.Argument(metavar="[OLD]", help="The older: a snapshot's name, a number or a date."),
    ] = "previous",
    new: Annotated[str, typer.Argument(metavar="[NEW]", help="The newer, likewise.")] = "current",
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Say what changed between two generations.

    A renamed document is told as such, and its chunks are not listed.
    """
    from index.diff import diff as run_diff
    from index.reader import GenerationReader
    from kb import history
    from query.filter import closed_paths

    workspace = open_workspace(kb)
    location = workspace.location
    if old == "previous" and new == "current" and history.previous(location) is None:
        raise UsageError("there is no generation before the current one: nothing to compare")
    before = GenerationReader.open(location, generation=old)
    after = GenerationReader.open(location, generation=new)
    with before.blaming_damage(), after.blaming_damage():
        asking = filter_of(workspace.settings, principal=principal)
        closed = closed_paths(before, asking) | closed_paths(after, asking)
        changes = [
            change
            for change in run_diff(before.chunks, after.chunks)
            if closed.isdisjoint((change.path, change.was))
        ]
    facts: dict[str, Any] = {
        "old": before.manifest.number,
        "new": after.manifest.number,
        "documents": _counts(["added", "changed", "removed", "renamed"], changes),
        "chunks": _counts(["added", "changed", "removed"], [c for d in changes for c in d.chunks]),
    }
    if form == "json":
        say.data_json({**facts, "changes": [_document_json(change) for change in changes]})
        return
    say.data(
        f"generation {facts['old']} → {facts['new']}: documents {_words(facts['documents'])}; "
        f"chunks {_words(facts['chunks'])}"
    )
    for change in changes:
        _print(change)


def _counts(
    kinds: list[str], changes: "list[DocumentChange] | list[ChunkChange]"
) -> dict[str, int]:
    found = Counter[str](change.change for change in changes)
    return {kind: found[kind] for kind in kinds}


def _words(counts: dict[str, int]) -> str:
    return (
        ", ".join(f"{number:,} {kind}" for kind, number in counts.items() if number) or "the same"
    )


def _print(document: "DocumentChange") -> None:
    sign, path = _SIGNS[document.change], say.in_line(document.path)
    if document.change == "renamed":
        say.data(f"{sign} {say.in_line(document.was)} → {path}")
        return
    if document.change != "changed":
        say.data(f"{sign} {path} ({say.count(len(document.chunks), 'chunk')})")
        return
    say.data(f"{sign} {path}{' (the file is the same)' if document.same_bytes else ''}")
    for change in document.chunks:
        chunk = change.new or change.old
        if chunk is not None:
            say.data(f"    {_SIGNS[change.change]} {_place(chunk)}: {_beginning(change, chunk)}")


def _beginning(change: "ChunkChange", chunk: "Chunk") -> str:
    """The first words that differ, or the first of all."""
    if change.old is not None and change.new is not None and change.old.text == change.new.text:
        return f"its context is now {chunk.context!r}" if chunk.context else "without context now"
    words = chunk.text.split()
    other = change.old.text.split() if change.old is not None and change.new is not None else []
    same = next((i for i, (a, b) in enumerate(zip(words, other, strict=False)) if a != b), 0)
    start = max(same - 3, 0)
    shown = " ".join(words[start:])
    cut = shown if len(shown) <= _SHOWN else shown[:_SHOWN].rstrip() + " …"
    return ("… " if start else "") + cut


def _place(chunk: "Chunk") -> str:
    if chunk.lines:
        first, last = chunk.lines
        return f"line {first}" if first == last else f"lines {first}-{last}"
    return f"page {chunk.pages[0]}" if chunk.pages else f"characters {chunk.start}-{chunk.end}"


def _document_json(document: "DocumentChange") -> dict[str, Any]:
    shown: dict[str, Any] = {"change": document.change, "path": document.path}
    if document.change == "renamed":
        shown["was"] = document.was
    if document.change == "changed":
        shown["same_bytes"] = document.same_bytes
    shown["chunks"] = [
        {"change": c.change, "old": _chunk_json(c.old), "new": _chunk_json(c.new)}
        for c in document.chunks
    ]
    return shown


def _chunk_json(chunk: "Chunk | None") -> dict[str, Any] | None:
    if chunk is None:
        return None
    return {
        "id": chunk.id,
        "lines": list(chunk.lines) if chunk.lines else None,
        "page": chunk.pages[0] if chunk.pages else None,
        "span": [chunk.start, chunk.end],
        "text": chunk.text,
    }
