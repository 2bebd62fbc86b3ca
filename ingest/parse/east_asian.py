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
# Frequent ideographs, which tell charsets apart whose bytes overlap (EUC-JP, GB, Big5).
_BOTH = (
    "一是不了在人有我他中上大和地到以要就出可也你生能而子得下自之年作用道行所家事成方多去"
    "法如同面起定天分好小部其些主理心本前但因只想民第公此已使情明性知全正外高由很最重物手文"
)
FREQUENT: dict[str, frozenset[str]] = {
    "gb18030": frozenset(
        _BOTH
        + "的这个们来为国说时会对发后里过种经么学都现当没动看还进样开从实无与长机关点业将两间问"
        "并应报办请检查压力电话号码图书馆设备维护记录"
    ),
    "big5": frozenset(
        _BOTH
        + "的這個們來為國說時會對發後裡過種經麼學都現當沒動看還進樣開從實無與長機關點業將兩間問"
        "並應報辦請檢查壓力電話號碼圖書館設備維護記錄臺"
    ),
    "euc_jp": frozenset(
        "日本人年大十一二三四五六七八九中出生東京名前住所佐藤鈴木田山川高橋会社時間者学校国家事業報告書"
        "議録作動部品水圧力電気機械使用方法確認場合必要下上入手自温度定期交換安全注意月分番号第市町村区齢"
    ),
}
FREQUENT["cp932"] = FREQUENT["euc_jp"]


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
    known = FREQUENT.get(codec, frozenset())
    frequent = sum(c in known or "\u3041" <= c <= "\u30ff" for c in wide)
    share = common / len(letters)
    return share + frequent / len(wide) if share > MIN_SHARE else share
