"""Walks LaTeX source and gives its blocks."""

import re
from bisect import bisect_right

from ingest.parse.extracted import ExtractedText
from ingest.parse.latex.inline import line, paragraph, plain
from ingest.parse.latex.source import VERBATIM, after_options, group, option
from ingest.parse.source_lines import SourceLines
from ingest.words import words
from kb.records import ElementKind

SECTIONS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
LISTS = words("itemize enumerate description compactitem compactenum thebibliography")
TABLES = words("tabular tabular* tabularx tabulary longtable array supertabular tblr")
QUOTES = words("quote quotation verse displayquote")
MATH = words(
    """
    equation equation* align align* gather gather* multline multline* eqnarray eqnarray* math
    displaymath flalign flalign* alignat alignat*
    """
)
_ARGUMENTS = {"tabular*": 2, "tabularx": 2, "tabulary": 2, "minipage": 1, "multicols": 1}
_ARGUMENTS |= dict.fromkeys(TABLES, 1) | {"thebibliography": 1, "minted": 1}
_MARK = re.compile(
    r"\\(?:(begin|end)\s*\{([A-Za-z]+\*?)\}"
    r"|(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?![A-Za-z])"
    r"|(item|bibitem|caption|footnote|maketitle|title|author|date|input|include)(?![A-Za-z])\*?)"
    r"|\n[ \t\r]*\n"
)
_VERBATIM = re.compile(VERBATIM)
_ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?|\\tabularnewline(?![A-Za-z])")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)(?![A-Za-z])"
    r"|\\c(?:line|midrule)(?:\([lr]*\))?\{[^}]*\}"
)
_MULTI = re.compile(r"\\multi(?:column|row)\s*\{[^{}]*\}\s*\{[^{}]*\}")


