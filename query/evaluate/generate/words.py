"""The words of a passage with their places, and how rare each is among the documents."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from index.lexical.folding import fold
from index.lexical.stems import stemmer
from index.lexical.stopwords import STOP_WORDS

LANGUAGES = ("en", "es")
_WORD = re.compile(r"[^\W_]+(?:['’.\-/][^\W_]+)*")
_ALIKE, _AKIN = 6, 0.65  # letters, and share of the longer word, that words of a family begin with
_LEAST = 3  # letters or digits of a word that carries a question


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, and its stem."""

    text: str
    start: int
    end: int
    stem: str
    carries: bool  # it is no function word

    @property
    def is_number(self) -> bool:
        """Whether it begins with a digit."""
        return self.text[0].isdigit()


def words(text: str, language: str) -> list[Word]:
    """The words of a text in English or Spanish, in order; places in characters of it."""
    found = []
    for match in _WORD.finditer(text):
        stem, carries = _known(match[0], language)
        found.append(Word(match[0], match.start(), match.end(), stem, carries))
    return found


@lru_cache(maxsize=1 << 16)
def _known(text: str, language: str) -> tuple[str, bool]:
    low = text.casefold()
    carries = low not in STOP_WORDS[language] and len(low) >= _LEAST
    return stemmer(language)(fold(low)), carries


@dataclass(slots=True)
class Usage:
    """In how many documents each stem stands, and how it is written."""

    documents: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    forms: dict[str, Counter[str]] = field(default_factory=dict)
    families: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # stem, form

    def add(self, text: str, language: str) -> None:
        """Count a document."""
        self.documents += 1
        seen = set()
        for word in words(text, language):
            if word.carries:
                seen.add(word.stem)
                if word.text.isalpha():
                    self.forms.setdefault(word.stem, Counter())[word.text.casefold()] += 1
        self.counts.update(seen)

    def share(self, word: Word) -> float:
        """Of the documents, that hold the word in some form."""
        return self.counts[word.stem] / max(self.documents, 1)

    def rarest(self, found: Iterable[Word]) -> list[Word]:
        """The words of a text, each once, rarest first; equal ones in order."""
        return sorted(distinct(found), key=lambda word: self.counts[word.stem])

    def other_form(self, word: Word, taken: frozenset[str]) -> str:
        """How the documents write the word, or one of its family, elsewhere; else as it is.

        Of the same family is what begins alike and has another stem, as ``conduct`` and ``conductivity``:
        a search by words alone does not take them for one.

        Args:
            word: to be written otherwise.
            taken: casefolded words that are no other form, such as those of the passage.
        """
        low = word.text.casefold()
        family = self._families().get(low[:_ALIKE], [])
        near = [
            (-self.forms[stem][form], form)
            for stem, form in family
            if stem != word.stem and form not in taken and _akin(low, form)
        ]
        forms = self.forms.get(word.stem, Counter())
        others = [(-n, form) for form, n in forms.items() if form not in taken]
        found = near or others
        return min(found)[1] if found else word.text

    def _families(self) -> dict[str, list[tuple[str, str]]]:
        if not self.families:
            for stem, forms in self.forms.items():
                for form in forms:
                    self.families.setdefault(form[:_ALIKE], []).append((stem, form))
        return self.families


def _akin(a: str, b: str) -> bool:
    """Whether most of the longer word is how both begin."""
    together = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    return together >= max(_ALIKE, _AKIN * max(len(a), len(b)))


def distinct(found: Iterable[Word]) -> Iterator[Word]:
    """The first of each stem."""
    seen = set()
    for word in found:
        if word.stem not in seen:
            seen.add(word.stem)
            yield word
