"""Bytes to text, whatever the encoding: never fails, never drops what it can read."""

import codecs
import re
from collections.abc import Callable

from ingest.parse.east_asian import guess_east_asian
from ingest.parse.one_byte import CANDIDATES, guess_one_byte
from ingest.parse.wide import guess_wide_script

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
_ISO_2022 = (
    (re.compile(rb"\x1b\$[@B]|\x1b\(J"), "iso2022_jp_2"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
)
_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_MULTIBYTE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_UNSAFE = re.compile("[\x00\ud800-\udfff]")


def replace_unsafe(text: str) -> str:
    """`text` with each NUL and lone surrogate replaced by one U+FFFD, so that offsets stay."""
    return _UNSAFE.sub(REPLACEMENT, text) if _UNSAFE.search(text) else text  # no second copy


def decode(data: bytes, declared: str = "") -> str:
    """The text in `data`, without its byte order mark, NULs and lone surrogates replaced 1:1.

    In order: byte order mark; UTF-16 or 32 by their pattern of zeros; ISO 2022 by its escapes;
    UTF-8; the `declared` charset; an East Asian charset where the bytes look like one; else line by
    line UTF-8 or the likeliest one-byte charset, which also reads logs of mixed origin.
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
    return guess_wide_script(head)


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
    for candidate in (_escaped(data), "utf-8", declared):
        text = _strict(data, candidate)
        if text is not None:
            return text
    if _ENCODED_SURROGATE.search(data) and (text := _surrogates_joined(data)) is not None:
        return text
    if not _is_mostly_utf8(data) and (asian := guess_east_asian(data)):
        return data.decode(asian, "replace")
    return _by_lines(data)


def _escaped(data: bytes) -> str:
    if b"\x1b" not in data:
        return ""
    return next((codec for mark, codec in _ISO_2022 if mark.search(data)), "")


def _surrogates_joined(data: bytes) -> str | None:
    """UTF-8 whose characters above U+FFFF are written as two surrogates, as old databases do."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _by_lines(data: bytes) -> str:
    """UTF-8 with stray bytes of another charset, or lines of one and of the other."""
    lines = data.splitlines(keepends=True)
    texts = [_strict(line, "utf-8") for line in lines]
    foreign = b"".join(line for line, text in zip(lines, texts, strict=True) if text is None)
    codec = guess_one_byte(_MULTIBYTE.sub(b"", foreign) or foreign)
    mostly = _is_mostly_utf8(data)
    return "".join(
        _decode_line(line, codec, mostly) if text is None else text
        for line, text in zip(lines, texts, strict=True)
    )


def _decode_line(line: bytes, codec: str, mostly: bool) -> str:
    """A line that is not UTF-8; where it mostly is, only its stray bytes are of `codec`."""
    if not mostly and not _is_mostly_utf8(line):
        return _one_byte(line, codec)
    return line.decode("utf-8", f"stray-{codec}")


def _stray(codec: str) -> Callable[[UnicodeError], tuple[str, int]]:
    """An error handler that reads the bytes that are not UTF-8 by `codec`."""

    def handle(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeDecodeError):
            raise error
        return _one_byte(error.object[error.start : error.end], codec), error.end

    return handle


def _is_mostly_utf8(data: bytes) -> bool:
    """Whether more characters above ASCII are whole UTF-8 than stray bytes."""
    whole = len(_MULTIBYTE.findall(data))
    stray = sum(byte >= 0x80 for byte in _MULTIBYTE.sub(b"", data)) if whole else 1
    return whole > stray


def _one_byte(data: bytes, codec: str) -> str:
    text = _strict(data, codec)
    return data.decode("latin-1") if text is None else text


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


for _codec in CANDIDATES:
    codecs.register_error(f"stray-{_codec}", _stray(_codec))
