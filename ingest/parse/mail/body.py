"""The paragraphs of a plain text body: what was quoted apart from what was written."""

import re
from collections.abc import Iterator

from kb.records import ElementKind

_QUOTED = re.compile(r"\s*(?:>|\|\s?>)")
_BULLET = re.compile(r"\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+\S")


def paragraphs(text: str, flowed: bool = False) -> Iterator[tuple[ElementKind, str]]:
    """What blank lines and the begin of a quotation part; `flowed` lines are joined (RFC 3676)."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        quoted = _QUOTED.match(line) is not None
        if block and (not line.strip() or quoted != (_QUOTED.match(block[0]) is not None)):
            yield _kind(block[0]), _joined(block, flowed)
            block = []
        if line.strip():
            block.append(line)


def _kind(first: str) -> ElementKind:
    if _QUOTED.match(first):
        return "quote"
    return "list" if _BULLET.match(first) else "paragraph"


def _joined(block: list[str], flowed: bool) -> str:
    if not flowed:
        return "\n".join(line.rstrip() for line in block)
    out = ""
    for line in block:
        out += line if line.endswith(" ") and line != "-- " else line + "\n"
    return out.rstrip()
