"""A report without an LLM: the sentences that name the most central members, word for word."""

from collections import Counter
from collections.abc import Callable
from heapq import heapify, heappop, heapreplace

from index.graph.communities.material import Material, Place
from kb.records import Chunk

MOST = 1000  # characters of a report
_LEAST, _LONG = 30, 400  # characters of a sentence that is taken
_AGAIN = 0.5  # what naming a member is worth that a chosen sentence names already


def choose(material: Material, leaf: Callable[[int], Chunk]) -> list[Place]:
    """The sentences of a report, in the order of the documents.

    Greedy: the next is the one whose members weigh most, each half as much for every chosen sentence
    that names it already; equals go by place. None is taken twice, wherever it stands.
    """
    named_before: Counter[int] = Counter()

    def gain(place: Place) -> float:
        named = material.sentences[place]
        return sum(material.weight[m] * _AGAIN ** named_before[m] for m in sorted(named))

    # A gain only ever falls: one that is still what it was when it went in is the highest.
    heap = [(-gain(place), place) for place in _fit(material)]
    heapify(heap)
    chosen: list[Place] = []
    said: set[str] = set()
    room = MOST
    while heap and room >= _LEAST:
        known, place = heap[0]
        now = -gain(place)
        if now != known:
            heapreplace(heap, (now, place))
            continue
        heappop(heap)
        row, start, end = place
        text = " ".join(leaf(row).text[start:end].split()).casefold()
        if end - start <= room and text not in said:
            said.add(text)
            chosen.append(place)
            named_before.update(material.sentences[place])
            room -= end - start
    return sorted(chosen)


def _fit(material: Material) -> list[Place]:
    return [place for place in material.sentences if _LEAST <= place[2] - place[1] <= _LONG]
