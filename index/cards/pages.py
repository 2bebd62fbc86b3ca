"""A card as chunks: in one where it fits, else a chain of them, each with the head."""

from collections.abc import Callable, Iterator, Sequence

from index.cards.counting import Counted
from index.cards.wording import Said
from index.chunk_table import ChunkTable
from kb.digest import digest
from kb.records import Chunk

MOST_LEAVES = 10_000  # ids that a chunk lists


def card_path(name: str, page: int = 1) -> str:
    """``card:NAME``, and ``card:NAME/2`` for the second of a chain."""
    return f"card:{name}" if page == 1 else f"card:{name}/{page}"


def chunks(
    counted: Counted, said: Said, table: ChunkTable, count: Callable[[str], int], size: int
) -> list[Chunk]:
    """The chunks of a card, in order.

    Args:
        counted: what it says.
        said: that in words.
        table: the leaves.
        count: tokens of a text.
        size: tokens that a chunk has at most; a single line may have more.
    """
    leaves = tuple(table[row].id for row in counted.rows[:MOST_LEAVES])
    texts = list(_texts(said, count, size))
    return [
        chunk_of(
            card_path(counted.definition.name, page), text, said, leaves, counted.language, count
        )
        for page, text in enumerate(texts, 1)
    ]


def chunk_of(
    path: str,
    text: str,
    said: Said,
    leaves: tuple[str, ...],
    language: str,
    count: Callable[[str], int],
) -> Chunk:
    """A derived chunk; its id comes from its text and its members."""
    key = digest("card", path, said.asked, text, *leaves)
    return Chunk(
        id=key,
        doc_id=key,
        path=path,
        start=0,
        end=len(text),
        text=text,
        context=said.asked,
        title=said.title,
        language=language,
        tokens=count(text),
        kind="card",
        level=1,
        leaves=leaves,
    )


def _texts(said: Said, count: Callable[[str], int], size: int) -> Iterator[str]:
    lines: list[str] = []
    used = head = count(said.head)
    for line in said.lines:
        tokens = count(line) + 1
        if lines and used + tokens > size:
            yield _text(said.head, lines)
            lines, used = [], head
        lines.append(line)
        used += tokens
    yield _text(said.head, lines)


def _text(head: str, lines: Sequence[str]) -> str:
    return "\n".join((head, *lines))
