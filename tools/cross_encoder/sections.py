"""Sections of HTML, Mallard and POD manuals: what gather.py makes passages of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

# fmt: off
SKIPPED_TAGS = {"script", "style", "nav", "header", "footer", "table", "button", "head", "info", "form",
                "svg", "math", "figure", "comment"}
INLINE = {"a", "b", "i", "em", "strong", "code", "span", "tt", "kbd", "var", "samp", "q", "cite", "abbr",
          "acronym", "sub", "sup", "small", "font", "gui", "key", "guiseq", "app", "cmd", "file",
          "input", "output", "link"}
# fmt: on
SKIPPED = re.compile(
    r"nav|toc|headerlink|permalink|sphinxsidebar|related|footer|indexterm|^index|banner|breadcrumb"
    r"|^header$|preamble|quickview|lang|copyright|Frame|^title$|lineno|revhistory|legalnotice|bug|contents"
)
NUMBER = re.compile(
    r"^(?:(?:chapter|cap[ií]tulo|appendix|ap[eé]ndice|parte?)\s+[\dA-Z]+\b[.:]?\s*"
    r"|[A-Z]?\d*(?:\.\d+)+[.:)]?\s+|\(?\d{1,2}[.:)]?\s+|[A-Z]\.\s+)+",
    re.IGNORECASE,
)


@dataclass
class Section:
    """A heading and the text up to the next one; `above` are the headings it stands under."""

    heading: str
    level: int
    anchor: str
    above: list[str]
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it, whitespace folded."""
        return " ".join("".join(self.parts).split())


def plain(heading: str) -> str:
    """A heading without its number."""
    return NUMBER.sub("", " ".join(heading.replace("¶", " ").split())).strip(" .:#")


def local(node: etree._Element) -> str:
    """The tag without its namespace; nothing for comments."""
    return etree.QName(node).localname.lower() if isinstance(node.tag, str) else ""


def skipped(node: etree._Element) -> bool:
    """Navigation, tables, scripts."""
    if local(node) in SKIPPED_TAGS or not local(node):
        return True
    marks = [*(node.get("class") or "").split(), node.get("id") or ""]
    return local(node) != "body" and any(SKIPPED.search(m) for m in marks if m[:3] != "hd_")


def level(node: etree._Element) -> int:
    """Of a heading; 0 for what is none."""
    name = local(node)
    if re.fullmatch(r"h[1-6]", name):
        return int(name[1])
    parent = node.getparent()
    if name == "title" and parent is not None and local(parent) in {"page", "section"}:
        return 1 + sum(local(a) == "section" for a in node.iterancestors())
    return 0


def inner(node: etree._Element) -> str:
    """Text of a heading, without links to itself."""
    inside = [inner(c) + (c.tail or "") if not skipped(c) else c.tail or "" for c in node]
    return (node.text or "") + "".join(inside)


def anchor(node: etree._Element) -> str:
    """The first id or name in a heading, or in what begins with it."""
    for one in (*node.iter(), node.getparent()):
        if one is not None and isinstance(one.tag, str) and (one.get("id") or one.get("name")):
            return one.get("id") or one.get("name")
    return ""


def pieces(node: etree._Element) -> Iterator[etree._Element | str]:
    """The headings (elements) and texts of a page, in order."""
    if level(node):
        yield node
        return
    gap = "" if local(node) in INLINE else " "
    yield gap + (node.text or "")
    for child in node:
        if not skipped(child) or level(child):
            yield from pieces(child)
        yield child.tail or ""
    yield gap


def page(path: Path) -> list[Section]:
    """The sections of an HTML or Mallard file."""
    parser = etree.HTMLParser(encoding="utf-8") if path.suffix != ".page" else etree.XMLParser()
    root = etree.parse(path, parser).getroot()
    if root is None:
        return []
    up = root.xpath("string(//link[@rel='up']/@title)")
    above = [(0, plain(up))] if up else []
    sections: list[Section] = []
    body = root.find("body")
    for piece in pieces(root if body is None else body):
        if isinstance(piece, str):
            if sections:
                sections[-1].parts.append(piece)
            continue
        depth, heading = level(piece), plain(inner(piece))
        above = [(d, h) for d, h in above if d < depth]
        sections.append(Section(heading, depth, anchor(piece), [h for _, h in above if h]))
        above.append((depth, heading))
    return sections


def pod(path: Path) -> list[Section]:
    """The sections of a POD file; the file's name stands above them."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for _ in range(3):
        text = re.sub(r"[BCFILSX]<(?:<+ )?(?:[^<>|]*\|)?([^<>]*)(?: >+)?>", r"\1", text)
    text = re.sub(r"^=(begin|for)\b.*?(^=end.*?$|\n\n)|^=(?!head)\w+", " ", text, flags=re.M | re.S)
    above, sections = [(0, path.stem)], []
    for block in re.split(r"^=head", text, flags=re.M)[1:]:
        head, _, body = block.partition("\n")
        depth = int(head[0])
        above = [(d, h) for d, h in above if d < depth]
        sections.append(Section(plain(head[1:]), depth, "", [h for _, h in above], [body]))
        above.append((depth, plain(head[1:])))
    return sections
