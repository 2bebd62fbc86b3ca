"""Cuts the lines of reStructuredText into blocks."""

import re

from ingest.parse.source_lines import Block
from kb.records import ElementKind

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
_ITEM = re.compile(
    r"(?:[-*+•]|\(?(?:\d{1,3}|#|[A-Za-z]|[ivxIVX]{1,5})[.)])(?:\s+\S|$)|:[^:\s][^:]*:(?:\s|$)|\|\s"
)
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([\w:.+-]+?)::(?:\s|$)")
_SIMPLE_TABLE = re.compile(r"=+(?:[ \t]+=+)+[ \t]*$")
_GRID_TABLE = re.compile(r"\+(?:[-=]+\+)+[ \t]*$")
MAX_SOURCE = 1000  # characters of a heading that are read for its title
DIRECTIVES: dict[str, ElementKind] = {
    **dict.fromkeys(
        ("code", "code-block", "sourcecode", "literalinclude", "parsed-literal", "math"), "code"
    ),
    **dict.fromkeys(("doctest", "testcode", "prompt", "productionlist", "graphviz", "raw"), "code"),
    **dict.fromkeys(("note", "warning", "tip", "hint", "important", "caution", "danger"), "note"),
    **dict.fromkeys(("attention", "error", "seealso", "admonition", "deprecated"), "note"),
    **dict.fromkeys(("versionadded", "versionchanged", "topic", "sidebar"), "note"),
    **dict.fromkeys(("table", "csv-table", "list-table"), "table"),
    **dict.fromkeys(("figure", "image"), "caption"),
    **dict.fromkeys(("epigraph", "pull-quote", "highlights"), "quote"),
}


def scan(rows: list[str]) -> list[Block]:
    """The blocks of a document given by its lines, in order. Any input is accepted."""
    levels: list[tuple[str, bool]] = []
    blocks: list[Block] = []
    i = 0
    while i < len(rows):
        if not rows[i].strip():
            i += 1
            continue
        block = _heading(rows, i, levels) or _block(rows, i, blocks[-1] if blocks else None)
        blocks.append(block)
        i = block.last
    return blocks


def _heading(rows: list[str], i: int, levels: list[tuple[str, bool]]) -> Block | None:
    """A title with its underline, or between two; levels go by first appearance of the style."""
    over = _adorned(rows, i)
    if over and i + 2 < len(rows) and _adorned(rows, i + 2) == over and rows[i + 1].strip():
        first, title, last = i, rows[i + 1], i + 3
    elif not over and _adorned(rows, i + 1) and not rows[i][0].isspace():
        first, title, last = i, rows[i], i + 2
    else:
        return None
    rule = len(rows[last - 1].rstrip())
    if rule < min(len(title.strip()), 4) or (rule < 3 and len(title.strip()) > rule):
        return None
    style = (rows[last - 1][0], bool(over))
    if style not in levels:
        levels.append(style)
    return Block(
        "heading",
        first,
        last,
        levels.index(style) + 1,
        " ".join(_plain(title[:MAX_SOURCE]).split()),
    )


def _adorned(rows: list[str], i: int) -> str:
    if i >= len(rows) or rows[i].startswith("::"):
        return ""
    return rows[i][0] if _ADORNMENT.match(rows[i]) and len(rows[i].rstrip()) > 1 else ""


def _plain(title: str) -> str:
    """A title without inline markup: roles, literals, emphasis, link targets."""
    title = re.sub(r":[\w:.+-]+:`([^`]+)`", r"`\1`", title)
    title = re.sub(r"`([^`<]*?)\s*(?:<[^`>]*>)?`_{0,2}", r"\1", title)
    return re.sub(r"(\*\*?)(\S.*?)\1", r"\2", title.replace("``", ""))


def _block(rows: list[str], i: int, before: Block | None) -> Block:
    row = rows[i]
    if row[0].isspace():
        literal = before is not None and _announces_literal(rows, before)
        return Block("code" if literal else "quote", i, _indented_end(rows, i))
    if row.startswith((".. ", "__ ")) or row.rstrip() == "..":
        match = _DIRECTIVE.match(row)
        kind = DIRECTIVES.get(match.group(1).lower(), "paragraph") if match else "paragraph"
        return Block(kind, i, _indented_end(rows, i + 1))
    if row.startswith(">>> "):
        return Block("code", i, _paragraph_end(rows, i))
    if _GRID_TABLE.match(row):
        return Block("table", i, _paragraph_end(rows, i))
    if _SIMPLE_TABLE.match(row):
        return Block("table", i, _simple_table_end(rows, i))
    if _ITEM.match(row):
        return Block("list", i, _list_end(rows, i))
    return Block("paragraph", i, _paragraph_end(rows, i))


def _announces_literal(rows: list[str], before: Block) -> bool:
    if before.kind == "code":
        return True
    return before.kind in ("paragraph", "list") and rows[before.last - 1].rstrip().endswith("::")


def _paragraph_end(rows: list[str], i: int) -> int:
    end = i + 1
    while end < len(rows) and rows[end].strip() and not rows[end].startswith(".. "):
        end += 1
    return end


def _indented_end(rows: list[str], i: int) -> int:
    """The line after the indented lines from `i` on, blank ones among them counted in."""
    end = i
    for k in range(i, len(rows)):
        if not rows[k].strip():
            continue
        if not rows[k][0].isspace():
            break
        end = k + 1
    return max(end, i)


def _list_end(rows: list[str], i: int) -> int:
    """The line after the last item: items follow each other, blank lines and bodies between."""
    end = i
    while end < len(rows) and _ITEM.match(rows[end]):
        while end < len(rows) and rows[end].strip():
            end += 1
        end = _indented_end(rows, end)
        if rows[end - 1].rstrip().endswith("::"):
            break
        following = next((k for k in range(end, len(rows)) if rows[k].strip()), len(rows))
        if following < len(rows) and _ITEM.match(rows[following]):
            end = following
    return end


def _simple_table_end(rows: list[str], i: int) -> int:
    """After the third rule (the second where the table has no header), else at the blank line."""
    rules = 0
    for k in range(i, len(rows)):
        if _SIMPLE_TABLE.match(rows[k]):
            rules += 1
            following = rows[k + 1].strip() if k + 1 < len(rows) else ""
            if rules > 1 and not following:
                return k + 1
    return _paragraph_end(rows, i)
