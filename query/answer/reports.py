"""More of a graph's reports than a question's hits hold."""

from collections.abc import Callable
from copy import copy

from msgspec.structs import replace

from index.reader import GenerationReader
from kb.models.embedder import Embedder
from kb.records import Chunk, Hit
from kb.settings import QuerySettings
from query.expand import expanded
from query.filter import Filter, marked, rows
from query.pipeline import Searcher
from query.question import Question
from query.route.base import Route


def reports(
    question: Question,
    reader: GenerationReader,
    settings: QuerySettings,
    embedder: Callable[[], Embedder],
    filter: Filter,
    wanted: Callable[[Chunk], bool] | None,
    most: int,
) -> list[Hit]:
    """The best reports by the question's own legs, no LLM asked.

    Args:
        question: answered from reports.
        reader: of the generation.
        settings: of the question.
        embedder: called when a vector is first needed.
        filter: reports that say what it hides are left out.
        wanted: as of `Searcher.search`.
        most: reports.
    """
    rerank = "none" if settings.rerank == "llm" else settings.rerank
    chosen = replace(settings, k=most, rerank=rerank, helpers=(), prune=False)
    searcher = Searcher(reader, chosen, embedder)
    asking = copy(question)
    asking.route = Route("graph", ("community",))
    live = rows(reader, filter)
    found = searcher.search(asking, live, wanted=wanted)
    return expanded(marked(found, searcher.reader, filter), searcher.reader, chosen, live)
