"""Words, runs of words and languages of texts, for gather.py."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# fmt: off
STOP = {
    "en": {"the", "of", "and", "to", "is", "in", "that", "it", "for", "with", "are", "on", "as", "this",
           "be", "or", "by", "an", "from", "you", "can", "how", "what", "do", "them", "these", "does"},
    "es": {"el", "la", "de", "que", "y", "en", "los", "se", "del", "las", "un", "por", "con", "una",
           "para", "es", "al", "lo", "como", "su", "más", "qué", "cómo", "si", "esto"},
    "pt": {"os", "não", "uma", "em", "da", "do", "são", "você", "ao", "dos", "das", "ou", "pelo"},
}
# fmt: on


def words(text: str) -> list[str]:
    """Lower-cased tokens."""
    return re.findall(r"\w+", text.lower())


def grams(text: str, n: int) -> set[int]:
    """Hashes of all runs of n words."""
    tokens = words(text)
    return {hash(" ".join(tokens[i : i + n])) for i in range(len(tokens) - n + 1)}


def strings(value: object) -> Iterator[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def strings_of(files: Iterable[Path]) -> Iterator[str]:
    """All strings in JSONL files."""
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield from strings(json.loads(line))


def grams_of(files: Iterable[Path], n: int) -> set[int]:
    """Runs of n words in all strings of JSONL files."""
    return {gram for text in strings_of(files) for gram in grams(text, n)}


def titles_of(files: Iterable[Path]) -> set[str]:
    """The headings in JSONL files: parts of breadcrumbs, and other short strings."""
    parts = (part for text in strings_of(files) for part in text[:400].lower().split(" > "))
    return {part for part in parts if len(part) < 160}


def order(text: str) -> bytes:
    """A hash to choose by."""
    return hashlib.sha1(text.encode()).digest()


def cut(text: str, most: int = 240) -> str:
    """The first sentences, at most so many words."""
    tokens = text.split()
    if len(tokens) <= most:
        return text
    ends = [i for i in range(60, most) if tokens[i][-1] in ".:?!"]
    return " ".join(tokens[: ends[-1] + 1 if ends else most])


def mostly(text: str, lang: str) -> bool:
    """Whether the text's small words are this language's."""
    tokens = words(text)
    counts = {k: sum(t in small for t in tokens) for k, small in STOP.items()}
    own = counts.pop(lang)
    return own > 3 * max(counts.values()) and own >= len(tokens) / 12


def speaks(text: str, lang: str) -> bool:
    """Whether the text is in this language, with no long sentence in another."""
    long = [s for s in re.split(r"[.?!:]\s", text) if len(s.split()) >= 7]
    return mostly(text, lang) and not any(mostly(s, o) for s in long for o in STOP if o != lang)


def prose(text: str) -> bool:
    """Mostly letters, and long enough."""
    letters = sum(c.isalpha() for c in text)
    return len(text.split()) >= 40 and letters >= 0.85 * len("".join(text.split()))


def content(text: str) -> set[str]:
    """The words that carry meaning, without their endings."""
    return {w[:5] for w in words(text) if len(w) > 2 and w not in STOP["en"] | STOP["es"]}
