"""Mail headers as people read them."""

import binascii
import re
from email.message import Message
from email.utils import parsedate_to_datetime

from ingest.parse.decode import decode, replace_unsafe

SHOWN = ("From", "To", "Cc", "Date")  # also as text, in this order
_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bqBQ])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(\?=)\s+(?==\?[^?\s]+\?[bqBQ]\?)")
MAX_HEADER = 4000  # characters that are read


def header(message: "Message[str, str]", name: str) -> str:
    """A header with its encoded words (RFC 2047) decoded, on one line; ``""`` without one."""
    wanted = name.lower()
    for key, value in message.raw_items():
        if key.lower() == wanted:
            return decoded(str(value)[:MAX_HEADER])
    return ""


def decoded(raw: str) -> str:
    """`raw` with its encoded words decoded; bytes of no declared charset are guessed.

    A letter whose bytes are parted between two words of one charset is read whole.
    """
    raw = _BETWEEN_WORDS.sub(r"\1", raw)
    pieces: list[str] = []
    charset, pending = "", b""
    at = 0
    for match in _WORD.finditer(raw):
        between = raw[at : match.start()]
        if between or match[1].lower() != charset:
            pieces += [decode(pending, charset), _plain(between)]
            pending = b""
        charset = match[1].lower()
        pending += _bytes(match[2], match[3])
        at = match.end()
    pieces += [decode(pending, charset), _plain(raw[at:])]
    return replace_unsafe(" ".join("".join(pieces).split()))


def _plain(text: str) -> str:
    """Bytes outside ASCII reach a header as lone surrogates."""
    if text.isascii():
        return text
    return decode(text.encode("utf-8", "surrogateescape"))


def _bytes(kind: str, text: str) -> bytes:
    raw = text.encode("utf-8", "surrogateescape")
    if kind in "qQ":
        return binascii.a2b_qp(raw, header=True)
    try:
        return binascii.a2b_base64(raw + b"=" * (-len(raw) % 4))
    except binascii.Error:
        return raw


def iso_date(written: str) -> str:
    """The day of a ``Date`` header as an ISO date, ``""`` where it is none."""
    try:
        return parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
