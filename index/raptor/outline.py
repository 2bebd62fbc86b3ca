"""A generation's trees, to be shown."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from index.derived.files import made_chunks
from index.derived.joined import JoinedReader
from index.raptor.links import Links, read_links
from index.reader import GenerationReader
from kb.errors import UsageError
from kb.records import Chunk

COMPONENT = "raptor"


@dataclass(frozen=True, slots=True)
class Item:
    """A summary or a leaf."""

    chunk: Chunk
    leaves: int  # under it; 0: it is one
    children: tuple[str, ...]  # ids, in document order


@dataclass(slots=True)
class Outline:
    """Trees as far as they were asked for: uppermost items by scope, and all items by id."""

    tops: dict[str, list[str]] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)


def links_of(reader: GenerationReader) -> Links:
    """The links of a generation's trees.

    Raises:
        UsageError: it has none.
    """
    links = None
    if COMPONENT in reader.manifest.components:
        links = read_links(reader.folder / COMPONENT)
    if links is None:
        raise UsageError(
            f"generation {reader.manifest.number} has no tree of summaries: 'tesela raptor build' "
            "makes one, and 'tesela sync' then keeps it current"
        )
    return links


def outline(
    reader: GenerationReader, readable: Iterable[bool], start: str | None, depth: int | None
) -> Outline:
    """The trees, or what is below one node.

    Args:
        reader: of a generation with trees; where it joins leaves and derived chunks, of both.
        readable: which of its rows may be shown, leaves first.
        start: an id or its beginning, or a path ``summary:…``; None: all trees.
        depth: how many levels below the first are shown; None: all.

    Raises:
        UsageError: there is no tree, `start` names nothing in it, or several nodes.
    """
    walk = _Walk(reader, list(readable), depth)
    if start is None:
        for place in walk.links.tops.tolist():
            walk.take(place)
    else:
        walk.take(walk.find(start))
    return walk.outline


class _Walk:
    """Collects items. A number below 0 is a leaf's: ``~row``; others are places of nodes."""

    def __init__(self, reader: GenerationReader, readable: list[bool], depth: int | None) -> None:
        self.links = links_of(reader)
        self.outline = Outline()
        self._table = reader.chunks
        self._nodes = list(made_chunks(reader.folder / COMPONENT))
        self._depth = depth
        leaves = len(reader.leaves) if isinstance(reader, JoinedReader) else len(reader)
        derived = range(leaves, len(reader))
        open_ids = {reader.chunks[row].id for row in derived if readable[row]}
        self._open_nodes = [chunk.id in open_ids for chunk in self._nodes]
        self._open_leaves = readable[:leaves]
        self._first = self._first_leaves()

    def find(self, start: str) -> int:
        """The place of the node that `start` names."""
        wanted = start.removeprefix("summary:")
        found = [
            place
            for place, chunk in enumerate(self._nodes)
            if self._open_nodes[place] and chunk.id.startswith(wanted)
        ]
        if not wanted or not found:
            raise UsageError(
                f"{start!r} is no summary of the tree: 'tesela raptor show' names those at the top, "
                "with --depth those below"
            )
        if len(found) > 1:
            raise UsageError(f"{start!r} is the start of {len(found)} ids: write more of it")
        return found[0]

    def take(self, top: int) -> None:
        """Put a node, or where it is not to be read what is below it, at the top of its scope."""
        scope = self.links.entry.trees[int(self.links.trees[top])].scope
        tops = self.outline.tops.setdefault(scope, [])
        seen = [top] if self._open_nodes[top] else list(self._below(top))
        tops += [name for name in map(self._id, seen) if name not in tops]
        waiting = [(one, 0) for one in seen]
        while waiting:
            one, depth = waiting.pop()
            children = self._put(one, depth)
            waiting += [(child, depth + 1) for child in children]

    def _put(self, one: int, depth: int) -> list[int]:
        """Keep an item; returns what is to be kept next."""
        name = self._id(one)
        if name in self.outline.items:
            return []
        if one < 0:
            self.outline.items[name] = Item(self._table[~one], 0, ())
            return []
        shown = self._depth is None or depth < self._depth
        children = sorted(self._below(one), key=self._place) if shown else []
        chunk = self._nodes[one]
        self.outline.items[name] = Item(chunk, len(chunk.leaves), tuple(map(self._id, children)))
        return children

    def _below(self, place: int) -> Iterator[int]:
        """What may be read below a node: in place of what may not, what is below that."""
        for one in self.links.below(place).tolist():
            if self.links.levels[place] == 1:
                if self._open_leaves[one]:
                    yield ~one
            elif self._open_nodes[one]:
                yield one
            else:
                yield from self._below(one)

    def _id(self, one: int) -> str:
        return self._table[~one].id if one < 0 else self._nodes[one].id

    def _place(self, one: int) -> tuple[int, int]:
        """Where its leaves begin in the order of documents."""
        return (~one, -1) if one < 0 else (self._first[one], one)

    def _first_leaves(self) -> list[int]:
        """The first leaf row under each node; nodes of a level stand before those above them."""
        first: list[int] = []
        for place in range(len(self.links)):
            below = self.links.below(place).tolist()
            first.append(
                min(below if self.links.levels[place] == 1 else map(first.__getitem__, below))
            )
        return first
