"""Questions from a sentence, one maker a kind; what a maker cannot make it leaves.

Every word that is drawn stands, in some form, in the evidence itself: none comes from a heading or a
title alone, whose words are put before each chunk and would give its place away.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from query.evaluate.generate import frames
from query.evaluate.generate.drafts import Difficulty, Draft, Evidence, Kind
from query.evaluate.generate.near import Near
from query.evaluate.generate.passages import Sentence
from query.evaluate.generate.phrases import RECIPES, Source, drawn, written
from query.evaluate.generate.words import Usage, Word, words

_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_DEFINES = {
    "en": re.compile(
        r"^(?:an?\s+|the\s+)?(?P<term>[^,;:()]{3,60}?)\s+(?:is|are|means|refers to|denotes)\s+"
        r"(?:an?|the|any|one of|defined as)\s",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"^(?:una?\s+|el\s+|la\s+|los\s+|las\s+)?(?P<term>[^,;:()]{3,60}?)\s+"
        r"(?:es|son|significa|se define como|se denomina)\s+(?:una?|el|la|los|las|todo|toda)\s",
        re.IGNORECASE,
    ),
}
_TERM_WORDS = 4
_LEAST = 2  # words that carry something, in a question
_NUMBER = 12  # signs of one that can be asked for


@dataclass(frozen=True, slots=True)
class Making:
    """The sentence that is asked about, and what is needed to ask."""

    path: str
    language: str
    sentence: Sentence
    often: Counter[str]  # stems of the document
    usage: Usage
    near: Near
    draw: random.Random
    difficulty: Difficulty

    def phrases(self, may_say: Sequence[Word], focus: float | None = None) -> "Said | None":
        """Some phrases of the sentence, as the recipe of the difficulty says; None for too few words.

        Args:
            may_say: the words that may be in them.
            focus: a place in the sentence that they are to be near.
        """
        sentence, recipe = self.sentence, RECIPES[self.difficulty]
        source = Source(sentence.text, may_say, self.usage, self.often, self.near, focus)
        chosen = drawn(source, recipe)
        stems = frozenset(word.stem for phrase in chosen for word in phrase.words)
        if len(stems) < _LEAST:
            return None
        return Said(written(chosen, source, sentence.words, recipe, self.draw), stems)

    def draft(self, kind: Kind, question: str, stems: frozenset[str]) -> Draft:
        """A question on the sentence, and the stems that it says of it."""
        at = self.sentence
        evidence = Evidence(self.path, at.start, at.end, at.text)
        return Draft(question, kind, self.difficulty, self.language, evidence, stems)


@dataclass(frozen=True, slots=True)
class Said:
    """Phrases as a question says them, and the stems of their words in the sentence."""

    phrases: list[str]
    stems: frozenset[str]

    def __str__(self) -> str:
        return " ".join(self.phrases)


Maker = Callable[[Making], Draft | None]


def fact(making: Making) -> Draft | None:
    """A number, a year or a name is left out of a sentence and asked for."""
    sentence = making.sentence
    answers = [w for w in sentence.words if w.is_number and len(w.text) < _NUMBER]
    if not answers:
        answers = [w for w in sentence.carrying if w.start and w.text[0].isupper()]
    if not answers:
        return None
    answer = making.draw.choice(answers)
    left = [word for word in sentence.words if word.stem != answer.stem]
    said = making.phrases(left, focus=answer.start)
    if said is None:
        return None
    what = "name"
    if answer.is_number:
        what = "year" if _YEAR.fullmatch(answer.text) else "count"
    frame = making.draw.choice(frames.FACTS[making.language][what])
    return making.draft("fact", frame.format(said), said.stems)


def question(making: Making) -> Draft | None:
    """Two things that a sentence brings together, or one, in a question's form."""
    said = making.phrases(making.sentence.words)
    if said is None:
        return None
    first, *rest = said.phrases
    if rest:
        frame = making.draw.choice(frames.WITH_TWO[making.language])
        return making.draft("question", frame.format(first, " ".join(rest)), said.stems)
    frame = making.draw.choice(frames.WITH_ONE[making.language])
    return making.draft("question", frame.format(first), said.stems)


def keywords(making: Making) -> Draft | None:
    """Phrases of a sentence in a row, as they are typed into a search box."""
    said = making.phrases(making.sentence.words)
    return making.draft("words", str(said), said.stems) if said else None


def topic(making: Making) -> Draft | None:
    """What a heading promises and a sentence below it says; the heading's other words are left out."""
    sentence = making.sentence
    titles = " ".join(sentence.heading[-1:])
    named = {word.stem for word in words(titles, making.language) if word.carries}
    there = [word for word in sentence.carrying if word.stem in named]
    if not there:
        return None
    said = making.phrases(sentence.words, focus=there[0].start)
    if said is None:
        return None
    frame = making.draw.choice(frames.WITH_ONE[making.language])
    return making.draft("topic", frame.format(said), said.stems)


def definition(making: Making) -> Draft | None:
    """A sentence that says what something is: asked for by its name, or by what it says."""
    sentence, language = making.sentence, making.language
    match = _DEFINES[language].match(sentence.text)
    if match is None:
        return None
    start, end = match.span("term")
    inside = [w for w in sentence.words if w.carries and start <= w.start < end]
    if not inside or len(inside) > _TERM_WORDS:
        return None
    if making.difficulty == "easy":
        asked = frames.IS[language].format(sentence.text[start:end])
        return making.draft("definition", asked, frozenset(word.stem for word in inside))
    term = {word.stem for word in inside}
    left = [word for word in sentence.words if word.stem not in term and word.start >= end]
    said = making.phrases(left, focus=end)
    if said is None:
        return None
    frame = making.draw.choice(frames.IS_CALLED[language])
    return making.draft("reverse", frame.format(said), said.stems)


MAKERS: Sequence[Maker] = (fact, question, definition, keywords, topic, question)
