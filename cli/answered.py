"""Answers in every format of ``tesela ask``, and as they come on a terminal."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cli import say
from kb.location import Location

if TYPE_CHECKING:
    from query.answer.answer import Answer, Source
    from query.answer.cited import Checked, Sentence

_AHEAD = 48  # characters after a sentence before it counts as whole
_LEAST_WIDTH = 20
NOTHING = "Nothing here clearly answers this."


class Live:
    """Prints an LLM's answer as it comes: whole sentences, each checked before it is shown."""

    def __init__(self, check: "Callable[[str], Checked]") -> None:
        self._check = check
        self._out = _Wrapped()
        self.told: list[Sentence] = []

    def tell(self, text: str) -> None:
        """Print what is whole of the text so far."""
        self._print(list(self._check(text[: _whole(text)]).sentences))

    def finish(self, sentences: "Sequence[Sentence]") -> None:
        """Print what is not printed yet of all of them."""
        self._print(list(sentences))
        self._out.end()

    def _print(self, sentences: "list[Sentence]") -> None:
        known = len(self.told)
        if sentences[:known] != self.told[: len(sentences)]:
            self._out.end()
            say.note("the answer broke off and begins anew")
            known = 0
        for sentence in sentences[known:]:
            self._out.write(sentence)
        if len(sentences) > known or known == 0:
            self.told = sentences


class _Wrapped:
    """Words up to the terminal's width."""

    def __init__(self) -> None:
        self._width = max(shutil.get_terminal_size().columns, _LEAST_WIDTH)
        self._column = 0

    def write(self, sentence: "Sentence") -> None:
        from query.answer.answer import cited

        for line_number, line in enumerate(cited(sentence).split("\n")):
            if line_number:
                self._break()
            for word in line.split(" "):
                self._word(word)
        for _ in range(min(sentence.after.count("\n"), 2)):
            self._break()

    def end(self) -> None:
        if self._column:
            self._break()

    def _word(self, word: str) -> None:
        if self._column and self._column + 1 + len(word) > self._width:
            self._break()
        blank = " " if self._column else ""
        say.part(blank + word)
        self._column += len(blank) + len(word)

    def _break(self) -> None:
        say.part("\n")
        self._column = 0


def _whole(text: str) -> int:
    """Where the sentences end that nothing to come can change."""
    from query.answer.cited import split

    end = 0
    for piece in split(text)[:-1]:
        if end + len(piece) + _AHEAD > len(text):
            break
        end += len(piece)
    return end


def shown(form: str, answer: "Answer", location: Location, live: Live | None = None) -> None:
    """Print an answer; what `live` has printed is not printed again."""
    if form == "json":
        say.data_json(answer.to_json())
    elif form == "md":
        _md(answer, location)
    else:
        _text(answer, location, live or Live(_never))


def _never(_text: str) -> "Checked":
    raise AssertionError


def _text(answer: "Answer", location: Location, live: Live) -> None:
    if answer.quoted and not answer.answered:
        say.data(NOTHING + (" What comes nearest:\n" if answer.sentences else ""))
    live.finish(answer.sentences)
    if answer.sources:
        say.data("")
    for source in answer.sources:
        say.data(say.folded(f"[{source.number}] {_place(source, location)}{_about(source)}"))
    for line in _doubts(answer):
        say.data(say.folded(line))
    if not answer.quoted and not answer.answered:
        say.note(NOTHING)


def _md(answer: "Answer", location: Location) -> None:
    if not answer.answered:
        say.data(NOTHING + (" What comes nearest:" if answer.quoted and answer.sentences else ""))
        say.data("")
    if answer.quoted:
        from query.answer.answer import cited

        for sentence in answer.sentences:
            for line in cited(sentence).splitlines():
                say.data(f"> {line}".rstrip())
            say.data("")
    elif answer.sentences:
        say.data(answer.text + "\n")
    for source in answer.sources:
        say.data(f"- [{source.number}] `{_place(source, location)}`{_about(source)}")
    for line in _doubts(answer):
        say.data(f"- {line}")


def _place(source: "Source", location: Location) -> str:
    from cli.hits import place

    return place(location, replace(source.hit.chunk, lines=source.lines))


def _about(source: "Source") -> str:
    """Lines, heading, and what is to be known of the file."""
    chunk, hit = source.hit.chunk, source.hit
    lines = source.lines
    parts = [f"lines {lines[0]}-{lines[1]}"] if lines and lines[0] != lines[1] else []
    heading = " › ".join(chunk.heading or ((chunk.title,) if chunk.title else ()))
    parts += [say.in_line(heading)] if heading else []
    parts += [hit.validity] if hit.validity != "valid" else []
    parts += [f"{hit.fresh} since it was indexed"] if hit.fresh not in (None, "fresh") else []
    return f" — {'; '.join(parts)}" if parts else ""


def _doubts(answer: "Answer") -> list[str]:
    """What the check found, each with the beginning of its sentence."""
    found: Mapping[str, tuple[str, ...]] = {s.text: s.doubts for s in answer.sentences if s.doubts}
    return [
        f"[?] {say.in_line(text[:40])}{'…' if len(text) > 40 else ''}: {'; '.join(doubts)}"
        for text, doubts in found.items()
    ]
