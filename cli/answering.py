"""Asks a question and prints what comes back: shared by ``query`` and ``demo``."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli import freshness, last_hits, say
from cli.llm import asking, print_plan
from cli.workspace import Workspace
from kb.errors import NoHits, OtherModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from index.reader import GenerationReader
    from kb.models.llm.llm import Llm
    from kb.models.llm.plan import Plan
    from kb.records import Hit
    from query.asked import Asked
    from query.filter import Filter
    from query.fresh import FreshnessCheck
    from query.question import Question
    from query.trec import DocId


@dataclass(frozen=True, slots=True)
class Request:
    """What the user typed, settings apart."""

    text: str
    filter: "Filter"
    lex: str = ""  # for the sparse leg alone
    vec: str = ""  # for the dense leg alone
    explain: bool = False
    form: str | None = None  # None: table on a terminal, md elsewhere
    docid: "DocId" = "path"  # of a TREC run
    require_hits: bool = False
    generation: str | None = None  # None: the current one
    fresh: str = "mark"
    why_not: str | None = None  # a document or chunk that is missed
    keep: bool = False  # so that `show 3` finds the third hit
    plan: "Plan | None" = None  # where an LLM is only to be planned for


def answer(workspace: Workspace, request: Request) -> None:
    """Search and print.

    Raises:
        NoHits: nothing was found and `request` requires something.
        PartialFailure: hits are stale and `request` allows none.
    """
    from cli.hits import formatter
    from cli.why_not import missed, tell
    from kb.digest import digest_settings
    from query.asked import ask, narrowed
    from query.fresh import FreshnessCheck
    from query.phrases import notes
    from query.results import Results, searched

    asked = ask(request.text, request.lex, request.vec, workspace.settings.query.operators)
    check = FreshnessCheck(workspace.location)
    with asking(workspace, request.plan) as llm:
        reader, found, question = search(workspace, request, asked, check, llm)
        asked_why = request.why_not is not None and request.plan is None
        verdict = missed(workspace, request, reader, check, llm) if asked_why else None
    if request.plan is not None:
        print_plan(request.plan, request.form)
        return
    told = [*notes(asked, found, reader.bm25), *question.notes]
    for note in (*(f"warning: {warning}" for warning in reader.warnings), *told):
        say.note(note)
    hits = check.marked(found)
    if request.fresh == "fail":
        freshness.require(check, hits)
    results = Results(
        asked.query,
        reader.manifest.number,
        digest_settings(narrowed(asked, workspace.settings.query)),
        hits,
        searched(question),
        told,
        request.filter.as_of,
        request.filter.narrows,
        verdict.to_json() if verdict else None,
        llm=question.llm_used,
    )
    chosen = request.form or ("table" if sys.stdout.isatty() else "md")
    if request.keep:
        last_hits.keep(workspace.location, reader.manifest.number, hits)
    formatter(chosen, request.docid)(results, workspace.location)
    if verdict:
        tell(verdict, chosen, workspace.location)
    if request.generation is None:
        freshness.footer(check)
    if hits:
        return
    why = why_nothing(reader, request, asked)
    if request.require_hits:
        raise NoHits(why)
    say.note(why)


def search(
    workspace: Workspace,
    request: Request,
    asked: "Asked",
    check: "FreshnessCheck",
    llm: "Callable[[], Llm] | None",
) -> "tuple[GenerationReader, list[Hit], Question]":
    """The hits of a request, not yet marked as fresh or stale."""
    try:
        return _search_once(workspace, request, asked, check, llm)
    except OtherModel:
        # A reindex may have published between our look at the settings and at the generation.
        before = workspace.settings.embed
        workspace.reload()
        if workspace.settings.embed == before:
            raise
    return _search_once(workspace, request, asked, check, llm)


def _search_once(
    workspace: Workspace,
    request: Request,
    asked: "Asked",
    check: "FreshnessCheck",
    llm: "Callable[[], Llm] | None",
) -> "tuple[GenerationReader, list[Hit], Question]":
    from index.reader import GenerationReader
    from query.asked import narrowed
    from query.expand import expanded
    from query.filter import marked, rows
    from query.pipeline import Searcher, check_llm, needs_embedder

    settings = workspace.settings
    chosen = narrowed(asked, settings.query)
    check_llm(chosen, llm)
    if needs_embedder(chosen):
        workspace.embedder.preload()
    reader = GenerationReader.open(workspace.location, settings.bm25, request.generation)
    searcher = Searcher(reader, chosen, lambda: workspace.embedder, llm)
    question = searcher.question(asked)
    wanted = check.is_fresh if request.fresh == "drop" else None
    with reader.blaming_damage():
        live = rows(reader, request.filter)
        found = searcher.search(question, live, request.explain, wanted)
        whole = searcher.reader
        hits = expanded(marked(found, whole, request.filter), whole, chosen, live)
        return reader, hits, question


def why_nothing(reader: "GenerationReader", request: Request, asked: "Asked") -> str:
    """Why there are no hits; says nothing of documents that whoever asks may not read."""
    from query.filter import out_of_date

    if len(reader) == 0:
        return "no hits: the knowledge base is empty"
    narrowed = request.filter.described()
    why = f"no hits in the files that match {narrowed}" if narrowed else "no hits"
    if asked.phrases or asked.excluded:
        must = [f'"{phrase}"' for phrase in asked.phrases]
        must += [f"not {text}" for text in asked.excluded]
        why += f" with {', '.join(must)}, word for word"
    closed = 0 if request.filter.include_expired else out_of_date(reader, request.filter)
    if not closed:
        return why
    more = say.count(closed, "document")
    return f"{why}; {more} not valid on {request.filter.as_of}: see --include-expired, --as-of"
