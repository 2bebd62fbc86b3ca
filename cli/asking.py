"""Asks for an answer and prints it."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli import freshness, last_hits, say
from cli.answered import NOTHING, Live, shown
from cli.answering import Request, search, why_nothing
from cli.llm import asking, print_plan
from cli.workspace import Workspace
from kb.errors import NoHits

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.models.llm.base import Tell
    from kb.models.llm.llm import Llm
    from kb.records import Hit
    from query.answer.answer import Answer
    from query.answer.compose import Composed, Material
    from query.fresh import FreshnessCheck
    from query.question import Question

GetLlm = Callable[[], "Llm"]


@dataclass
class _Run:
    """One question on its way to an answer."""

    workspace: Workspace
    request: Request
    form: str
    reader: "GenerationReader"
    question: "Question"
    hits: "Sequence[Hit]"
    check: "FreshnessCheck"
    live: Live | None = None

    def compose(self, get_llm: GetLlm | None) -> "Composed":
        """By the LLM where there is one and it answers, else from the sources' own sentences."""
        from index.derived.joined import joined
        from query.answer.compose import Composed, quoted

        if not self.hits:
            return Composed(answered=False)
        why = ""
        if get_llm is not None:
            done = self._written(get_llm())
            if isinstance(done, Composed):
                return done
            why = f"the LLM gave no answer ({done}): these are the sources' own sentences"
        words_alone = self.workspace.settings.query.mode == "sparse"  # then no model is loaded
        embedder = None if words_alone else self.workspace.embedder
        return quoted(self.question, self.hits, joined(self.reader), embedder, why)

    def _written(self, llm: "Llm") -> "Composed | str":
        from kb.models.llm.base import Failed
        from query.answer.compose import written
        from query.answer.points import gathered

        found = gathered(llm, self.question, self.hits, self._reports)
        tell = self._tell if self.form == "text" else None
        done = written(llm, self.question, found.hits, tell, found.points)
        if isinstance(done, Failed):
            return done.reason
        self.hits = found.hits
        if self.live is not None:  # before anything else is said
            self.live.finish(done.sentences)
        return done

    def _reports(self, most: int) -> "list[Hit]":
        from query.answer.reports import reports
        from query.asked import narrowed

        wanted = self.check.is_fresh if self.request.fresh == "drop" else None
        found = reports(
            self.question,
            self.reader,
            narrowed(self.question.asked, self.workspace.settings.query),
            lambda: self.workspace.embedder,
            self.request.filter,
            wanted,
            most,
        )
        return self.check.marked(found)

    def _tell(self, material: "Material") -> "Tell":
        self.live = Live(material.check)
        return self.live.tell


def answer(workspace: Workspace, request: Request, quote: bool) -> None:
    """Search, answer and print; `quote`: in the sources' own words even where there is an LLM.

    Raises:
        NoHits: nothing answers and `request` requires something.
    """
    from query.asked import ask
    from query.fresh import FreshnessCheck
    from query.phrases import notes

    form = request.form or ("text" if sys.stdout.isatty() else "md")
    asked = ask(request.text, operators=workspace.settings.query.operators)
    check = FreshnessCheck(workspace.location)
    with asking(workspace, request.plan) as llm:
        reader, found, question = search(workspace, request, asked, check, llm)
        told = notes(asked, found, reader.bm25)
        run = _Run(workspace, request, form, reader, question, check.marked(found), check)
        with reader.blaming_damage():
            composed = run.compose(None if quote else llm)
        cost = llm().cost if llm is not None and question.llm_used else {}
    if request.plan is not None:
        print_plan(request.plan, request.form)
        return
    told = [*told, *question.notes, *composed.notes]
    if not run.hits:
        told.append(why_nothing(reader, request, asked))
    for note in (*(f"warning: {warning}" for warning in reader.warnings), *told):
        say.note(note)
    if request.keep:
        last_hits.keep(workspace.location, reader.manifest.number, run.hits)
    result = _result(run, composed, told, cost)
    shown(form, result, workspace.location, run.live)
    if request.generation is None:
        freshness.footer(check)
    if request.require_hits and not composed.answered:
        raise NoHits(NOTHING)


def _result(
    run: _Run,
    composed: "Composed",
    notes: Sequence[str],
    cost: "dict[str, int | float | None]",
) -> "Answer":
    from query.answer.answer import Answer, settings_digest
    from query.asked import narrowed

    settings, asked = run.workspace.settings, run.question.asked
    by_llm = settings.llm if composed.llm else None
    return Answer(
        query=asked.query,
        answered=composed.answered,
        sentences=composed.sentences,
        sources=composed.sources,
        quoted=not composed.llm,
        generation=run.reader.manifest.number,
        settings=settings_digest(narrowed(asked, settings.query), by_llm),
        as_of=run.request.filter.as_of,
        filters=run.request.filter.narrows,
        notes=notes,
        llm=composed.llm,
        cost=cost,
    )
