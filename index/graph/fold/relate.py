"""Which names stand together: in a sentence, and in what a chunk says of two of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from index.graph.extract.patterns import SAME
from index.graph.extract.phrases import TYPE as TERM
from index.graph.fold.gather import Gathered
from index.graph.fold.pieces import Piece
from index.graph.names import name_key
from index.graph.records import RawEntity, RawRelation
from index.graph.resolve.atoms import AtomKey

_WINDOW = 6  # names after a name with which it is paired: a long list relates its neighbours
# Relations that say of two names that they mean one thing, folded
SAME_AS = frozenset(
    f"""{SAME}|is|are|es|same as|is the same as|alias|alias of|aka|called|is called|named|known as|
    is known as|stands for|acronym of|abbreviation of|short for|refers to|identical to|equals|
    tambien conocido como|tambien conocida como|conocido como|conocida como|llamado|llamada|se llama|
    es lo mismo que|significa|siglas de|abreviatura de|is revealed as|is identified as|becomes known as
    """.replace("\n    ", "").split("|")
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Names that stand in one sentence, each once, in order of place."""

    row: int
    start: int
    end: int
    atoms: tuple[AtomKey, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A typed relation as one chunk gave it."""

    row: int
    source: AtomKey
    target: AtomKey
    raw: RawRelation


def sentences(pieces: Sequence[Piece], gathered: Gathered) -> Iterator[Sentence]:
    """The sentences of all chunks that hold a name."""
    for piece in pieces:
        places = sorted(
            (start, end, key)
            for entity, key in gathered.of_row[piece.row]
            for start, end in entity.spans
        )
        at = 0
        for start, end in piece.extraction.sentences:
            here: dict[AtomKey, None] = {}
            while at < len(places) and places[at][0] < end:
                here[places[at][2]] = None
                at += 1
            if here:
                yield Sentence(piece.row, start, end, tuple(here))


def said(pieces: Sequence[Piece], gathered: Gathered) -> Iterator[Said]:
    """The typed relations of all chunks whose ends are both names of theirs."""
    for piece in pieces:
        by_key: dict[str, list[tuple[RawEntity, AtomKey]]] = defaultdict(list)
        for entity, atom in gathered.of_row[piece.row]:
            by_key[name_key(entity.name)].append((entity, atom))
        for raw in piece.extraction.relations:
            source = _meant(by_key[name_key(raw.source)], raw)
            target = _meant(by_key[name_key(raw.target)], raw)
            if source is not None and target is not None:
                yield Said(piece.row, source, target, raw)


def note(
    pieces: Sequence[Piece],
    gathered: Gathered,
    together: Sequence[Sentence],
    relations: Sequence[Said],
) -> None:
    """Tell each atom which names are near it, related to it, or said to be the same."""
    for piece in pieces:
        if not piece.extraction.sentences:  # an LLM's: what it lists of one chunk
            listed = {atom[0] for _, atom in gathered.of_row[piece.row]}
            for _, atom in gathered.of_row[piece.row]:
                gathered.atoms[atom].near |= listed - {atom[0]}
    for sentence in together:
        near = [key for key in sentence.atoms if _telling(gathered, key)]
        for place, one in enumerate(near):
            for other in near[place + 1 : place + 1 + _WINDOW]:
                gathered.atoms[one].near.add(other[0])
                gathered.atoms[other].near.add(one[0])
    for relation in relations:
        source, target = gathered.atoms[relation.source], gathered.atoms[relation.target]
        if is_same(relation.raw.relation):
            source.same.add(target.key)
            target.same.add(source.key)
        else:
            source.near.add(target.key)
            target.near.add(source.key)
            source.related.add(target.key)
            target.related.add(source.key)


def pairs(sentence: Sentence) -> Iterator[tuple[AtomKey, AtomKey]]:
    """The names of a sentence that are taken to have to do with each other."""
    for place, one in enumerate(sentence.atoms):
        for other in sentence.atoms[place + 1 : place + 1 + _WINDOW]:
            yield one, other


def is_same(relation: str) -> bool:
    """Whether a relation says that its ends mean one thing."""
    return name_key(relation) in SAME_AS or relation.strip().lower() in SAME_AS


def _meant(named: Sequence[tuple[RawEntity, AtomKey]], raw: RawRelation) -> AtomKey | None:
    """Of the entities with the name of a relation's end the one that stands where the relation does."""
    start, end = raw.span
    for entity, atom in named:
        if any(start <= first < end for first, _ in entity.spans):
            return atom
    return named[0][1] if named else None


def _telling(gathered: Gathered, key: AtomKey) -> bool:
    return gathered.atoms[key].type != TERM
