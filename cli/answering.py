"""Asks a question and prints what comes back: shared by ``query`` and ``demo``."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli import freshness, say
from cli.workspace import Workspace
from kb.errors import NoHits, OtherModel

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.records import Hit
    from query.fresh import FreshnessCheck


@dataclass(frozen=True, slots=True)
class Request:
    """What the user typed, settings apart."""

    text: str
    globs: tuple[str, ...] = ()
    explain: bool = False
    form: str | None = None  # None: table on a terminal, md elsewhere
    require_hits: bool = False
    generation: str | None = None  # None: the current one
    fresh: str = "mark"


def answer(workspace: Workspace, request: Request) -> None:
    """Search and print.

    Raises:
        NoHits: nothing was found and `request` requires something.
        PartialFailure: hits are stale and `request` allows none.
    """
    from cli.hits import FORMATTERS
    from kb.digest import digest_settings
    from query.fresh import FreshnessCheck
    from query.results import Results

    check = FreshnessCheck(workspace.location)
    reader, found = _search(workspace, request, check)
    for warning in reader.warnings:
        say.note(f"warning: {warning}")
    hits = check.marked(found)
    if request.fresh == "fail":
        freshness.require(check, hits)
    settings = digest_settings(workspace.settings.query)
    results = Results(request.text, reader.manifest.number, settings, hits)
    chosen = request.form or ("table" if sys.stdout.isatty() else "md")
    FORMATTERS[chosen](results, workspace.location)
    if request.generation is None:
        freshness.footer(check)
    if hits:
        return
    why = _why_nothing(len(reader), request)
    if request.require_hits:
        raise NoHits(why)
    say.note(why)


def _search(
    workspace: Workspace, request: Request, check: "FreshnessCheck"
) -> "tuple[GenerationReader, list[Hit]]":
    try:
        return _search_once(workspace, request, check)
    except OtherModel:
        # A reindex may have published between our look at the settings and at the generation.
        before = workspace.settings.embed
        workspace.reload()
        if workspace.settings.embed == before:
            raise
    return _search_once(workspace, request, check)


def _search_once(
    workspace: Workspace, request: Request, check: "FreshnessCheck"
) -> "tuple[GenerationReader, list[Hit]]":
    from index.reader import GenerationReader
    from query.filter import rows_of_paths
    from query.pipeline import Searcher, needs_embedder

    settings = workspace.settings
    if needs_embedder(settings.query):
        workspace.embedder.preload()
    reader = GenerationReader.open(workspace.location, settings.bm25, request.generation)
    searcher = Searcher(reader, settings.query, lambda: workspace.embedder)
    wanted = check.is_fresh if request.fresh == "drop" else None
    with reader.blaming_damage():
        live = rows_of_paths(reader, request.globs)
        return reader, searcher.search(request.text, live, request.explain, wanted)


def _why_nothing(chunks: int, request: Request) -> str:
    if chunks == 0:
        return "no hits: the knowledge base is empty"
    if request.globs:
        return f"no hits in the files that match {' '.join(request.globs)}"
    return "no hits"
