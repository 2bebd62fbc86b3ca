"""Questions from a document, one maker a kind; what a maker cannot make it leaves.

Every word of a question stands, in some form, in the evidence itself: none is taken from a heading or
a title alone, whose words are put before each chunk and would give its place away.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from query.evaluate.generate.drafts import Difficulty, Draft, Evidence, Kind
from query.evaluate.generate.passages import Sentence
from query.evaluate.generate.phrases import RECIPES, Source, drawn, written
from query.evaluate.generate.words import Usage, Word, words

_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_ASKS = {
    "en": {"year": "in what year", "count": "how many", "name": "what", "open": "how"},
    "es": {"year": "en qué año", "count": "cuántos", "name": "qué", "open": "cómo"},
}
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
_WHAT_IS = {"en": "what is {}", "es": "qué es {}"}
_TERM_WORDS = 4
_LEAST = 3  # words that carry something, in a question
_TOPIC_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which document a maker looks."""

    path: str
    language: str
    sentences: Sequence[Sentence]  # of the document
    at: int  # the one that is asked about

    @property
    def sentence(self) -> Sentence:
        """The one that is asked about."""
        return self.sentences[self.at]

    def evidence(self, first: Sentence, last: Sentence, text: str) -> Evidence:
        """From one sentence to another."""
        return Evidence(self.path, first.start, last.end, text[first.start : last.end])


@dataclass(frozen=True, slots=True)
class Making:
    """What a maker is given besides the place."""

    text: str  # of the document
    often: Counter[str]  # its stems
    usage: Usage
    draw: random.Random
    difficulty: Difficulty

    def question(
        self, ask: str, text: str, may_say: Sequence[Word], passage: Sequence[Word]
    ) -> str:
        """``ask`` and some phrases of a text, as the recipe of the difficulty says; "" for too few.

        Args:
            ask: question words.
            text: of the passage.
            may_say: the words of it that may be said.
            passage: all its words: a form that is none of theirs is another one.
        """
        source, recipe = Source(text, may_say, self.usage, self.often), RECIPES[self.difficulty]
        chosen = drawn(source, recipe, self.draw)
        if sum(len(phrase.words) for phrase in chosen) < _LEAST:
            return ""
        return f"{ask} {written(chosen, source, passage, recipe, self.draw)}".strip()


Maker = Callable[[Place, Making], Draft | None]


def fact(place: Place, making: Making) -> Draft | None:
    """A number, a year or a name is left out of a sentence and asked for."""
    sentence = place.sentence
    answers = [word for word in sentence.carrying if word.is_number and len(word.text) < 12]
    if not answers:
        answers = [w for w in sentence.carrying if w.start and w.text[0].isupper()]
    if not answers:
        return None
    answer = making.draw.choice(answers)
    left = [word for word in sentence.words if word.stem != answer.stem]
    asks = _ASKS[place.language]
    ask = asks["name"]
    if answer.is_number:
        ask = asks["year"] if _YEAR.fullmatch(answer.text) else asks["count"]
    return _draft("fact", place, making, making.question(ask, sentence.text, left, sentence.words))


def cloze(place: Place, making: Making) -> Draft | None:
    """Some words of a sentence, as a question in keywords has them."""
    sentence = place.sentence
    ask = making.draw.choice(("", _ASKS[place.language]["open"]))
    question = making.question(ask, sentence.text, sentence.words, sentence.words)
    return _draft("words", place, making, question)


def topic(place: Place, making: Making) -> Draft | None:
    """What a few sentences that follow each other are about: words from each of them."""
    following = list(place.sentences[place.at : place.at + _TOPIC_SENTENCES])
    following = [s for s in following if s.heading == following[0].heading]
    if len(following) < 2:
        return None
    first, last = following[0], following[-1]
    text = making.text[first.start : last.end]
    found = words(text, place.language)
    question = making.question("", text, found, found)
    if not question:
        return None
    evidence = place.evidence(first, last, making.text)
    return Draft(question, "topic", making.difficulty, place.language, evidence)


def definition(place: Place, making: Making) -> Draft | None:
    """A sentence that says what something is: asked for by its name, or by what it says."""
    sentence = place.sentence
    match = _DEFINES[place.language].match(sentence.text)
    if match is None:
        return None
    start, end = match.span("term")
    inside = [w for w in sentence.words if w.carries and start <= w.start < end]
    if not inside or len(inside) > _TERM_WORDS:
        return None
    if making.difficulty == "easy":
        question = _WHAT_IS[place.language].format(sentence.text[start:end])
        return _draft("definition", place, making, question)
    term = {word.stem for word in inside}
    left = [word for word in sentence.words if word.stem not in term and word.start >= end]
    ask = _ASKS[place.language]["name"]
    return _draft(
        "reverse", place, making, making.question(ask, sentence.text, left, sentence.words)
    )


def _draft(kind: Kind, place: Place, making: Making, question: str) -> Draft | None:
    if not question:
        return None
    sentence = place.sentence
    evidence = place.evidence(sentence, sentence, making.text)
    return Draft(question, kind, making.difficulty, place.language, evidence)


MAKERS: Sequence[Maker] = (fact, topic, definition, cloze)
