"""Reports as chunks of kind ``community``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from index.graph.communities.material import Place
from index.graph.communities.records import Community
from index.graph.quoting import quote
from ingest.language import detect
from kb.digest import digest
from kb.models.embedder import Tokenizer
from kb.records import Chunk, Quote

_NAMED = 12  # members in the context


@dataclass(frozen=True, slots=True)
class Told:
    """A report's words."""

    text: str
    rows: tuple[int, ...]  # the leaves whose words these are, rising
    quotes: tuple[Quote, ...] = ()


def quoted(places: Sequence[Place], leaf: Callable[[int], Chunk]) -> Told:
    """Sentences word for word, one a line."""
    parts: list[str] = []
    quotes: list[Quote] = []
    at = 0
    for row, start, end in places:
        chunk = leaf(row)
        parts.append(chunk.text[start:end])
        quotes.append(quote(chunk, start, end, at))
        at += end - start + 1
    return Told("\n".join(parts), tuple(sorted({row for row, _, _ in places})), tuple(quotes))


def chunk_of(
    community: Community,
    names: Sequence[str],
    told: Told,
    leaf: Callable[[int], Chunk],
    tokenizer: Tokenizer,
) -> Chunk:
    """The report as a chunk; its context names the members, which its text need not do.

    Args:
        community: that it is on.
        names: of its members, most central first.
        told: the words.
        leaf: a leaf chunk by row.
        tokenizer: of the embedder.
    """
    leaves = tuple(leaf(row).id for row in told.rows)
    identity = digest("report", community.id, str(community.level), told.text, *leaves)
    return Chunk(
        id=identity,
        doc_id=identity,
        path=community.path,
        start=0,
        end=len(told.text),
        text=told.text,
        context=", ".join(names[:_NAMED]),
        title=community.title,
        language=detect(told.text),
        tokens=tokenizer.count(told.text),
        kind="community",
        level=community.level,
        leaves=leaves,
        quotes=told.quotes,
    )
