"""UTF-16 without a byte order mark in scripts whose letters have no zero bytes."""

import re

_BLANKS = re.compile(r"[ \n\r\t]")
_SCRIPT = re.compile(  # Greek to Arabic, kana and CJK, hangul, full width; with what stands between
    r"[\x09\x0a\x0d\x20-\x7e\xa0-\xff\u0370-\u06ff\u2010-\u203a\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffee]"
)
_WIDE = re.compile(r"[\u0370-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
MIN_SHARE = 0.98


def guess_wide_script(head: bytes) -> str:
    """``utf-16-le`` or ``-be`` where `head`, which holds zeros, is text only when read so, else ``""``.

    What is UTF-8 apart from its zeros is damaged text, not wide text.
    """
    if not _CONTROL.search(head) and _is_utf8(head.replace(b"\0", b"")):
        return ""
    shares = {codec: _share(head, codec) for codec in ("utf-16-le", "utf-16-be")}
    codec = max(shares, key=shares.__getitem__)
    return codec if shares[codec] >= MIN_SHARE > min(shares.values()) else ""


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4  # cut inside a letter
    return True


def _share(head: bytes, codec: str) -> float:
    """The share of characters that are of a script we look for; 0 where it has no blank."""
    try:
        text = head[: len(head) // 2 * 2].decode(codec)
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:
            return 0.0
        text = head[: error.start].decode(codec)
    if not _BLANKS.search(text) or len(_WIDE.findall(text)) * 3 < len(text):
        return 0.0
    return len(_SCRIPT.findall(text)) / len(text)
