"""Which sentences say most of what many say, in little room and each thing once."""

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import log1p

from index.raptor.summarize.sentences import Sentence

_AGAIN = 0.4  # what a term counts when it is said once more, and 0.4² the time after
_ROOM = (
    0.8  # power of the room a sentence takes: 0, only what it says counts; 1, what it says a sign
)
_NEW = 0.2  # share of its terms that nothing chosen before may hold
_TELLING = 3  # terms: with fewer ("Agreed.") it is chosen where there is nothing else
_LEAST_COST = 60  # characters: a sentence is not better for being a scrap


class Coverage:
    """Chooses sentences that cover most, again and again: what was said once counts less from then on.

    Greedy maximisation of a submodular function under a budget (Lin and Bilmes, "A class of submodular
    functions for document summarization", ACL 2011): Σ over terms of log(1 + worth of the sentences
    that hold it) · Σ over the times it is chosen of 0.4^i. A term that many sentences hold is central;
    said again, it adds less and less. A sentence's gain is multiplied by its own worth and divided by
    the room it takes to the power of .8. Gains only fall, so a heap finds the next.

    Args:
        sentences: all that there will be to choose from.
        worth: of each sentence, 0 to 1; None: all are worth the same.
        costs: the room that each takes; None: `Sentence.cost`.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        worth: Sequence[float] | None = None,
        costs: Sequence[int] | None = None,
    ) -> None:
        self._sentences = sentences
        self._costs = costs or [sentence.cost for sentence in sentences]
        self._worth = worth if worth is not None else [1.0] * len(sentences)
        held: Counter[str] = Counter()
        for sentence, value in zip(sentences, self._worth, strict=True):
            for term in sentence.terms:
                held[term] += value  # type: ignore[assignment]
        self._weights = {term: log1p(value) for term, value in held.items()}
        self._said: Counter[str] = Counter()

    def choose(self, places: Sequence[int], room: int) -> list[int]:
        """The best of the sentences at `places`, in their order; at least one the first time.

        Args:
            places: of those that may be chosen.
            room: characters, `Sentence.cost`, that may be chosen.
        """
        telling = [i for i in places if len(self._sentences[i].terms) >= _TELLING]
        waiting = [(-self._gain(place), place) for place in telling or places]
        heapify(waiting)
        chosen: list[int] = []
        while waiting:
            known, place = heappop(waiting)
            sentence = self._sentences[place]
            if self._said and (self._costs[place] > room or self._repeats(sentence)):
                continue
            now = -self._gain(place)
            if now > known and waiting and (now, place) > waiting[0]:
                heappush(waiting, (now, place))
                continue
            chosen.append(place)
            room -= self._costs[place]
            self._said.update(sentence.terms)
        return sorted(chosen)

    def _gain(self, place: int) -> float:
        sentence = self._sentences[place]
        new = sum(self._weights[term] * _AGAIN ** self._said[term] for term in sentence.terms)
        return self._worth[place] * new / float(max(self._costs[place], _LEAST_COST) ** _ROOM)

    def _repeats(self, sentence: Sentence) -> bool:
        new = sum(term not in self._said for term in sentence.terms)
        return new < _NEW * max(len(sentence.terms), 1)
