"""Walks an XML tree and gives its text: paragraphs, headings, and records of ``name: value``."""

import re
from typing import TYPE_CHECKING

from ingest.parse.extracted import ExtractedText
from ingest.words import words

if TYPE_CHECKING:
    from lxml.etree import _Element

PARAGRAPHS = words("p para simpara paragraph l line ab quote blockquote v")
TITLES = words("title head heading subtitle bridgehead")
SECTIONS = words(
    "sec section sect1 sect2 sect3 sect4 chapter part article div book body topic preface appendix"
)
CODES = words("programlisting screen code codeblock pre literallayout listing")
_BLOCKS = PARAGRAPHS | TITLES | SECTIONS | CODES
MAX_PHRASES = 200  # elements inside one value
MAX_ATTRIBUTE = 500  # characters: longer ones are drawings and other data
MAX_LINE = 65534  # libxml2 counts no further
_MARKUP = re.compile(r"<(?:p|br|div|a|b|i|ul|li|img|span|em|strong|h\d)\b[^>]*>", re.I)


class Walker:
    """One pass over the tree, without recursion."""

    def __init__(self, attributes: bool, prose: bool) -> None:
        """`prose`: the vocabulary is that of texts, whose sections and titles are ours."""
        self._prose = prose
        self.built = ExtractedText()
        self.title = ""
        self._attributes = attributes
        self._record: list[str] = []
        self._lines: list[int] = []
        self._depth = 0  # of sections
        self._open: list[_Element] = []  # that hold more than a value

    def walk(self, root: "_Element") -> ExtractedText:
        """All text under `root`, in order."""
        from lxml import etree

        events = etree.iterwalk(root, events=("start", "end"))
        for event, element in events:
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                if self._start(element):
                    events.skip_subtree()
            else:
                self._end(element)
        self._flush()
        return self.built

    def _start(self, element: "_Element") -> bool:
        """Opens an element; true where its content is done with."""
        name = local(element)
        parent = element.getparent()
        if self._prose and name in TITLES and parent is not None and local(parent) in SECTIONS:
            self._heading(_text(element), element)
            return True
        if name in PARAGRAPHS or name in CODES:
            self._block(name, element)
            return True
        if _is_leaf(element):
            self._leaf(name, element)
            return True
        self._open.append(element)
        self._flush()
        self._loose(element.text, element)
        if self._prose and name in SECTIONS:
            self._depth += 1
        else:
            self._note(element, _of_attributes(element) if self._attributes else [])
        return False

    def _end(self, element: "_Element") -> None:
        if self._open and self._open[-1] is element:
            self._open.pop()
            self._flush()
            if self._prose and local(element) in SECTIONS:
                self._depth = max(0, self._depth - 1)
        if self._open and (element.tail or "").strip():
            self._flush()
            self._loose(element.tail, element)

    def _loose(self, text: str | None, element: "_Element") -> None:
        """Text between blocks."""
        self.built.add("paragraph", " ".join((text or "").split()), lines=_lines(element))

    def _heading(self, text: str, element: "_Element") -> None:
        self._flush()
        self.title = self.title or text
        self.built.add("heading", text, level=max(1, self._depth), lines=_lines(element))

    def _block(self, name: str, element: "_Element") -> None:
        self._flush()
        if name in CODES:
            self.built.add("code", _all_text(element), lines=_lines(element))
        else:
            self.built.add("paragraph", _text(element), lines=_lines(element))

    def _leaf(self, name: str, element: "_Element") -> None:
        text = _text(element)
        if _MARKUP.search(text):
            text = _without_markup(text)
        told = _of_attributes(element) if self._attributes else []
        if not text:
            self._note(element, [f"{name}: {', '.join(told)}"] if told else [])
            return
        if name == "title" and not self.title:
            self.title = text
        shown = f" ({', '.join(told)})" if told else ""
        self._note(element, [f"{name}: {text}{shown}"])

    def _note(self, element: "_Element", rows: list[str]) -> None:
        if rows:
            self._record += rows
            self._lines.append(_line(element))

    def _flush(self) -> None:
        if self._record:
            last = max(self._lines)
            lines = (min(self._lines), last) if last < MAX_LINE else None
            self.built.add("paragraph", "\n".join(self._record), lines=lines)
        self._record.clear()
        self._lines.clear()


def is_prose(root: "_Element") -> bool:
    """Whether a tree holds paragraphs."""
    return next(root.iter("{*}p", "{*}para", "{*}simpara", "{*}paragraph"), None) is not None


def local(element: "_Element") -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _is_leaf(element: "_Element") -> bool:
    """Whether an element is one value: text alone, or text with a few phrases marked in it."""
    if not len(element):
        return True
    loose = (element.text or "").strip() or any((child.tail or "").strip() for child in element)
    if not loose:
        return False
    for number, inner in enumerate(element.iterdescendants()):
        if number >= MAX_PHRASES or (isinstance(inner.tag, str) and local(inner) in _BLOCKS):
            return False
    return True


def _all_text(element: "_Element") -> str:
    return "".join(str(piece) for piece in element.itertext())


def _text(element: "_Element") -> str:
    return " ".join(_all_text(element).split())


def _of_attributes(element: "_Element") -> list[str]:
    """``name: value`` of each attribute that says something; schema locations and the like do not."""
    found: list[str] = []
    for key, value in element.attrib.items():
        space, _, name = str(key).rpartition("}")
        shown = " ".join(str(value).split())
        if shown and len(shown) <= MAX_ATTRIBUTE and "XMLSchema-instance" not in space:
            found.append(f"{name}: {shown}")
    return found


def _lines(element: "_Element") -> tuple[int, int] | None:
    first = _line(element)
    last = first + _all_text(element).count("\n")
    return (first, last) if last < MAX_LINE else None


def _line(element: "_Element") -> int:
    line = element.sourceline
    return line if isinstance(line, int) and line > 0 else 1


def _without_markup(text: str) -> str:
    """The text of HTML that feeds carry within their own elements."""
    from lxml import html

    return " ".join(html.fragment_fromstring(text, create_parent="div").text_content().split())
