"""Trees of summaries for programs and browsers."""

import html
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from index.raptor.outline import Item, Outline
    from kb.records import Chunk

_LABEL = 60  # characters of a text in a drawing
_PASSAGE = 400  # characters of a leaf in a page
_HEAD = """<!doctype html>
<html><head><meta charset="utf-8"><title>Tree of summaries</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.45 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em;
  color: #222; background: #fff }
details, .leaf { margin: .3em 0 .3em .2em; padding-left: 1em; border-left: 2px solid #ccc }
summary { cursor: pointer } .about { color: #666; font-size: .85em }
p { margin: .3em 0; white-space: pre-line }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } .about { color: #999 } }
</style></head><body>"""


def as_json(outline: "Outline") -> dict[str, Any]:
    """Trees by scope, and all items, a summary before what is below it."""
    return {
        "trees": [{"scope": scope, "tops": tops} for scope, tops in outline.tops.items()],
        "nodes": [_node(item) for item in outline.items.values()],
    }


def _node(item: "Item") -> dict[str, Any]:
    chunk = item.chunk
    return {
        "id": chunk.id,
        "path": chunk.path,
        "level": chunk.level,
        "lines": chunk.lines,
        "pages": chunk.pages,
        "language": chunk.language,
        "chunks": item.leaves,
        "text": chunk.text,
        "children": list(item.children),
    }


def as_dot(outline: "Outline") -> Iterator[str]:
    """A directed graph for Graphviz, from summaries to what they are of."""
    yield "digraph tree {"
    yield '  rankdir=LR; node [shape=box, fontname="sans-serif"];'
    for item in outline.items.values():
        label = f"{_place(item.chunk)}\n{_short(item.chunk.text, _LABEL)}"
        yield f"  {_quoted(item.chunk.id)} [label={_quoted(label)}];"
    for item in outline.items.values():
        for child in item.children:
            yield f"  {_quoted(item.chunk.id)} -> {_quoted(child)};"
    yield "}"


def as_html(outline: "Outline") -> Iterator[str]:
    """One page that needs nothing else: each summary opens to what it is of."""
    yield _HEAD
    for scope, tops in outline.tops.items():
        if scope:
            yield f"<h2>{html.escape(scope)}</h2>"
        for top in tops:
            yield from _opened(outline, top)
    yield "</body></html>"


def _opened(outline: "Outline", name: str) -> Iterator[str]:
    item = outline.items[name]
    about = html.escape(_place(item.chunk))
    if not item.leaves:
        text = html.escape(_short(item.chunk.text, _PASSAGE))
        yield f'<div class="leaf"><span class="about">{about}</span><p>{text}</p></div>'
        return
    many = f"level {item.chunk.level}, {item.leaves:,} chunks"
    yield f"<details><summary>{html.escape(_short(item.chunk.text, _LABEL * 2))}"
    yield f'<span class="about"> {about}, {many}</span></summary>'
    yield f"<p>{html.escape(item.chunk.text)}</p>"
    for child in item.children:
        yield from _opened(outline, child)
    yield "</details>"


def _place(chunk: "Chunk") -> str:
    if chunk.lines:
        return f"{chunk.path}:{chunk.lines[0]}"
    return f"{chunk.path}#page={chunk.pages[0]}" if chunk.pages else chunk.path


def _short(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def _quoted(text: str) -> str:
    """As JSON writes it, which Graphviz reads: line breaks as two characters."""
    return json.dumps(text, ensure_ascii=False)
