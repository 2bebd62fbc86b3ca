"""Which members of a group an LLM reads: all of a small group, of a large one always the same few."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace

from index.cards.counting import Counted, Group, Key, keys_of
from index.cards.units import Base, Unit
from index.where.values import fold
from kb.digest import digest

MOST_CHARS = 1200  # of a case


@dataclass(frozen=True, slots=True)
class Case:
    """One member."""

    row: int  # the leaf that it is of
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class CasesOf:
    """What an LLM is to read of one group."""

    counted: Counted
    group: Group
    cases: tuple[Case, ...]  # in the table's order


def key_of(group: Group) -> Key:
    """Its values as they are compared."""
    return tuple(map(fold, group.values))


def cases(counted: Counted, base: Base, groups: int, most: int) -> list[CasesOf]:
    """Of the largest `groups`, each with at most `most` members.

    A sample is the members with the smallest hashes of their places, so that one that comes or goes
    changes one member of it at most. Groups of one member are left out: it shows no rule.
    """
    chosen = {key_of(group): group for group in counted.groups[:groups] if group.count > 1}
    heaps: dict[Key, list[tuple[int, int, Unit]]] = {key: [] for key in chosen}
    fields = [fold(name) for name in counted.definition.fields]
    for number, unit in enumerate(base.units(counted.definition)):
        for key in keys_of(unit, fields):
            if key in heaps:
                _offer(heaps[key], (-_hash(base, unit), number, unit), most)
    return [
        CasesOf(counted, chosen[key], tuple(_case(base, unit) for _, _, unit in sorted_by_place))
        for key, heap in heaps.items()
        if (sorted_by_place := sorted(heap, key=lambda item: item[1]))
    ]


def _offer(heap: list[tuple[int, int, Unit]], item: tuple[int, int, Unit], most: int) -> None:
    if len(heap) < most:
        heappush(heap, item)
    elif item[0] > heap[0][0]:
        heapreplace(heap, item)


def _hash(base: Base, unit: Unit) -> int:
    path = base.table.documents[unit.document].path
    return int(digest("case", path, str(unit.ordinal))[:16], 16)


def _case(base: Base, unit: Unit) -> Case:
    text = unit.text().strip()
    shown = text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"
    return Case(unit.row, base.table.documents[unit.document].path, shown)


def rows_of(cases: Sequence[Case]) -> list[int]:
    """The leaves of some cases, each once, rising."""
    return sorted({case.row for case in cases})
