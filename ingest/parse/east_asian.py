"""A guess at Chinese, Japanese and Korean charsets, for files that declare none."""

from itertools import pairwise

# Lead bytes of kana, hangul and of the commoner half of the ideographs: their national standards
# order them so that everyday text lies there and other text, misread, does not.
COMMON_LEADS: dict[str, tuple[tuple[int, int], ...]] = {
    "cp932": ((0x82, 0x83), (0x88, 0x97)),
    "cp949": ((0xB0, 0xC8),),
    "gb18030": ((0xB0, 0xD7),),
    "euc_jp": ((0xA4, 0xA5), (0xB0, 0xCF)),
    "big5": ((0xA4, 0xC6),),
}
MIN_SHARE = 0.7


def guess_east_asian(data: bytes) -> str:
    """The likeliest codec of `data`, ``""`` where it looks like Western text.

    Western one-byte text has lone accents between ASCII letters; double-byte text has runs of high
    bytes, and at least `MIN_SHARE` of its pairs start with a common lead byte.
    """
    head = data[:65536]
    high = sum(byte >= 0x80 for byte in head)
    if high < 4 or _lone_share(head) > 0.3:
        return ""
    best, best_share = "", MIN_SHARE
    for codec, leads in COMMON_LEADS.items():
        share = _common_share(data, codec, leads)
        if share > best_share:
            best, best_share = codec, share
    return best


def _lone_share(head: bytes) -> float:
    padded = b" " + head + b" "
    lone = high = 0
    for (before, here), (_, after) in pairwise(pairwise(padded)):
        if here >= 0x80:
            high += 1
            lone += before < 0x80 and after < 0x80
    return lone / high


def _common_share(data: bytes, codec: str, leads: tuple[tuple[int, int], ...]) -> float:
    try:
        wide = [c for c in data.decode(codec)[:20000] if ord(c) >= 0x80]
    except UnicodeDecodeError:
        return 0.0
    letters = [c.encode(codec) for c in wide if c.isalpha()]
    if not letters:
        return 0.0
    common = sum(any(a <= raw[0] <= b for a, b in leads) for raw in letters if len(raw) == 2)
    return common / len(letters)
