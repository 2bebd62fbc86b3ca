"""Numbers in a text as they compare: ``1,000``, ``1.000`` and ``1000`` are one, and so are 5 and five."""

import re

_DIGITS = re.compile(r"\d[\d.,’'\u00a0\u202f]*\d|\d")
_GROUPED = re.compile(r"[.,’'\u00a0\u202f](?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty"""
_SPANISH = """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
dieciséis diecisiete dieciocho diecinueve veinte"""
_TENS = {
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "thousand": 1000, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60,
    "setenta": 70, "ochenta": 80, "noventa": 90, "cien": 100, "ciento": 100, "mil": 1000, "una": 1,
    "un": 1,
}  # fmt: skip


def written(text: str) -> frozenset[str]:
    """The numbers in digits, without separators of thousands and with a point for decimals."""
    return frozenset(_plain(part) for run in _DIGITS.findall(text) for part in _parts(run))


def known(text: str) -> frozenset[str]:
    """Those, and the small ones that are spelled out in Spanish or English."""
    spelled = (_SAID[w] for w in _WORD.findall(text.casefold()) if w in _SAID)
    return written(text) | {str(number) for number in spelled}


def _parts(run: str) -> list[str]:
    """A run of digits with blanks between is one number only where they part thousands."""
    joined = _GROUPED.sub("", run) if re.fullmatch(r"\d{1,3}(?:\D\d{3})+(?:[.,]\d+)?", run) else run
    return joined.replace("\u00a0", " ").replace("\u202f", " ").split()


def _plain(number: str) -> str:
    number = number.strip(".,’'").replace(",", ".").replace("’", "").replace("'", "")
    whole, point, rest = number.partition(".")
    rest = rest.rstrip("0") if "." not in rest else rest
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


_SAID = {
    **{name: n for listed in (_ENGLISH, _SPANISH) for n, name in enumerate(listed.split())},
    **_TENS,
}
