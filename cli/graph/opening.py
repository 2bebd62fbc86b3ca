"""Opens the graph for a command that shows it."""

from pathlib import Path
from typing import TYPE_CHECKING

from cli import say
from cli.filtering import filter_of
from cli.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from index.graph.records import Mention
    from query.graph.seen import SeenGraph, Source


def open_graph(
    kb: Path | None, generation: str | None, principal: str | None
) -> "AbstractContextManager[SeenGraph]":
    """The graph of a generation, as whoever asks may see it.

    Raises:
        UsageError: no KB, or no graph in it.
    """
    from contextlib import contextmanager

    from index.reader import GenerationReader
    from query.filter import readable
    from query.graph.seen import SeenGraph

    workspace = open_workspace(kb)

    @contextmanager
    def opened() -> "Iterator[SeenGraph]":
        reader = GenerationReader.open(workspace.location, generation=generation)
        with reader.blaming_damage():
            asking = filter_of(workspace.settings, principal=principal)
            yield SeenGraph(reader, readable(reader, asking))

    return opened()


def place(source: "Source") -> str:
    """``file:line`` or ``file#page=3``, for a line of output."""
    path = say.in_line(source.path)
    if source.lines:
        return f"{path}:{source.lines[0]}"
    return f"{path}#page={source.pages[0]}" if source.pages else path


def name_of(seen: "SeenGraph", node: int) -> str:
    """A node's name, for a line of output."""
    return say.in_line(seen.node(node).name)


def first_source(seen: "SeenGraph", mentions: "list[Mention]") -> "Source | None":
    """The first place of an edge, where there is one to be seen."""
    return seen.source(mentions[0]) if mentions else None


def one_line(text: str, most: int = 200) -> str:
    """A text on one line, its end cut off where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[:most].rstrip() + " …"
