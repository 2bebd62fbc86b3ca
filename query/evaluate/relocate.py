"""Finds evidence again in a document that has changed since it was noted."""

import re

from index.reader import GenerationReader

_BLANK = re.compile(r"\s")  # chunks leave some out between them, and lines are broken anew
Span = tuple[int, int]


class Relocator:
    """Looks quotes up in the chunks of a generation; the last document stays at hand."""

    def __init__(self, reader: GenerationReader) -> None:
        self._reader = reader
        self._rows = (0, 0)
        self._text = ""

    def find(self, rows: tuple[int, int], span: Span, quote: str) -> Span | None:
        """Where the quote stands: where it was, else the nearest place; None where it is gone.

        Args:
            rows: of the document.
            span: where it stood.
            quote: its words.
        """
        self._read(rows)
        quote = _BLANK.sub(" ", quote)
        places = _places(self._text, quote)
        at = min(places, key=lambda place: abs(place - span[0]), default=None)
        return None if at is None else (at, at + len(quote))

    def _read(self, rows: tuple[int, int]) -> None:
        """The document's text as its chunks tell it, blanks where they leave something out."""
        if rows == self._rows:
            return
        self._rows, pieces, end = rows, [], 0
        for row in range(*rows):
            chunk = self._reader.chunks[row]
            pieces += [" " * (chunk.start - end), chunk.text[max(end - chunk.start, 0) :]]
            end = max(end, chunk.end)
        self._text = _BLANK.sub(" ", "".join(pieces))


def _places(text: str, quote: str) -> list[int]:
    places, at = [], text.find(quote)
    while at >= 0:
        places.append(at)
        at = text.find(quote, at + 1)
    return places
