"""Trees of summaries on a terminal."""

import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli import say
from cli.hits import place
from kb.location import Location

if TYPE_CHECKING:
    from index.raptor.outline import Item, Outline

DEPTH = 2  # levels below the first that are shown where nobody says otherwise
_PIPE = 160  # columns where there is no terminal
_LEAST = 24  # columns that a text has, however deep it stands


def lines(outline: "Outline", location: Location) -> Iterator[str]:
    """A line an item, as wide as the terminal: where it is, how many chunks it is of, how it begins."""
    width = max(shutil.get_terminal_size().columns, 40) if sys.stdout.isatty() else _PIPE
    for scope, tops in outline.tops.items():
        if scope:
            yield say.in_line(scope)
        for number, top in enumerate(tops):
            last = number == len(tops) - 1
            corner = ("└─ " if last else "├─ ") if scope else ""
            indent = ("   " if last else "│  ") if scope else ""
            yield from _below(outline, top, location, width, corner, indent)


def _below(
    outline: "Outline", name: str, location: Location, width: int, corner: str, indent: str
) -> Iterator[str]:
    item = outline.items[name]
    yield _line(item, location, width, corner)
    for number, child in enumerate(item.children):
        last = number == len(item.children) - 1
        yield from _below(
            outline,
            child,
            location,
            width,
            indent + ("└─ " if last else "├─ "),
            indent + ("   " if last else "│  "),
        )


def _line(item: "Item", location: Location, width: int, corner: str) -> str:
    name = place(location, item.chunk)
    most = max(width // 2 - len(corner), _LEAST)
    head = f"{corner}{name if len(name) <= most else '…' + name[1 - most :]}"
    if item.leaves:
        head += f" ({say.count(item.leaves, 'chunk')})"
    text = " ".join(item.chunk.text.split())
    room = max(width - len(head) - 2, _LEAST)
    return f"{head}  {text if len(text) <= room else text[: room - 1].rstrip() + '…'}"
