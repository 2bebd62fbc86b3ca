"""From what an earlier run left, and what is there now, to a forest and its chunks."""

from index.raptor.grow import Before
from index.raptor.leaves import Leaves
from index.raptor.nodes import in_own_words, quotes_now
from index.raptor.state import State
from index.raptor.tree import Forest, spoken
from kb.records import Chunk

_SHOWN = 8  # hex digits of an id in a path, at least


def before_of(state: State | None, leaves: Leaves, fingerprint: str, shape: str) -> Before:
    """What can be taken over.

    Args:
        state: of the generation before.
        leaves: of this one.
        fingerprint: of the embedder; vectors of another are worth nothing.
        shape: what structure depends on now; where it differs, only summaries are taken over.
    """
    if state is None or state.entry.fingerprint != fingerprint:
        return Before()
    nodes = {node.key: node for *_, node in state.forest.each()}
    if state.entry.shape != shape:
        return Before(nodes=nodes)
    now = {key: row for row, key in enumerate(leaves.keys)}
    rows = {then: now[key] for then, key in enumerate(state.keys) if key in now}
    return Before(state.forest, rows, nodes)


def chunks_of(forest: Forest, leaves: Leaves) -> tuple[list[Chunk], list[list[int]]]:
    """The summaries as chunks, and the leaf rows whose words each holds.

    They are in order of tree, level and number.
    """
    row_of = {chunk: row for row, chunk in enumerate(leaves.ids)}
    under = {id(tree): tree.under() for tree in forest.trees}
    chunks, stands_on = [], []
    names = _names([node.id for *_, node in forest.each()])
    for (tree, level, number, node), name in zip(forest.each(), names, strict=True):
        rows = under[id(tree)][level][number]
        quotes = quotes_now(node, lambda leaf: leaves.at(row_of[leaf]))
        quoted = sorted({row_of[quote.leaf] for quote in quotes})
        stands_on.append(rows.tolist() if in_own_words(node) else quoted)
        chunks.append(
            Chunk(
                id=node.id,
                doc_id=node.id,
                path=f"summary:{name}",
                start=0,
                end=len(node.text),
                text=node.text,
                language=spoken(rows, leaves),
                tokens=node.tokens,
                kind="summary",
                level=level + 1,
                leaves=tuple(leaves.ids[row] for row in rows.tolist()),
                quotes=quotes,
            )
        )
    return chunks, stands_on


def _names(ids: list[str]) -> list[str]:
    """The beginnings of ids, as long as it takes to tell them apart."""
    length = _SHOWN
    while len({one[:length] for one in ids}) < len(set(ids)):
        length += 4
    return [one[:length] for one in ids]