class Walker:
    """One pass, a block at a time; `levels` gives each sectioning command its level."""

    def __init__(self, source: str, levels: dict[str, int]) -> None:
        self.built = ExtractedText()
        self.not_followed: list[str] = []
        self._source = source
        self._levels = levels
        self._starts = SourceLines.of(source).starts
        self._open: list[str] = []  # environments
        self._from = 0  # where the text in hand begins
        self._block_from = -1  # where the block began that a footnote broke off
        self._items: list[str] = []  # of the list in hand
        self._item: list[str] = []
        self._list_line = 0
        self._notes: list[str] = []

    def walk(self, start: int, title: list[str]) -> ExtractedText:
        r"""All blocks from `start` on; `title` is what ``\maketitle`` prints."""
        self._from = start
        at = start
        self._title(title)
        while match := _MARK.search(self._source, at):
            at = max(self._mark(match), match.end())
            self._from = max(self._from, min(at, len(self._source)))
            if match[1] == "end" and match[2] == "document":
                break
        else:
            self._flush(len(self._source))
        self._finish_item()
        self._end_list()
        self._add_notes()
        return self.built

    def _title(self, title: list[str]) -> None:
        if title:
            self.built.add("heading", title[0], level=1)
            self.built.add("paragraph", "\n".join(title[1:]))

    def _mark(self, match: re.Match[str]) -> int:
        """One mark; where the source goes on."""
        source, end = self._source, match.end()
        if match[4] == "footnote":
            return self._footnote(match)
        self._flush(match.start())
        if match[1] == "begin":
            return self._begin(match[2], match)
        if match[1] == "end":
            self._end(match[2])
        elif match[3]:
            return self._heading(match[3], match)
        elif match[4] in ("item", "bibitem"):
            return self._begin_item(match[4], end)
        elif match[4] == "maketitle":
            pass
        elif match[4]:
            return self._argument(match[4], match)
        elif not self._item_open():
            self._add_notes()
        return min(end, len(source))

    def _footnote(self, match: re.Match[str]) -> int:
        inner = group(self._source, after_options(self._source, match.end()))
        if inner is None:
            return match.end()
        self._keep(match.start())
        self._notes.append(line(self._source[slice(*inner)]))
        return inner[1] + 1

    def _keep(self, end: int) -> None:
        """What stands before a footnote joins what stands after it."""
        if self._block_from < 0:
            self._block_from = self._from
        self._item.append(self._source[self._from : end])

    def _argument(self, name: str, match: re.Match[str]) -> int:
        at = after_options(self._source, match.end())
        inner = group(self._source, at)
        if inner is None:
            return at
        text = self._source[slice(*inner)]
        if name == "caption":
            lines = self._lines(match.start(), inner[1])
            self.built.add("caption", line(text), lines=lines)
        elif name in ("input", "include"):
            self.not_followed.append(text.strip())
        return inner[1] + 1

    def _heading(self, name: str, match: re.Match[str]) -> int:
        self._end_list()
        self._add_notes()
        inner = group(self._source, after_options(self._source, match.end()))
        if inner is None:
            return match.end()
        lines = self._lines(match.start(), inner[1])
        level = self._levels.get(name, max(self._levels.values(), default=1) + 1)
        self.built.add("heading", line(self._source[slice(*inner)]), level=level, lines=lines)
        return inner[1] + 1

    def _begin(self, name: str, match: re.Match[str]) -> int:
        inside = after_options(self._source, match.end(), _ARGUMENTS.get(name, 0))
        if _VERBATIM.fullmatch(name) or name in TABLES or name in MATH:
            return self._whole(name, match, inside)
        if name in LISTS:
            if not self._in_list():
                self._list_line = self._line(match.start())
            else:
                self._finish_item()
        self._open.append(name)
        return inside

    def _whole(self, name: str, match: re.Match[str], inside: int) -> int:
        """An environment that is one block."""
        mark = f"\\end{{{name}}}"
        end = self._source.find(mark, inside)
        end = len(self._source) if end < 0 else end
        after = min(end + len(mark), len(self._source))
        body = self._source[inside:end]
        lines = self._lines(match.start(), after)
        if name in MATH:
            body = self._source[match.start() : after].replace("\0", "")
            self.built.add("paragraph", body, lines=lines)
        elif name in TABLES:
            self.built.add("table", _table(body), lines=lines)
        elif name != "comment":
            self.built.add("code", body, lines=lines)
        return after

    def _end(self, name: str) -> None:
        if name in LISTS:
            self._finish_item()
        if name in self._open:
            while self._open.pop() != name:
                pass
        if name in LISTS and not self._in_list():
            self._end_list()
            self._add_notes()

    def _in_list(self) -> bool:
        return any(name in LISTS for name in self._open)

    def _item_open(self) -> bool:
        return self._in_list()

    def _begin_item(self, name: str, at: int) -> int:
        self._finish_item()
        label = option(self._source, at)
        at = after_options(self._source, at, 1 if name == "bibitem" else 0)
        depth = sum(name in LISTS for name in self._open)
        shown = line(self._source[slice(*label)]) + " " if label else ""
        self._items.append("  " * (max(depth, 1) - 1) + "- " + shown)
        return at

    def _finish_item(self) -> None:
        if not self._in_list():
            return
        text = paragraph("".join(self._item))
        self._item.clear()
        if not text:
            return
        indented = text.replace("\n", "\n  ")
        if self._items and self._items[-1].endswith(("- ", ": ", " ")):
            self._items[-1] += indented
        else:
            self._items.append(indented)

    def _end_list(self) -> None:
        text = "\n".join(row for row in self._items if row.strip(" -"))
        self._items.clear()
        first = self._list_line or 1
        self.built.add("list", text, lines=(first, max(first, self._line(self._from))))

    def _flush(self, end: int) -> None:
        """The text up to `end` as a paragraph, or into the item in hand."""
        source = self._source[self._from : end]
        start = self._block_from if self._block_from >= 0 else self._from
        self._from, self._block_from = end, -1
        if self._in_list():
            self._item.append(source + "\n")
            return
        text = paragraph("".join(self._item) + source)
        self._item.clear()
        if not text:
            return
        whole = self._source[start:end]
        lead = len(whole) - len(whole.lstrip(" \t\r\n\0"))
        kind: ElementKind = "quote" if QUOTES & set(self._open) else "paragraph"
        self.built.add(kind, text, lines=self._lines(start + lead, end))

    def _add_notes(self) -> None:
        for note in self._notes:
            self.built.add("note", note)
        self._notes.clear()

    def _line(self, at: int) -> int:
        return max(1, bisect_right(self._starts, at, hi=max(len(self._starts) - 1, 1)))

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        first = self._line(start)
        return first, max(first, self._line(max(start, end - 1)))


def _table(body: str) -> str:
    """A row a line, cells parted by bars."""
    rows: list[str] = []
    for row in _ROW_END.split(_RULES.sub("", body)):
        text = plain(_MULTI.sub("", row), cells="\x1f")
        cells = [" ".join(cell.split()) for cell in text.split("\x1f")]
        if any(cells):
            rows.append(" | ".join(cells))
    return "\n".join(rows)
