"""From stretches of atoms to spans: overlap added, real token counts checked."""

from ingest.chunk.atoms import Level
from ingest.chunk.cut import Cutter, Stretch
from ingest.chunk.reading import Reading
from kb.models.embedder import Tokenizer
from kb.records import Span

_SURE = 0.9  # a piece between blanks counts alone as it counts in the whole, but for its first word


class Finisher:
    """Turns stretches into spans of at most `size` tokens, counted alone."""

    def __init__(self, reading: Reading, cutter: Cutter, tokenizer: Tokenizer, size: int) -> None:
        self._reading, self._cutter, self._atoms = reading, cutter, cutter.atoms
        self._tokenizer, self._size = tokenizer, size

    def spans(self, stretches: list[Stretch], overlap: int) -> list[Span]:
        """The spans of `stretches`, each begun up to `overlap` tokens early.

        The overlap is whole atoms (sentences) from the end of the span before; none reaches back
        over a heading, and none takes the first atom of the span before.
        """
        out: list[Span] = []
        floor = 0  # the first atom of the stretch before
        for whole in stretches:
            for low, high in self._fitting(whole):
                start, end = int(self._atoms.start[low]), int(self._atoms.end[high - 1])
                if out and overlap:
                    start = self._early(floor + 1, low, end, overlap)
                if self._fits(start, end):
                    out.append(Span(start, end))
                else:  # one atom that counts more alone than in its place
                    out.extend(halve(self._reading, self._tokenizer, start, end, self._size))
                floor = low
        return out

    def _fitting(self, stretch: Stretch) -> list[Stretch]:
        """The stretch, cut on while a piece counts above the size."""
        done: list[Stretch] = []
        todo = [stretch]
        while todo:
            low, high = todo.pop()
            start, end = int(self._atoms.start[low]), int(self._atoms.end[high - 1])
            if high - low == 1 or self._fits(start, end):
                done.append((low, high))
                continue
            smaller = self._cutter.cut((low, high), self._atoms.cost(low, high) - 1)
            todo.extend(reversed(smaller))
        return done

    def _early(self, floor: int, low: int, end: int, overlap: int) -> int:
        """Where the span begins when atoms from `floor` on may stand before atom `low`."""
        atoms = self._atoms
        early = low
        while (
            early > floor
            and atoms.level[early] <= Level.BLOCK
            and atoms.first[low] - atoms.first[early - 1] <= overlap
        ):
            early -= 1
        while early < low and not self._fits(int(atoms.start[early]), end):
            early += 1
        return int(atoms.start[early])

    def _fits(self, start: int, end: int) -> bool:
        text = self._reading.text
        estimate = self._reading.tokens.between(start, end)
        apart = (start == 0 or text[start - 1].isspace()) and text[end : end + 1].isspace()
        if apart and estimate <= _SURE * self._size:
            return True
        return self._tokenizer.count(text[start:end]) <= self._size


def halve(reading: Reading, tokenizer: Tokenizer, start: int, end: int, size: int) -> list[Span]:
    """``text[start:end]`` in spans of at most `size` tokens, halved between graphemes."""
    done: list[Span] = []
    todo = [(start, end)]
    while todo:
        start, end = reading.trim(*todo.pop())
        if start >= end:
            continue
        middle = reading.graphemes.left_of((start + end) // 2)
        if middle <= start:
            middle = reading.graphemes.right_of(start + 1)
        if middle >= end or tokenizer.count(reading.text[start:end]) <= size:
            done.append(Span(start, end))
        else:
            todo += [(middle, end), (start, middle)]
    return done
