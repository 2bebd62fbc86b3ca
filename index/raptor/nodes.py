"""A summary as a tree keeps it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from index.raptor.members import Summary
from index.raptor.project import Vectors
from kb.digest import digest
from kb.records import Chunk, Quote


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What was said of a cluster; its quotes count from the start of the leaf they are from."""

    key: str  # of what was summarised: the same key needs no new summary
    id: str
    text: str
    quotes: tuple[Quote, ...]
    tokens: int  # of the embedder's tokenizer
    stood_in: str
    pending: bool
    vector: Vectors  # (d,)


def node_key(summarizer: str, members: Sequence[str]) -> str:
    """The key of a cluster.

    Args:
        summarizer: its name and version.
        members: ids of summaries, or what `leaf_key` gives.
    """
    return digest("summarised", summarizer, *sorted(members))


def leaf_key(chunk: Chunk) -> str:
    """Of all of a leaf that its place in a tree, and what is said of it, depend on."""
    return digest("leaf", chunk.id, chunk.context, chunk.language)


def new_node(
    key: str, summary: Summary, vector: Vectors, tokens: int, leaf: Callable[[str], Chunk]
) -> Node:
    """A node from what a summariser said; `leaf` gives a leaf by its id."""
    return Node(
        key,
        digest("summary", key, summary.text),
        summary.text,
        tuple(_moved(quote, leaf(quote.leaf), -1) for quote in summary.quotes),
        tokens,
        summary.stood_in,
        summary.pending,
        np.asarray(vector, np.float32),
    )


def quotes_now(node: Node, leaf: Callable[[str], Chunk]) -> tuple[Quote, ...]:
    """The quotes where their leaves stand in their documents now."""
    return tuple(_moved(quote, leaf(quote.leaf), 1) for quote in node.quotes)


def in_own_words(node: Node) -> bool:
    """Whether any word of the text is not quoted: then it stands on all its leaves."""
    at = 0
    outside = []
    for quote in sorted(node.quotes, key=lambda quote: quote.start):
        outside.append(node.text[at : quote.start])
        at = max(at, quote.end)
    return any(sign.isalnum() for sign in "".join(outside) + node.text[at:])


def _moved(quote: Quote, leaf: Chunk, sign: int) -> Quote:
    return replace(
        quote,
        source_start=quote.source_start + sign * leaf.start,
        source_end=quote.source_end + sign * leaf.start,
        path=leaf.path,
        lines=_shifted(quote.lines, leaf.lines, sign),
        pages=_shifted(quote.pages, leaf.pages, sign),
    )


def _shifted(
    bounds: tuple[int, int] | None, leaf: tuple[int, int] | None, sign: int
) -> tuple[int, int] | None:
    if bounds is None or leaf is None:
        return None
    return bounds[0] + sign * leaf[0], bounds[1] + sign * leaf[0]
