"""Which one-byte charset a text is in, judged by what its letters would be and where they would stand."""

from collections import Counter
from functools import lru_cache

# A tie goes to the first. Central European and old DOS and Mac charsets share most of their letters
# with cp1252, so that only letters that tell them apart decide.
CANDIDATES = (
    "cp1252",
    "cp850",
    "mac-roman",
    "cp1250",
    "iso8859-2",
    "cp1251",
    "koi8-r",
    "cp866",
    "iso8859-5",
    "cp1253",
)
SAMPLE_BYTES = 65536
LEAST = 1.0  # what another charset must score at all: it takes letters in words
MARGIN = 0.4  # by which another charset must be better than cp1252
_SPANISH = frozenset("áéíóúñ")
_WESTERN = frozenset("àèìòùâêîôûçäöëïüßãõ")
_LATIN = frozenset("åæøœąćęłńśźżčěřšžůýťďňőűşţăđľĺŕż")
_CYRILLIC = frozenset("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёі")
_RARE_CYRILLIC = frozenset("ъєїґўјљњћџђѓќѕ")
_GREEK = frozenset("αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ")
_OPENING = frozenset("“‘«¿¡„")
_CLOSING = frozenset("”’»…")
_BETWEEN = frozenset("—–·•’×\u2039›")
_MONEY = frozenset("€£¥¢")
_AFTER_DIGIT = frozenset("°ºª½¼¾²³%€£±µ")


def guess_one_byte(data: bytes) -> str:
    """The likeliest of `CANDIDATES` for `data`, which has bytes above ASCII.

    Each character above ASCII scores by whether it is a common letter or sign at a likely place; the
    mean decides. A letter of another case or script inside a word, and a sign between two letters,
    speak against a charset.
    """
    head = data[:SAMPLE_BYTES]
    contexts = Counter(
        (_place(head, at - 1), byte, _place(head, at + 1))
        for at, byte in enumerate(head)
        if byte >= 0x80
    )
    scores = {codec: _score(contexts, codec) for codec in CANDIDATES}
    best = max(CANDIDATES, key=scores.__getitem__)
    return best if scores[best] >= max(LEAST, scores["cp1252"] + MARGIN) else "cp1252"


def _place(data: bytes, at: int) -> int:
    """What stands beside a character: a byte above ASCII as it is, of the others only the kind."""
    byte = data[at] if 0 <= at < len(data) else 0x20
    if byte >= 0x80:
        return byte
    shown = chr(byte)
    return ord(
        "a" if shown.islower() else "A" if shown.isupper() else "0" if shown.isdigit() else " "
    )


def _score(contexts: "Counter[tuple[int, int, int]]", codec: str) -> float:
    table = _table(codec)
    total = sum(
        count * _fits(table[before], table[byte], table[after])
        for (before, byte, after), count in contexts.items()
    )
    return total / max(contexts.total(), 1)


@lru_cache(maxsize=len(CANDIDATES))
def _table(codec: str) -> str:
    """The character of each byte, U+FFFD where there is none."""
    return "".join(bytes([byte]).decode(codec, "replace")[:1] for byte in range(256))


def _fits(before: str, shown: str, after: str) -> float:
    """From -4 to 3, how well a character fits between its neighbours."""
    if shown.isalpha() and shown not in "ªºµ":
        return _letter(before, shown, after)
    if shown == "\ufffd" or "\x80" <= shown < "\xa0":
        return -3.0
    inside = before.isalpha() and after.isalpha()
    if inside:
        return 2.0 if shown == "’" else 0.0 if shown in _BETWEEN else -4.0
    return _sign(before, shown, after)


def _sign(before: str, shown: str, after: str) -> float:
    if shown in _OPENING:
        return 2.0 if after.isalnum() and not before.isalnum() else -1.0
    if shown in _CLOSING:
        return 1.5 if not before.isspace() and not after.isalnum() else -1.0
    if shown in _MONEY:
        return 2.0 if before.isdigit() or after.isdigit() or before.isspace() else -1.0
    if shown in _AFTER_DIGIT:
        named = shown in "ºª" and before.isalpha()
        degrees = shown == "°" and before.isspace() and after.isupper()
        return 1.5 if before.isdigit() or named or degrees else -1.0
    return 0.5 if shown in "\xa0§©®" or shown in _BETWEEN else -1.5


def _letter(before: str, shown: str, after: str) -> float:
    if any(_script(x) != _script(shown) for x in (before, after) if x.isalpha()):
        return -3.0
    if _is_odd_case(before, shown, after) or before.isdigit():
        return -3.0
    weight = _weight(shown.lower())
    if not before.isalpha() and not after.isalpha():
        return min(weight, 0.4) if shown.islower() else -1.0  # a letter alone says little
    if _script(shown) == "latin":
        # accents seldom stand side by side
        weight -= 1.5 * sum(x.isalpha() and not x.isascii() for x in (before, after))
    return weight - 0.5 if shown.isupper() and not before.isupper() else weight


def _is_odd_case(before: str, shown: str, after: str) -> bool:
    """Whether capital and small letters alternate as they do not in words."""
    if shown.isupper():
        return before.islower() or (after.islower() and before.isalpha())
    return after.isupper() or (before.isupper() and after.isupper())


def _weight(lower: str) -> float:
    if lower in _SPANISH:
        return 3.0
    if lower in _WESTERN:
        return 2.5
    if lower in _CYRILLIC:
        return 2.5 - 0.04 * "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёі".index(lower)
    if lower in _GREEK:
        return 2.0
    if lower in _LATIN:
        return 1.5
    return 0.0 if lower in _RARE_CYRILLIC else -1.0


def _script(letter: str) -> str:
    if letter < "\u0370":
        return "latin"
    return "greek" if letter < "\u0400" else "cyrillic"
