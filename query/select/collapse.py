"""Near-duplicates become one: the best-ranked stays and says where the others are."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from query.select.wording import Wording, nearly_same

_FEW = 64  # heads that are compared one by one


@dataclass(frozen=True, slots=True)
class Collapsed:
    """Places of the candidates that stay, best first, and the copies of each, as they were ranked."""

    heads: list[int] = field(default_factory=list)
    copies: dict[int, list[int]] = field(default_factory=dict)


def collapse(
    places: Iterable[int], wording_of: Callable[[int], Wording], want: int, look: int
) -> Collapsed:
    """Walk down the candidates until `want` of them stay.

    Each is compared with those that stay, and only with them, so that a chain of small changes does not
    join its ends. Behind the last one wanted, candidates up to place `look` are still counted as copies.

    Args:
        places: of the candidates, rising; taken as they are needed.
        wording_of: a candidate's wording.
        want: how many are to stay.
        look: place up to which copies are looked for.
    """
    found, heads = Collapsed(), _Heads()
    for place in places:
        full = len(found.heads) >= want
        if full and place >= look:
            break
        said = wording_of(place)
        head = heads.like(said)
        if head is not None:
            found.copies.setdefault(head, []).append(place)
        elif not full:
            heads.add(place, said)
            found.heads.append(place)
    return found


class _Heads:
    """Finds the head that says the same without comparing with all of them."""

    def __init__(self) -> None:
        self._alike: defaultdict[tuple[bool, str], _Group] = defaultdict(_Group)

    def add(self, place: int, said: Wording) -> None:
        self._alike[said.derived, said.digits].add(place, said)

    def like(self, said: Wording) -> int | None:
        """The best-ranked one."""
        group = self._alike.get((said.derived, said.digits))
        return None if group is None else group.like(said)


class _Group:
    """Heads with the same digits. Where they are many, words select those to be compared.

    Of two that say the same, one has all the words of the other, its longest among them.
    """

    def __init__(self) -> None:
        self._said: dict[int, Wording] = {}
        self._holding: defaultdict[str, list[int]] = defaultdict(list)  # any word of a head
        self._longest: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, place: int, said: Wording) -> None:
        self._said[place] = said
        if len(self._said) == _FEW:
            for at, head in self._said.items():
                self._index(at, head)
        elif len(self._said) > _FEW:
            self._index(place, said)

    def like(self, said: Wording) -> int | None:
        around = self._said if len(self._said) < _FEW else self._around(said)
        return next((at for at in around if nearly_same(said, self._said[at])), None)

    def _around(self, said: Wording) -> list[int]:
        around = set(self._holding.get(_longest(said), ()))
        for word in self._longest.keys() & set(said.words):
            around.update(self._longest[word])
        return sorted(around)

    def _index(self, place: int, said: Wording) -> None:
        for word in set(said.words):
            self._holding[word].append(place)
        self._longest[_longest(said)].append(place)


def _longest(said: Wording) -> str:
    return max(said.words, key=lambda word: (len(word), word))
