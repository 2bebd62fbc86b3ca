"""The tokens of an RTF file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,40})(-?\d{1,10})? ?"  # a control word and its number
    rb"|\\'([0-9a-fA-F]{2})"  # a byte of text
    rb"|\\(.)"  # a control sign
    rb"|([{}])"
    rb"|[\r\n\0]+"
    rb"|([^\\{}\r\n\0]+)",
    re.S,
)


class Token(NamedTuple):
    """One token; of the four kinds one is set."""

    word: str = ""  # control word or sign: "par", "u", "~", "*"
    number: int | None = None
    text: bytes = b""
    brace: str = ""


def tokens(data: bytes) -> Iterator[Token]:
    r"""All tokens in order; raw bytes after ``\bin`` are left out."""
    at = 0
    while (match := _TOKEN.match(data, at)) is not None:
        at = match.end()
        word, count, code, sign, brace, text = match.groups()
        if word:
            number = int(count) if count else None
            if word == b"bin":
                at += max(number or 0, 0)
            else:
                yield Token(word.decode("ascii"), number)
        elif code:
            yield Token(text=bytes((int(code, 16),)))
        elif sign:
            yield Token("par" if sign in b"\r\n" else sign.decode("latin-1"))
        elif brace:
            yield Token(brace=brace.decode("ascii"))
        elif text:
            yield Token(text=text)
