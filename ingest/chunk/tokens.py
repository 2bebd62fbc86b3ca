"""Where the embedder's tokens start in a document, counted once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.chunk.graphemes import Graphemes
from kb.models.embedder import Tokenizer

_PIECE = 4096  # characters a call: long texts are slower whole
_LONGEST = 16  # no vocabulary piece is longer; a longer token is a run of unknown characters
_UNKNOWN = 2  # characters of such a run that count as one token
_BLANK = np.array([chr(code).isspace() for code in range(0x3001)] + [False])


def codes(text: str) -> NDArray[np.uint32]:
    """Code points, shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token starts of a document's text, rising or equal, each on a non-blank character.

    A run of unknown characters (a Chinese line is one token to the bundled model) is counted as one
    token for two characters, so that such text is cut too.
    """

    starts: NDArray[np.int64]

    def before(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many tokens start before each position."""
        return np.searchsorted(self.starts, positions, side="left").astype(np.int64)

    def between(self, start: int, end: int) -> int:
        """How many tokens start in ``text[start:end]``."""
        return int(self.starts.searchsorted(end) - self.starts.searchsorted(start))


def read_tokens(
    text: str, start: int, end: int, tokenizer: Tokenizer, graphemes: Graphemes
) -> Tokens:
    """Tokens of ``text[start:end]``, read in pieces that end at blanks where there are some."""
    found: list[NDArray[np.int64]] = []
    while start < end:
        stop = _piece_end(text, start, end, graphemes)
        piece = text[start:stop]
        if not piece.isspace():
            found.append(_starts(piece, tokenizer.offsets(piece)) + start)
        start = stop
    return Tokens(np.concatenate(found) if found else np.empty(0, np.int64))


def _piece_end(text: str, start: int, end: int, graphemes: Graphemes) -> int:
    stop = start + _PIECE
    if stop >= end:
        return end
    blank = max(text.rfind(" ", start + 1, stop), text.rfind("\n", start + 1, stop))
    if blank > start:
        return blank
    return min(end, max(graphemes.left_of(stop), graphemes.right_of(start + 1)))


def _starts(piece: str, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    starts = _next_ink(piece)[np.minimum(bounds[:, 0], len(piece) - 1)]
    long = np.flatnonzero(bounds[:, 1] - starts > _LONGEST)
    runs = [
        np.arange(starts[i] + _UNKNOWN, bounds[i, 1], _UNKNOWN)
        for i in long
        if not any(c.isspace() for c in piece[starts[i] : bounds[i, 1]])
    ]
    starts = starts[starts < len(piece)]
    return np.sort(np.concatenate([starts, *runs])) if runs else starts


def _next_ink(piece: str) -> NDArray[np.int64]:
    """For each character the place of the next that is not blank, ``len(piece)`` after the last."""
    places = np.arange(len(piece), dtype=np.int64)
    places[_BLANK[np.minimum(codes(piece), len(_BLANK) - 1)]] = len(piece)
    return np.minimum.accumulate(places[::-1])[::-1]
