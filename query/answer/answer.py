"""An answer as it is shown and exchanged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.digest import digest, digest_settings
from kb.models.llm.base import asked_of
from kb.records import Hit
from kb.settings import LlmSettings, QuerySettings
from query.answer.cited import Sentence
from query.answer.prompt import POINTS_VERSION
from query.answer.prompt import VERSION as PROMPT_VERSION

VERSION = 1  # of the JSON; raised when a field changes its meaning or goes


@dataclass(frozen=True, slots=True)
class Source:
    """What ``[n]`` stands for."""

    number: int
    hit: Hit
    lines: tuple[int, int] | None  # those that are quoted, or the passage's


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with what is needed to get it again: generation, settings, day and filters."""

    query: str
    answered: bool  # False: the material is not enough; the sentences are what comes nearest
    sentences: Sequence[Sentence]
    sources: Sequence[Source]  # only those that are cited
    quoted: bool  # the sentences are the sources' own, word for word
    generation: int
    settings: str  # digest of the settings of query and LLM
    as_of: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    llm: str = ""  # the model that wrote it
    cost: Mapping[str, int | float | None] = field(default_factory=dict)  # where an LLM was asked

    @property
    def text(self) -> str:
        """The sentences with their citations."""
        return "".join(cited(s) + s.after for s in self.sentences).strip()

    def to_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "version": VERSION,
            "query": self.query,
            "answered": self.answered,
            "answer": self.text,
            "quoted": self.quoted,
            "sentences": [_sentence_json(s) for s in self.sentences],
            "sources": [_source_json(source) for source in self.sources],
            "notes": list(self.notes),
            "llm": self.llm or None,
            "cost": dict(self.cost) or None,
            "generation": self.generation,
            "settings": self.settings,
            "as_of": self.as_of,
            "filters": dict(self.filters),
        }


def settings_digest(query: QuerySettings, llm: LlmSettings | None) -> str:
    """Of what an answer depends on, apart from generation and question."""
    found = digest_settings(query)
    if llm is None:
        return found
    return digest(
        "ask", found, PROMPT_VERSION, POINTS_VERSION, *(str(part) for part in asked_of(llm))
    )


def cited(sentence: Sentence) -> str:
    """A sentence with its citations after it; [?] where a check found something."""
    marks = "".join(f"[{n}]" for n in sentence.sources)
    if sentence.doubts:
        marks += "[?]"
    if not marks:
        return sentence.text
    return f"{sentence.text} {marks}"


def _sentence_json(sentence: Sentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "sources": list(sentence.sources),
        "doubts": list(sentence.doubts),
    }


def _source_json(source: Source) -> dict[str, Any]:
    chunk = source.hit.chunk
    return {
        "n": source.number,
        "id": chunk.id,
        "path": chunk.path,
        "page": chunk.pages[0] if chunk.pages else None,
        "lines": list(source.lines) if source.lines else None,
        "span": [chunk.start, chunk.end],
        "title": chunk.title,
        "heading": list(chunk.heading),
        "validity": source.hit.validity,
        "fresh": source.hit.fresh,
        "text": chunk.text,
    }
