"""Which sentences say most of what many say, in little room and each thing once."""

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import log1p

from index.raptor.summarize.sentences import Sentence

_AGAIN = 0.4  # what a term counts when it is said once more, and 0.4² the time after
_SAME_MEMBER = 0.8  # what a member's next sentence counts beside that of a member not heard yet
_ROOM = (
    0.7  # power of the room a sentence takes: 0, only what it says counts; 1, what it says a sign
)
_NEW = 0.2  # share of its terms that nothing chosen before may hold
_TELLING = 3  # terms: with fewer ("Agreed.") it is chosen where there is nothing else
_LEAST_COST = 60  # characters: a sentence is not better for being a scrap


def choose(sentences: Sequence[Sentence], members: Sequence[int], room: int) -> list[int]:
    """The places of the sentences that cover most, in order; always one.

    Greedy maximisation of a submodular function under a budget (Lin and Bilmes, "A class of submodular
    functions for document summarization", ACL 2011): Σ over terms of
    log(1 + sentences that hold it) · Σ over the times it is chosen of 0.4^i. A term that many sentences
    hold is central; said again, it adds less and less. The gain is divided by the sentence's room to
    the power of .7 and shrinks for members that were heard, so gains only fall and a heap finds the next.

    Args:
        sentences: all there are.
        members: which member each is of.
        room: characters, `Sentence.cost`, that may be chosen.
    """
    counts = Counter(term for sentence in sentences for term in sentence.terms)
    weights = {term: log1p(count) for term, count in counts.items()}
    said: Counter[str] = Counter()
    heard: Counter[int] = Counter()

    def gain(place: int) -> float:
        sentence = sentences[place]
        new = sum(weights[term] * _AGAIN ** said[term] for term in sentence.terms)
        return (
            new * _SAME_MEMBER ** heard[members[place]] / max(sentence.cost, _LEAST_COST) ** _ROOM
        )

    telling = [i for i, sentence in enumerate(sentences) if len(sentence.terms) >= _TELLING]
    waiting = [(-gain(place), place) for place in telling or range(len(sentences))]
    heapify(waiting)
    chosen: list[int] = []
    while waiting:
        known, place = heappop(waiting)
        if chosen and (sentences[place].cost > room or _repeats(sentences[place], said)):
            continue
        now = -gain(place)
        if now > known and waiting and (now, place) > waiting[0]:
            heappush(waiting, (now, place))
            continue
        chosen.append(place)
        room -= sentences[place].cost
        said.update(sentences[place].terms)
        heard[members[place]] += 1
    return sorted(chosen)


def _repeats(sentence: Sentence, said: Counter[str]) -> bool:
    new = sum(term not in said for term in sentence.terms)
    return new < _NEW * max(len(sentence.terms), 1)
