"""One question's answer as it is shown and exchanged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ingest.describe.mark import describer_in
from kb.records import Expansion, Hit
from query.question import Question

VERSION = 1  # of the JSON; raised when a field changes its meaning or goes


@dataclass(frozen=True, slots=True)
class Results:
    """Hits with what is needed to get them again: generation, settings, day and filters."""

    query: str
    generation: int
    settings: str  # digest of the query settings
    hits: list[Hit]
    subqueries: Mapping[str, str] = field(default_factory=dict)  # "lex", "vec" and further searches
    notes: Sequence[str] = ()  # what was done other than asked
    as_of: str = ""  # the day whose valid documents answered
    filters: Mapping[str, Any] = field(default_factory=dict)  # options that narrowed, by name
    why_not: Mapping[str, Any] | None = None  # what became of a document that was asked about
    llm: str = ""  # the model that had a part in it, and where

    def to_json(self) -> dict[str, Any]:
        """The documented JSON form; what may be missing is there only where there is any."""
        shown: dict[str, Any] = {
            "version": VERSION,
            "query": self.query,
            "generation": self.generation,
            "settings": self.settings,
            "as_of": self.as_of,
            "filters": dict(self.filters),
        }
        if self.subqueries:
            shown["subqueries"] = dict(self.subqueries)
        if self.llm:
            shown["llm"] = self.llm
        if self.notes:
            shown["notes"] = list(self.notes)
        if self.why_not is not None:
            shown["why_not"] = dict(self.why_not)
        shown["hits"] = [hit_json(hit) for hit in self.hits]
        return shown


def searched(question: Question) -> dict[str, str]:
    """The sub-queries that were given, and the further searches that were made, by name."""
    further = {sub.name: sub.says for sub in question.further or ()}
    return {**question.asked.subqueries, **further}


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit in JSON; `lines` and `page` are null where the format has none.

    ``kind``, ``level``, ``leaves`` and ``quotes`` are there where it is a derived chunk,
    ``described_by`` is there where a model's words are in the text: all of it, or what is marked.
    ``steps`` is there where tag weights or diversity changed the score, ``explain`` where it was asked for.
    """
    chunk = hit.chunk
    shown: dict[str, Any] = {
        "rank": hit.rank,
        "score": hit.score,
        "id": chunk.id,
        "path": chunk.path,
        "page": chunk.pages[0] if chunk.pages else None,
        "lines": list(chunk.lines) if chunk.lines else None,
        "span": [chunk.start, chunk.end],
        "title": chunk.title,
        "heading": list(chunk.heading),
        "language": chunk.language,
        "validity": hit.validity,
        "text": chunk.text,
        "legs": msgspec.to_builtins(hit.legs),
        "fusion": hit.fusion,
        "rerank": hit.rerank,
        "fresh": hit.fresh,
        "duplicates": [
            {
                "id": other.id,
                "path": other.path,
                "page": other.pages[0] if other.pages else None,
                "lines": list(other.lines) if other.lines else None,
                "validity": other.validity,
            }
            for other in hit.duplicates
        ],
    }
    model, alone = describer_in(chunk.text, chunk.kinds)
    if model:
        shown["described_by"] = {"model": model, "whole": alone}
    if chunk.kind != "text":
        shown |= {"kind": chunk.kind, "level": chunk.level, "leaves": list(chunk.leaves)}
        shown["quotes"] = msgspec.to_builtins(chunk.quotes)
    if hit.steps:
        shown["steps"] = hit.steps
    if hit.expanded is not None:
        shown["expanded"] = expansion_json(hit.expanded)
    elif hit.expanded_in is not None:
        shown["expanded"] = {"in": hit.expanded_in}
    if hit.explain is not None:
        shown["explain"] = hit.explain
    return shown


def expansion_json(found: Expansion) -> dict[str, Any]:
    """The text around hits in JSON; `cut` counts the characters left out, null where it is whole."""
    cut = {"before": found.before, "after": found.after} if found.before or found.after else None
    return {
        "kind": found.kind,
        "span": [found.start, found.end],
        "lines": list(found.lines) if found.lines else None,
        "pages": list(found.pages) if found.pages else None,
        "cut": cut,
        "hits": list(found.ranks),
        "text": found.text,
        **({"quotes": msgspec.to_builtins(found.quotes)} if found.quotes else {}),
    }
