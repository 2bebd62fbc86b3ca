"""Question words drawn from a sentence: a few of its phrases, in another order, some in other forms."""

import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from query.evaluate.generate.drafts import Difficulty
from query.evaluate.generate.near import Near
from query.evaluate.generate.words import Usage, Word, distinct

_TOGETHER = 3  # words of the sentence that may stay side by side
_JOINS = re.compile(r"\s+(?:(?:of|in|de|del|en|the|la|el)\s+){0,2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much of a sentence a question of a difficulty says."""

    words: int  # that carry something, at most
    without: int  # of its rarest words, which give it away
    reworded: float  # share of the words that are written as the documents write them elsewhere


RECIPES: dict[Difficulty, Recipe] = {
    "easy": Recipe(7, 0, 0.0),
    "medium": Recipe(6, 0, 0.5),
    "hard": Recipe(6, 0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that follow each other."""

    words: tuple[Word, ...]  # those that carry something

    @property
    def middle(self) -> float:
        """Its place in the text."""
        return (self.words[0].start + self.words[-1].end) / 2

    def weight(self, usage: Usage, often: Counter[str]) -> float:
        """How much it tells of what the document is about: the tf·idf of its words.

        Args:
            usage: of the documents.
            often: how often the document has each stem.
        """
        parts = [
            math.log((usage.documents + 1) / (usage.counts[word.stem] + 0.5))
            * (1 + math.log(max(often[word.stem], 1)))
            for word in self.words
        ]
        return sum(parts) / math.sqrt(len(parts))


def phrases(found: Sequence[Word], text: str) -> list[Phrase]:
    """Runs of at most three words that carry something, joined by blanks or by an ``of``."""
    runs: list[list[Word]] = []
    for word in found:
        if not word.carries:
            continue
        last = runs[-1][-1] if runs else None
        joined = last is not None and _JOINS.fullmatch(text, last.end, word.start)
        if joined and len(runs[-1]) < _TOGETHER:
            runs[-1].append(word)
        else:
            runs.append([word])
    return [Phrase(tuple(run)) for run in runs]


@dataclass(frozen=True, slots=True)
class Source:
    """What a question is drawn from."""

    text: str
    words: Sequence[Word]  # that may be said
    usage: Usage
    often: Counter[str]  # stems of the document
    near: Near
    focus: float | None = (
        None  # a place in the text that the question is about; None: what tells most
    )


def drawn(source: Source, recipe: Recipe) -> list[Phrase]:
    """Phrases around what the question is about, fewer than the sentence has, not in its order.

    The rarest words are left out, as a recipe says, as long as enough are left.
    """
    carrying = [word for word in source.words if word.carries]
    spare = max(len({word.stem for word in carrying}) - recipe.words, 0)
    rare = {w.stem for w in source.usage.rarest(carrying)[: min(recipe.without, spare)]}
    kept = [word for word in source.words if word.stem not in rare]
    found = phrases(kept, source.text)
    if not found:
        return []
    focus = source.focus
    if focus is None:
        focus = max(found, key=lambda p: (p.weight(source.usage, source.often), -p.middle)).middle
    found.sort(key=lambda phrase: abs(phrase.middle - focus))
    chosen, said = [], set[str]()
    for phrase in found:
        new = [word for word in distinct(phrase.words) if word.stem not in said]
        new = new[: recipe.words - len(said)]
        if new:
            chosen.append(Phrase(tuple(new)))
            said |= {word.stem for word in new}
    # From the sentence's end to its beginning: no phrase follows the one that it follows there.
    return sorted(chosen, key=lambda phrase: -phrase.words[0].start)


def written(
    chosen: Sequence[Phrase],
    source: Source,
    passage: Sequence[Word],
    recipe: Recipe,
    draw: random.Random,
) -> list[str]:
    """Each phrase as text, a share of the words as the passage does not say them."""
    texts = []
    for phrase in chosen:
        said, end = [], phrase.words[0].start
        for word in phrase.words:
            joint = source.text[end : word.start]
            said.append(joint if _JOINS.fullmatch(joint) else " ")
            # A name has no other word.
            reword = draw.random() < recipe.reworded and word.text.isalpha() and word.text.islower()
            said.append(_reworded(word, source, passage) if reword else word.text)
            end = word.end
        texts.append(" ".join("".join(said).split()))
    return texts


def _reworded(word: Word, source: Source, passage: Sequence[Word]) -> str:
    """Another word that means nearly the same, else another form of it."""
    near = source.near.word_for(word, {other.stem for other in passage})
    taken = frozenset(other.text.casefold() for other in passage)
    return near or source.usage.other_form(word, taken)
