"""Follows the groups of an RTF file and gives each piece of text to where it belongs."""

from dataclasses import dataclass, field, replace
from typing import Any

from ingest.parse.decode import replace_unsafe
from ingest.parse.rtf.blocks import Blocks, Look
from ingest.parse.rtf.tokens import Token
from ingest.parse.rtf.words import (
    ANSI,
    BACK,
    CHARSETS,
    DATES,
    GATHERED,
    INFO,
    KEPT,
    SIGNS,
    SKIPPED,
    code_page,
)

_MOST_DEPTH = 10_000


@dataclass(slots=True)
class _State:
    """What a group inherits from the one around it."""

    sink: list[str] | None  # where text goes, None where it goes nowhere
    outer: list[str] | None  # where it went before that
    place: str = ""  # fonttbl, stylesheet, info, one of its fields, or a gathered kind
    opened: bool = False  # this group opened its place, and closes it
    codec: str = ""  # of its font, "" for the file's
    skip: int = 1  # fallback characters after \u
    hidden: bool = False
    deleted: bool = False


@dataclass(slots=True)
class RtfReader:
    """Takes tokens one by one; `blocks` and `metadata` hold what was read."""

    blocks: Blocks = field(default_factory=Blocks)
    metadata: dict[str, Any] = field(default_factory=dict)
    _text: list[str] = field(default_factory=list)
    _codec: str = "cp1252"
    _bytes: bytearray = field(default_factory=bytearray)
    _stack: list[_State] = field(default_factory=list)
    _state: _State = field(default_factory=lambda: _State(None, None))
    _left: int = 0  # fallback characters still to skip
    _star: bool = False
    _fonts: dict[int, str] = field(default_factory=dict)
    _font: int = 0
    _default_font: int = 0
    _styles: dict[int, str] = field(default_factory=dict)
    _outlines: dict[int, int] = field(default_factory=dict)
    _style: int = 0
    _look: Look = field(default_factory=Look)
    _label: str = ""
    _author: str = ""
    _day: list[int] = field(default_factory=lambda: [0, 0, 0])
    _merged: list[bool] = field(default_factory=list)
    _goes_on: bool = False

    def __post_init__(self) -> None:
        self._state = _State(self._text, self._text)

    def take(self, token: Token) -> None:
        """Read one token."""
        if token.text:
            self._take_text(token.text)
            return
        self._decode()
        if token.brace:
            self._left = 0
            self._open() if token.brace == "{" else self._close()
        elif token.word == "*":
            self._star = True
        elif token.word == "u":
            self._put(chr((token.number or 0) & 0xFFFF))
            self._left = self._state.skip
        elif self._left:
            self._left -= 1
        else:
            star, self._star = self._star, False
            self._take_word(token.word, token.number, star)

    def finish(self) -> None:
        """The end of the file, wherever it comes."""
        self._decode()
        self._end_paragraph()
        self.blocks.finish()

    def _take_text(self, text: bytes) -> None:
        skipped = min(self._left, len(text))
        self._left -= skipped
        self._bytes += text[skipped:]

    def _decode(self) -> None:
        if self._bytes:
            codec = self._state.codec or self._codec
            self._put(self._bytes.decode(codec, "replace"))
            self._bytes.clear()

    def _put(self, text: str) -> None:
        state = self._state
        if state.sink is not None and not state.hidden and not state.deleted:
            state.sink.append(text)

    def _open(self) -> None:
        if len(self._stack) < _MOST_DEPTH:
            self._stack.append(self._state)
            self._state = replace(self._state, opened=False)
            self._star = False
            if self._state.place == "stylesheet":
                self._style = 0

    def _close(self) -> None:
        closed = self._state
        if self._stack:
            self._state = self._stack.pop()
        if closed.place == "stylesheet" and closed.sink:
            self._styles[self._style] = _whole(closed.sink).strip().rstrip(";").strip()
            closed.sink.clear()
        if closed.opened:
            self._close_place(closed)

    def _close_place(self, closed: _State) -> None:
        place, text = closed.place, _whole(closed.sink or [])
        if place in INFO:
            self._keep(INFO[place], " ".join(replace_unsafe(text).split()))
        elif place in DATES:
            year, month, day = self._day
            if 1000 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31:
                self._keep(DATES[place], f"{year:04d}-{month:02d}-{day:02d}")
        elif place == "label":
            self._label = text
        elif place == "author":
            self._author = " ".join(text.split())
        elif place == "note" and text.strip():
            self.blocks.aside("note", f"{self._author}: {text}" if self._author else text)
            self._author = ""
        elif place == "box":
            self.blocks.aside("box", text)
        elif place == "edge":
            self.blocks.edges.append(text)

    def _keep(self, key: str, value: str) -> None:
        if value:
            self.metadata.setdefault(key, value)

    def _take_word(self, word: str, number: int | None, star: bool) -> None:
        if word in SIGNS:
            self._put(SIGNS[word])
        elif word in GATHERED or (self._state.place == "info" and word in (*INFO, *DATES)):
            self._gather(GATHERED.get(word, word))
        elif word in BACK and self._state.sink is None:
            self._state.sink = self._state.outer
        elif word in ("fonttbl", "stylesheet", "info"):
            self._state.place = word
            self._state.sink = [] if word == "stylesheet" else None
        elif word in SKIPPED or (star and word not in KEPT):
            self._state.outer, self._state.sink = self._state.sink or self._state.outer, None
        elif self._state.place in ("", "note", "box", "edge"):
            self._paragraph_word(word, number)
            self._character_word(word, number)
        else:
            self._table_word(word, number)
            self._character_word(word, number)

    def _gather(self, place: str) -> None:
        if self._state.sink is not None or place in INFO or place in DATES:
            self._state.place, self._state.opened, self._state.sink = place, True, []

    def _table_word(self, word: str, number: int | None) -> None:
        """A word within the tables of fonts and styles, or a date."""
        place = self._state.place
        if place == "fonttbl" and word == "f":
            self._font = number or 0
        elif place == "fonttbl" and word in ("fcharset", "cpg"):
            codec = CHARSETS.get(number or 0, "") if word == "fcharset" else code_page(number)
            if codec:
                self._fonts[self._font] = codec
        elif place == "stylesheet" and word in ("s", "cs", "ds", "ts"):
            self._style = (number or 0) if word == "s" else -1
        elif place == "stylesheet" and word == "outlinelevel":
            self._outlines[self._style] = number or 0
        elif place in DATES and word in ("yr", "mo", "dy"):
            self._day[("yr", "mo", "dy").index(word)] = number or 0

    def _character_word(self, word: str, number: int | None) -> None:
        state = self._state
        if word == "f" and state.place != "fonttbl":
            state.codec = self._fonts.get(number or 0, "")
        elif word == "plain":
            state.hidden = state.deleted = False
            state.codec = self._fonts.get(self._default_font, "")
        elif word in ("v", "deleted"):
            on = number != 0
            state.hidden, state.deleted = (on, state.deleted) if word == "v" else (state.hidden, on)
        elif word == "uc":
            state.skip = min(max(number or 0, 0), 100) if number is not None else 1
        elif word == "ansicpg":
            self._codec = code_page(number)
        elif word in ANSI:
            self._codec = ANSI[word]
        elif word == "deff":
            self._default_font = number or 0

    def _paragraph_word(self, word: str, number: int | None) -> None:
        if word in ("par", "sect", "page", "cell", "row"):
            self._end(word)
        elif word == "pard":
            self._look = Look()
        elif word == "intbl":
            self._look = replace(self._look, in_table=True)
        elif word == "s":
            style = number or 0
            self._look = replace(
                self._look, style=self._styles.get(style, ""), outline=self._outlines.get(style)
            )
        elif word == "outlinelevel":
            self._look = replace(self._look, outline=number)
        elif word == "ilvl":
            self._look = replace(self._look, depth=number or 0)
        elif word == "trowd":
            self._merged, self._goes_on = [], False
        elif word == "clvmrg":
            self._goes_on = True
        elif word == "cellx":
            self._merged.append(self._goes_on)
            self._goes_on = False

    def _end(self, word: str) -> None:
        """The end of a paragraph, a cell or a row; within a note only a blank."""
        if self._state.sink is not self._text:
            self._put(" ")
        elif word == "cell":
            self.blocks.cell(self._taken())
        elif word == "row":
            self.blocks.row(self._merged)
        elif self._look.in_table:
            self._put("\n")
        else:
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        label, self._label = self._label, ""
        self.blocks.paragraph(self._taken(), label, self._look)

    def _taken(self) -> str:
        text = _whole(self._text)
        self._text.clear()
        return text


def _whole(pieces: list[str]) -> str:
    """The pieces put together, halves of signs beyond 16 bits joined."""
    text = "".join(pieces)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
