"""Words of the documents that mean nearly the same, as the KB's own embedder tells."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from kb.models.embedder import Floats
from query.evaluate.generate.words import Usage, Word

Embed = Callable[[Sequence[str]], Floats]
_MOST = 3000  # words of a language that are compared, the most used ones
_LEAST = 2  # documents that hold a word: rarer ones are names and slips
_SHORTEST = 4  # letters
# Cosine of vectors centred on the language's mean word: above it a word mostly stands for the other
# (victory, winner), below it it is mostly about the same thing (packet, protocol).
_ALIKE = 0.42


@dataclass(slots=True)
class Near:
    """Finds another word of the documents for a word; vectors are made when first asked for.

    Args:
        embed: texts to unit vectors, float32 (n, d).
        usage: of the documents in one language.
    """

    embed: Embed
    usage: Usage
    _stems: list[str] = field(default_factory=list)
    _words: list[str] = field(default_factory=list)
    _mean: Floats | None = None
    _vectors: Floats | None = None
    _known: dict[str, list[tuple[float, str, str]]] = field(default_factory=dict)

    def word_for(self, word: Word, stems: Collection[str]) -> str:
        """The nearest word of another stem that is near enough; "" for none.

        Args:
            word: to be replaced.
            stems: that no other word may have, such as those of the passage.
        """
        if not word.text.isalpha() or len(word.text) < _SHORTEST:
            return ""
        found = self._nearest(word)
        return next((said for _, stem, said in found if stem not in stems), "")

    def _nearest(self, word: Word) -> list[tuple[float, str, str]]:
        if word.stem not in self._known:
            vocabulary, mean = self._embedded()
            alike: list[tuple[float, str, str]] = []
            if len(vocabulary):
                (vector,) = _centred(self.embed([word.text.casefold()]), mean)
                cosines = vocabulary @ vector
                places = np.flatnonzero(cosines >= _ALIKE)
                alike = [
                    (-round(float(cosines[i]), 4), self._stems[i], self._words[i])
                    for i in places
                    if self._stems[i] != word.stem
                ]
            self._known[word.stem] = sorted(alike)
        return self._known[word.stem]

    def _embedded(self) -> tuple[Floats, Floats]:
        if self._vectors is None or self._mean is None:
            usage = self.usage
            stems = [
                stem
                for stem, count in usage.counts.items()
                if count >= _LEAST and stem in usage.forms
            ]
            stems.sort(key=lambda stem: (-usage.counts[stem], stem))
            for stem in stems[:_MOST]:
                form = min(usage.forms[stem], key=lambda f: (-usage.forms[stem][f], f))
                if len(form) >= _SHORTEST:
                    self._stems.append(stem)
                    self._words.append(form)
            raw = self.embed(self._words) if self._words else np.zeros((0, 1), np.float32)
            mean: Floats = raw.mean(axis=0) if len(raw) else np.zeros(1, np.float32)
            self._mean, self._vectors = mean, _centred(raw, mean)
        return self._vectors, self._mean


def _centred(raw: Floats, mean: Floats) -> Floats:
    moved = raw - mean
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    centred: Floats = moved / np.maximum(lengths, 1e-9)
    return centred
