"""The mentions of all chunks by name and document, without what is no name."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from index.graph.fold.callings import Callings
from index.graph.fold.pieces import Piece
from index.graph.fold.terms import Terms
from index.graph.names import name_key
from index.graph.records import RawEntity
from index.graph.resolve.atoms import Atom, AtomKey

_SURE = 0.7  # strength of a form that makes a name by itself
_LIKELY = 0.4  # set apart by its writer: a name where it is met twice
_COMMON = 0.02  # share of the chunks above which a term tells nothing
_FEW = 60  # chunks; a term may always be in so many


@dataclass(slots=True)
class Gathered:
    """All atoms, and where each chunk's names went."""

    atoms: dict[AtomKey, Atom] = field(default_factory=dict)
    # row → place of an entity in its extraction's order → atom
    of_row: dict[int, list[tuple[RawEntity, AtomKey]]] = field(default_factory=dict)


def gather(pieces: Sequence[Piece]) -> Gathered:
    """Collect what the chunks gave; the order of `pieces` has no part in it."""
    terms = Terms(piece.extraction for piece in pieces)
    settled = {
        piece.row: [
            (name_key(one.name), one) for one in map(terms.settle, piece.extraction.entities) if one
        ]
        for piece in pieces
    }
    kept = _kept(settled.values(), len(pieces))
    callings = Callings(pieces)
    gathered = Gathered()
    for piece in pieces:
        names = [(key, one) for key, one in settled[piece.row] if key in kept]
        gathered.of_row[piece.row] = list(_entered(gathered, piece, names, callings))
    return gathered


def _kept(rows: Iterable[list[tuple[str, RawEntity]]], number: int) -> set[str]:
    """The keys that are names: by their form, or because enough chunks hold them."""
    best: dict[str, float] = defaultdict(float)
    people: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for names in rows:
        within.update({key for key, _ in names})
        for key, one in names:
            best[key] = max(best[key], one.strength)
            people[key] += len(one.spans) if one.type == "person" else 0
    most = max(_FEW, _COMMON * number)
    return {
        key
        for key, strength in best.items()
        if key
        and not key.replace(" ", "").isdigit()
        and (
            strength >= _SURE
            or (within[key] <= most and (strength >= _LIKELY or strength < 0.3) and within[key] > 1)
            or people[key] > 1
        )
    }


def _entered(
    gathered: Gathered, piece: Piece, names: list[tuple[str, RawEntity]], callings: Callings
) -> Iterable[tuple[RawEntity, AtomKey]]:
    for key, one in names:
        calling = callings.of(piece, key, one)
        place = (key, piece.document, calling)
        atom = gathered.atoms.get(place)
        if atom is None:
            atom = gathered.atoms[place] = Atom(*place)
        atom.names[one.name] += max(1, len(one.spans))
        atom.types[one.type] += 1
        if one.description:
            atom.descriptions[one.description] += 1
        atom.places.update((piece.row, start, end) for start, end in one.spans)
        yield one, place
