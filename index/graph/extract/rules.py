"""Entities and relations of a chunk by rules, without any model; Spanish and English."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from index.graph.extract.acronyms import acronyms
from index.graph.extract.capitals import capitals
from index.graph.extract.codes import codes
from index.graph.extract.found import Found, Word
from index.graph.extract.marked import marked
from index.graph.extract.patterns import typed
from index.graph.extract.phrases import STRENGTH as PHRASE
from index.graph.extract.phrases import phrases
from index.graph.extract.roles import described, speaks
from index.graph.extract.text import sentences, words
from index.graph.extract.titles import titles
from index.graph.people import calling_of
from index.graph.records import Extraction, RawEntity, RawRelation

VERSION = 1  # raised when the same text may give another extraction
_MOST_WORDS = 200  # of a sentence; a longer one is a table, or no prose


@dataclass(slots=True)
class _Named:
    places: list[Found] = field(default_factory=list)
    calling: str = ""
    said: str = ""


def extract(text: str, *, is_code: bool = False) -> Extraction:
    """What a chunk's text says.

    Args:
        text: of the chunk.
        is_code: it is source code, in which capitals do not make a name.
    """
    pieces = list(sentences(text))
    names: list[Found] = []
    relations: list[RawRelation] = []
    for long, short, same in acronyms(text):
        names += (long, short)
        relations.append(same)
    names += chain(
        codes(text, is_code=is_code), () if is_code else chain(marked(text), titles(text))
    )
    spoken: list[list[Word]] = []
    if not is_code:
        spoken = [words(text, start, end) for start, end in pieces]
        for inside in spoken:
            if len(inside) <= _MOST_WORDS:
                names += chain(capitals(text, inside), phrases(text, inside))
    names = apart(names)
    for sentence, here in _by_sentence(pieces, names):
        relations += typed(text, [one for one in here if one.strength > PHRASE], sentence)
    return Extraction(_entities(text, names), tuple(relations), tuple(pieces))


def apart(names: Iterable[Found]) -> list[Found]:
    """In order, none over another: the stronger stays, of equal ones the longer, then the first."""
    taken: list[Found] = []
    best = sorted(names, key=lambda one: (-one.strength, one.start - one.end, one.start))
    covered: set[int] = set()
    for one in best:
        span = range(one.start, one.end)
        if covered.isdisjoint(span):
            covered.update(span)
            taken.append(one)
    return sorted(taken, key=lambda one: one.start)


def _by_sentence(
    pieces: Sequence[tuple[int, int]], names: Sequence[Found]
) -> Iterable[tuple[tuple[int, int], list[Found]]]:
    place = 0
    for start, end in pieces:
        here: list[Found] = []
        while place < len(names) and names[place].start < end:
            if names[place].start >= start:
                here.append(names[place])
            place += 1
        yield (start, end), here


def _entities(text: str, names: Sequence[Found]) -> tuple[RawEntity, ...]:
    """Each name once, in order of first use; once for each calling that it is given."""
    groups: dict[str, list[_Named]] = defaultdict(list)
    for one in names:
        said = described(text, one) if one.strength > PHRASE else ""
        calling = calling_of(said)
        known = groups[one.name]
        if not known or (calling and known[-1].calling not in ("", calling)):
            known.append(_Named())
        known[-1].places.append(one)
        known[-1].calling = known[-1].calling or calling
        known[-1].said = known[-1].said or said
    return tuple(
        RawEntity(
            name,
            next((one.type for one in group.places if one.type), "") or speaks(text, group.places),
            group.said,
            tuple((one.start, one.end) for one in group.places),
            max(one.strength for one in group.places),
        )
        for name, known in groups.items()
        for group in known
    )
