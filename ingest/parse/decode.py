"""Bytes to text, whatever the encoding: never fails, never drops what it can read."""

import codecs
import re

from ingest.parse.east_asian import guess_east_asian

REPLACEMENT = "\ufffd"
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark starts with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What pages that declare the left side really hold (WHATWG encoding standard).
SUPERSETS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
NOT_CHARSETS = {
    "unicode_escape",
    "raw_unicode_escape",
    "idna",
    "punycode",
    "undefined",
    "mbcs",
    "oem",
}
_UNSAFE = re.compile("[\x00\ud800-\udfff]")


def replace_unsafe(text: str) -> str:
    """`text` with each NUL and lone surrogate replaced by one U+FFFD, so that offsets stay."""
    return _UNSAFE.sub(REPLACEMENT, text) if _UNSAFE.search(text) else text  # no second copy


def decode(data: bytes, declared: str = "") -> str:
    """The text in `data`, without its byte order mark, NULs and lone surrogates replaced 1:1.

    In order: byte order mark; UTF-16 or 32 by their pattern of zeros; UTF-8; the `declared`
    charset; an East Asian charset where the bytes look like one; else line by line UTF-8 or
    cp1252, which also reads logs of mixed origin.
    """
    return replace_unsafe(_decode(data, _known_charset(declared)))


def guess_wide(data: bytes) -> str:
    """``utf-16-le`` and the like where zeros stand as in wide text without a mark, else ``""``."""
    head = data[:4096]
    if len(head) < 4 or b"\0" not in head:
        return ""
    shares = [_zero_share(head, offset) for offset in range(4)]
    for codec, zero, full in (
        ("utf-32-le", (2, 3), (0,)),
        ("utf-32-be", (0, 1), (3,)),
        ("utf-16-le", (1, 3), (0, 2)),
        ("utf-16-be", (0, 2), (1, 3)),
    ):
        if all(shares[i] > 0.6 for i in zero) and all(shares[i] < 0.1 for i in full):
            return codec
    return ""


def bom_codec(data: bytes) -> tuple[str, int]:
    """The codec that a byte order mark names and the mark's length, ``("", 0)`` without one."""
    for mark, codec in BOMS:
        if data.startswith(mark):
            return codec, len(mark)
    return "", 0


def _decode(data: bytes, declared: str) -> str:
    codec, skip = bom_codec(data)
    if codec:
        return data[skip:].decode(codec, "replace")
    if wide := guess_wide(data):
        return data.decode(wide, "replace")
    # ISO 2022 is plain ASCII with escapes, so that UTF-8 would accept it as it is.
    candidates = ["utf-8", declared]
    if declared.startswith("iso2022") and b"\x1b" in data:
        candidates.reverse()
    for candidate in candidates:
        text = _strict(data, candidate)
        if text is not None:
            return text
    if asian := guess_east_asian(data):
        return data.decode(asian, "replace")
    return "".join(_decode_line(line) for line in data.splitlines(keepends=True))


def _decode_line(line: bytes) -> str:
    for codec in ("utf-8", "cp1252"):
        text = _strict(line, codec)
        if text is not None:
            return text
    return line.decode("latin-1")


def _strict(data: bytes, codec: str) -> str | None:
    if not codec:
        return None
    try:
        return data.decode(codec)
    except (UnicodeError, LookupError):
        return None


def _known_charset(declared: str) -> str:
    """The Python name of a declared charset, ``""`` for one that is unknown or no charset."""
    try:
        name = codecs.lookup(declared.strip().strip("\"'")).name if declared.isascii() else ""
        "".encode(name or "utf-8")
    except (LookupError, ValueError, UnicodeError):
        return ""
    if name in NOT_CHARSETS or name.startswith(("utf-16", "utf-32")):
        return ""  # wide text was recognised before; a page that says so in one-byte letters lies
    return SUPERSETS.get(name, name)


def _zero_share(head: bytes, offset: int) -> float:
    column = head[offset::4]
    return column.count(0) / len(column)
