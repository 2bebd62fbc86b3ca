"""Finds what looks like orders to a model in a text, by rule and place."""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from kb.models.llm.fence import HIDDEN, looks_like
from query.planted.rules import RULES

_BLOB = re.compile(r"(?:[A-Za-z0-9+/_-]{4}){10,}(?:[A-Za-z0-9+/_-]{0,3}={0,2})")
_LONGEST_BLOB = 20_000
# Letters of the alphabet without a shape; the flags of England, Scotland and Wales use it, too.
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]{3,}")
_FLAG = "\U0001f3f4"
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff]{4,}")
_TORN = re.compile("(?:[A-Za-z][\u200b\u2060\ufeff\u00ad]){4,}")
_BIDI = re.compile("[\u202d\u202e]")
_VARIANTS = re.compile("[\U000e0100-\U000e01ef]{4,}")
_HIDDEN_RULES = (
    (_TAG_LETTERS, "holds letters that no reader sees and a model does"),
    (_VARIANTS, "holds a row of signs that no reader sees, in which text can be hidden"),
    (_ZERO_WIDTH, "holds a row of signs without width, in which text can be hidden"),
    (_TORN, "tears words apart with signs that no reader sees"),
    (_BIDI, "turns the direction of writing, so that readers see another text"),
)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A place that looks like an order: ``text[start:end]``."""

    rule: str
    why: str
    start: int
    end: int


def suspicions(text: str) -> list[Suspicion]:
    """What looks like orders to a model, one of each rule, in the order of the places."""
    found = {s.rule: s for s in sorted(_all(text), key=lambda s: -s.start)}  # the first of a rule
    return sorted(found.values(), key=lambda s: (s.start, s.rule))


def _all(text: str) -> Iterator[Suspicion]:
    yield from _ordered(text)
    yield from _hidden(text)
    yield from _encoded(text)


def _ordered(text: str) -> Iterator[Suspicion]:
    folded, places = _folded(text)
    for rule in RULES:
        for pattern in rule.patterns:
            match = pattern.search(folded)
            if match:
                start, end = places[match.start()], places[match.end() - 1] + 1
                yield Suspicion(rule.name, rule.why, start, end)


def _hidden(text: str) -> Iterator[Suspicion]:
    if text.isascii():
        return
    for pattern, why in _HIDDEN_RULES:
        for match in pattern.finditer(text):
            if pattern is _TAG_LETTERS and text[max(match.start() - 1, 0)] == _FLAG:
                continue
            yield Suspicion("hidden text", why, *match.span())
            break


def _encoded(text: str) -> Iterator[Suspicion]:
    for match in _BLOB.finditer(text):
        said = _decoded(match[0][:_LONGEST_BLOB])
        if said and any(_ordered(said)):
            yield Suspicion("encoded", "holds orders to a model, encoded as Base64", *match.span())


def _decoded(blob: str) -> str:
    """What Base64 of text says; "" for anything else."""
    plain = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        said = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return said if sum(c.isprintable() or c.isspace() for c in said) >= 0.95 * len(said) else ""


def _folded(text: str) -> tuple[str, list[int]]:
    """Lower case without accents and hidden signs, look-alikes as what they look like; places in `text`."""
    letters: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        if sign.isascii():
            letters.append(sign.lower())
            places.append(place)
        elif not HIDDEN.match(sign):
            for plain in unicodedata.normalize("NFKD", sign).casefold():
                if not unicodedata.combining(plain):
                    letters.append(looks_like(plain))
                    places.append(place)
    return "".join(letters), places
