"""The language of a text, good on short and on mixed Spanish and English."""

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Words that hold a sentence together. A word that several languages share votes for each of them.
FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "es": frozenset(
        "el la los las un una unos unas de del al y e o u que en por para con sin sobre entre hasta desde "
        "es son está están fue fueron era ser sido se su sus le les lo me te nos mi tu como más pero si sí "
        "no ya muy también cuando donde quien cuál cuánto cuántos qué cómo dónde quién cuándo este esta "
        "estos estas ese esa eso esto hay ha han he había porque todo todos toda todas otro otra cada según "
        "durante ante tras así aquí puede pueden debe deben tiene tienen hace sólo solo aunque mientras"
        .split()
    ),
    "en": frozenset(
        "the a an of to in on at by for with from into about as and or but not if then than that this "
        "these those is are was were be been being has have had do does did will would can could should "
        "must may might it its he she they we you i my your our their his her them us me what which who "
        "when where why how there here all any each other some no so only also more most very just "
        "don't isn't doesn't between under over after before during while because".split()
    ),
    "pt": frozenset(
        "o a os as um uma de do da dos das em no na nos nas por para com sem que não é são foi se seu sua "
        "seus suas como mais mas também quando onde quem este esta isso ao aos pelo pela já muito ou e"
        .split()
    ),
    "fr": frozenset(
        "le la les un une des de du au aux et ou que qui dans en sur par pour avec sans est sont était "
        "être ne pas plus ce cette ces il elle ils nous vous je son sa ses leur mais comme se à".split()
    ),
    "it": frozenset(
        "il lo la i gli le un uno una di del della dei delle da dal in nel nella con su per tra e o che "
        "non è sono era si come più ma anche quando dove chi questo questa al alla".split()
    ),
    "ca": frozenset(
        "el la els les un una uns unes de del dels al als i o que en per amb sense és són va es seu seva "
        "com més però també quan on qui aquest aquesta no ja molt".split()
    ),
    "de": frozenset(
        "der die das den dem des ein eine einen einem einer und oder aber nicht in im an am auf für mit "
        "von vom zu zum zur ist sind war wird werden es sie er wir ich sich als wie auch bei nach".split()
    ),
}  # fmt: skip
FAVOURED = ("es", "en")
SAMPLE_CHARS = 20_000
MIN_PROBABILITY = 0.8
MIN_WORDS = 5  # below, a statistical guess is a coin toss
CHUNK_WORDS = 12  # a chunk that contradicts its document must be this long

_NOISE = re.compile(
    r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)"  # fenced code
    r"|`[^`\n]*`|https?://\S+|\S+@\S+|<[^<>\n]{1,200}>|\{[^{}\n]{0,100}\}"
    r"|\b\w*[_\d]\w*\b|\w+(?:[./:]\w+)+|\w+\("
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")  # noqa: RUF001
_CODE = re.compile(r"[{}();=<>\[\]|\\$&]")


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
    return _statistical(text, words) or voted


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
    return _statistical(text, words) or document_language or voted


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
    """The language with most function words, and whether the vote decides alone.

    It does for Spanish and English with two votes, more than any other, from one word in eight:
    these are our users' languages. ``¿`` and ``¡`` count as words of Spanish.
    """
    votes: Counter[str] = Counter()
    for word, count in Counter(words).items():
        for code, known in FUNCTION_WORDS.items():
            if word in known:
                votes[code] += count
    (best, most), (_, second) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    if most <= second:
        return "", False
    return best, best in FAVOURED and most >= 2 and most * 8 >= len(words)


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _statistical(text: str, words: list[str]) -> str:
    if len(words) < MIN_WORDS and all(ord(c) < 0x250 for word in words for c in word):
        return ""
    code, probability = _identifier().classify(" ".join(words))
    return str(code) if probability >= MIN_PROBABILITY else ""
