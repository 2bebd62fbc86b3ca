"""The language of a text, good on short and on mixed Spanish and English."""

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ingest.function_words import FUNCTION_WORDS
from ingest.parse.surroundings import current

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

FAVOURED = ("es", "en")
SAMPLE_CHARS = 20_000
MIN_PROBABILITY = 0.8
MIN_WORDS = 5  # below, a statistical guess is a coin toss
MIN_SHARE, MIN_SHARE_OF_ONE = 0.9, 0.995  # of the favoured two, for a text of few words
MIN_RIVAL = 0.3  # a neighbour's language of this probability speaks against both
CHUNK_WORDS = 12  # a chunk that contradicts its document must be this long

_NOISE = re.compile(
    r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)"  # fenced code
    r"|`[^`\n]*`|https?://\S++|(?<!\S)[^\s@]++@\S++|<[^<>\n]{1,200}>|\{[^{}\n]{0,100}\}"
    r"|(?<![\w-])(?=[\w-]*[_\d])[\w-]++|\b\w++(?:[./:]\w++)+|\b\w++\("
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CODE = re.compile(r"[{}();=<>\[\]\\$&]")


def detect(text: str) -> str:
    """ISO 639-1 code of the language most of `text` is in, ``""`` when it cannot be told.

    Code gives ``""``, or the language of the prose around it.
    """
    words = _words(text)
    if not words:
        return ""
    voted, decisive = _vote(words)
    if decisive:
        return voted
    return _statistical(words) or _short(words, voted)


def for_chunk(text: str, document_language: str) -> str:
    """The language of a chunk; its document's where the chunk is too short to tell otherwise."""
    words = _words(text)
    if not words:
        return document_language
    voted, decisive = _vote(words)
    if decisive:
        return voted
    if document_language and len(words) < CHUNK_WORDS:
        return document_language
    return _statistical(words) or document_language or _short(words, voted)


def declared(metadata: dict[str, Any]) -> str:
    """The language that a document's metadata states (``lang: es-MX`` gives ``es``), or ``""``."""
    for key in ("lang", "language", "idioma"):
        value = metadata.get(key)
        if isinstance(value, str) and (
            match := re.match(r"([A-Za-z]{2})(?:[-_].*)?$", value.strip())
        ):
            return match.group(1).lower()
    return ""


def _words(text: str) -> list[str]:
    sample = text[:SAMPLE_CHARS]
    prose = _NOISE.sub(" ", sample).replace("¿", " qué ").replace("¡", " qué ")
    signs = len(_CODE.findall(prose))
    words = [word.lower() for word in _WORD.findall(prose)]
    return words if signs * 2 <= len(words) else []


def _vote(words: list[str]) -> tuple[str, bool]:
    """The likelier of Spanish and English by function words, and whether the vote decides alone.

    It does with two votes, more than any other language, from one word in eight. ``("", False)``
    where another language has most. ``¿`` and ``¡`` count as words of Spanish.
    """
    votes: Counter[str] = Counter(dict.fromkeys(FAVOURED, 0))
    for word, count in Counter(words).items():
        for code, known in FUNCTION_WORDS.items():
            if word in known:
                votes[code] += count
    best, most = max(votes.items(), key=lambda vote: (vote[1], vote[0] in FAVOURED))
    rivals = [code for code, count in votes.items() if count == most and code != best]
    if any(code in FAVOURED for code in rivals) or best not in FAVOURED:
        return "", False
    return best, not rivals and most >= 2 and most * 8 >= len(words)


def _short(words: list[str], voted: str) -> str:
    """Spanish or English, where the letters of a few words leave no doubt between the two.

    ``""`` where they look more like a neighbour's, else what was `voted`.
    """
    if any(ord(c) >= 0x250 for word in words for c in word):
        return voted
    likely = {str(code): float(p) for code, p in _identifier().rank(" ".join(words))}
    top = max(likely, key=likely.__getitem__)
    if top in FUNCTION_WORDS and top not in FAVOURED and likely[top] >= MIN_RIVAL:
        return ""
    spanish, english = (likely.get(code, 0.0) for code in FAVOURED)
    share = spanish / ((spanish + english) or 1.0)
    least = MIN_SHARE if len(words) > 1 else MIN_SHARE_OF_ONE
    if voted or least > max(share, 1 - share):
        return voted
    return "es" if share > 0.5 else "en"


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    with current().loading():
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _statistical(words: list[str]) -> str:
    if len(words) < MIN_WORDS and all(ord(c) < 0x250 for word in words for c in word):
        return ""
    code, probability = _identifier().classify(" ".join(words))
    return str(code) if probability >= MIN_PROBABILITY else ""
