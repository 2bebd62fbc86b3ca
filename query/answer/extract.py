"""Without an LLM: the sources' own sentences that answer, word for word."""

from collections.abc import Sequence
from dataclasses import dataclass

from index.reader import GenerationReader
from ingest.chunk.units import Unit, lines_of, units
from kb.records import Chunk, Hit
from query.answer.evidence import Evidence
from query.select.wording import Wording, nearly_same

# Chosen on XQuAD and the sample corpus; benchmarks/answers.py measures what they come to.
MOST = 4  # sentences
_WORDS = 0.1  # what meeting all of the question's words by letter adds to meaning
_RANK = 0.02  # off for each place further down
_BELOW = 0.06  # the best: what is further is not shown
_PASSAGES = 6  # hits that are looked at
# How strong the strongest passage must be to hold an answer: meaning, and _TELLING times words, and
# _NEAR times what its cosine has beyond that of the bundled models with text on anything else.
_LEAST = 0.4
_TELLING = 0.3
_NEAR = 3.0
_ANYTHING = 0.8
_LEAST_WORDS = 0.5  # share of the question's words, where there are words alone


@dataclass(frozen=True, slots=True)
class Quote:
    """A unit of a hit that answers."""

    hit: Hit
    unit: Unit
    score: float

    @property
    def text(self) -> str:
        """Its words."""
        return self.hit.chunk.text[self.unit.start : self.unit.end]

    @property
    def lines(self) -> tuple[int, int] | None:
        """Those of the unit, where the passage's lines are those of its text; else the passage's."""
        return lines_of(self.hit.chunk, self.unit.start, self.unit.end)


@dataclass(frozen=True, slots=True)
class Extract:
    """Best first; `enough` says whether they are taken for an answer."""

    quotes: tuple[Quote, ...]
    enough: bool


def extract(hits: Sequence[Hit], reader: GenerationReader, evidence: Evidence) -> Extract:
    """The one to four units of the best hits that meet the question most, none twice."""
    quotes: list[Quote] = []
    strongest = -1.0
    for place, hit in enumerate(hits[:_PASSAGES]):
        found, passage = _judged(hit, place, reader, evidence)
        quotes += found
        strongest = max(strongest, passage)
    least = _LEAST if evidence.has_meaning else _LEAST_WORDS
    quotes.sort(key=lambda quote: -quote.score)  # stable: of equals the better hit's first
    chosen: list[Quote] = []
    for quote in quotes:
        if len(chosen) == MOST or quote.score < quotes[0].score - _BELOW:
            break
        if not any(_repeats(quote, other) for other in chosen):
            chosen.append(quote)
    return Extract(tuple(chosen), bool(chosen) and strongest >= least)


def _judged(
    hit: Hit, place: int, reader: GenerationReader, evidence: Evidence
) -> tuple[list[Quote], float]:
    """A hit's units with their scores, and how strong the whole passage is."""
    chunk = hit.chunk
    found = units(chunk)
    spans = [(0, len(chunk.text)), *((unit.start, unit.end) for unit in found)]
    meaning, words = evidence.meaning(chunk, spans), evidence.words(chunk, spans)
    scores = meaning + _WORDS * words
    quotes = [
        Quote(hit, unit, float(score) - _RANK * place)
        for unit, score in zip(found, scores[1:], strict=True)
    ]
    return quotes, _strength(chunk, float(meaning[0]), float(words[0]), evidence)


def _strength(chunk: Chunk, meaning: float, words: float, evidence: Evidence) -> float:
    if not evidence.has_meaning:
        return words
    return meaning + _TELLING * words + _NEAR * (evidence.cosine(chunk) - _ANYTHING)


def _repeats(quote: Quote, other: Quote) -> bool:
    mine, its = (" ".join(q.text.casefold().split()) for q in (quote, other))
    return mine in its or its in mine or nearly_same(Wording(quote.text), Wording(other.text))
