"""How long questions take, and which part of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from index.bench.clock import Clock
from index.reader import GenerationReader
from kb.models.embedder import Embedder
from kb.settings import QuerySettings
from query.asked import plain
from query.pipeline import Searcher


@dataclass(frozen=True, slots=True)
class Asked:
    """What questions took."""

    questions: int
    seconds: dict[str, float]  # of all of them, by step


def time_questions(
    reader: GenerationReader, settings: QuerySettings, embedder: Embedder, texts: Sequence[str]
) -> Asked:
    """Ask each text once, after one that warms up; no LLM is asked."""
    if settings.rerank == "llm":
        settings = replace(settings, rerank="maxsim")
    searcher = Searcher(reader, replace(settings, helpers=()), lambda: embedder)
    clock = Clock()
    searcher.search(plain(texts[0]))
    for text in texts:
        with clock.stage("embed questions"):
            question = searcher.question(plain(text))
            _ = question.vector
        with clock.stage("answer questions"):
            searcher.search(question)
    return Asked(len(texts), clock.seconds)
