"""Lines of a PDF to readable text."""

import re
import unicodedata
from collections.abc import Iterable

from ingest.parse.decode import replace_unsafe

LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
ACCENTS = {"´": "\u0301", "¨": "\u0308", "˜": "\u0303", "ˆ": "\u0302", "¸": "\u0327"}  # noqa: RUF001
_ACCENT = re.compile(r"([´¨˜ˆ¸]) ?([A-Za-zı])")  # noqa: RUF001
_BLANKS = re.compile(r"[ \t\xa0\u2000-\u200a\u3000]+")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}[-\u2010\u00ad\ufffe\x02]$")
MAX_WORD = 60
_COMPOUND = re.compile(r"\w-$")
_HYPHENATED = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


def clean(text: str) -> str:
    """One line: ligatures opened, accents composed (NFC), blanks collapsed."""
    text = replace_unsafe(text).translate(LIGATURES)
    text = unicodedata.normalize("NFC", _ACCENT.sub(_composed, text))
    return _BLANKS.sub(" ", text).strip()


def hyphenated_words(lines: Iterable[str]) -> frozenset[str]:
    """Words with a hyphen inside a line, in lower case: these keep it at a line's end too."""
    return frozenset(word.lower() for line in lines for word in _HYPHENATED.findall(line))


def join_lines(text: str, line: str, keep_hyphen: frozenset[str]) -> str:
    """`text` and its next line; a word broken by a hyphen becomes whole.

    ``exem-`` and ``plo`` give ``exemplo``; a hyphen stays where the document writes the word with
    it elsewhere, or where the next line starts with a capital or a digit.
    """
    if not text:
        return line
    if not _BROKEN_WORD.search(text[-MAX_WORD:]) or not line[:1].islower():
        return (
            text + line if _COMPOUND.search(text[-2:]) and line[:1].isalnum() else f"{text} {line}"
        )
    head = re.findall(r"[^\W\d_]+$", text[-MAX_WORD:-1])[0]
    tail = re.findall(r"^[^\W\d_]+", line)
    word = f"{head}-{tail[0] if tail else ''}".lower()
    return (text if word in keep_hyphen else text[:-1]) + line


def undoubled(line: str) -> str:
    """``BBOOLLDD`` to ``BOLD``: each letter was drawn twice."""
    words = line.split()
    letters = "".join(words)
    if len(letters) < 8 or len(set(letters)) < 3:  # a short word, a rule of dashes, a row of zeros
        return line
    if any(len(word) % 2 or word[::2] != word[1::2] for word in words):
        return line
    return " ".join(word[::2] for word in words)


def without_controls(text: str) -> str:
    """`text` without the control characters that fonts without a character map leave behind."""
    return _CONTROL.sub("", text)


def _composed(match: re.Match[str]) -> str:
    letter = "i" if match.group(2) == "ı" else match.group(2)
    composed = unicodedata.normalize("NFC", letter + ACCENTS[match.group(1)])
    return composed if len(composed) == 1 else match.group(0)
