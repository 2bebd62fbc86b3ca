"""Numbers as their cell shows them: dates, percents, currencies, leading zeros."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

BUILT_IN = {
    **{1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00"},
    **{14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss"},
    **{20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00"},
    **{40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss", 48: "0.0E+0"},
    **dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
}
_QUOTED = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_BRACKETS = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]|\[(?!h+\]|m+\]|s+\])[^\]]*\]", re.I)
_DIGITS = re.compile(r"[#0?](?:[#0?,]*[#0?])?(?:\.[#0?]*)?(?:E[+-][0#?]+)?(,*)", re.I)
_DATE = re.compile(r"[ymdhs]", re.I)
# Signs within quotes mean nothing; they are put out of the way while the code is read.
_ASIDE = {ord(sign): 0xE000 + ord(sign) for sign in "#0?.,%/-E"}
_BACK = {there: here for here, there in _ASIDE.items()}
_EPOCH, _EPOCH_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LONGEST = 300  # characters; Excel itself takes 255
_LATEST = 2_958_466  # days: 9999-12-31


@dataclass(frozen=True, slots=True)
class Format:
    """What a format code makes of a number."""

    kind: str = "general"  # general, number, date, time, span, moment, month
    decimals: int = 0
    zeros: int = 1  # digits before the point at least
    percent: bool = False
    exponent: bool = False
    divide: int = 0  # thousands left out of sight
    before: str = ""
    after: str = ""


def read_format(code: str) -> Format:
    """The meaning of a format code; of its sections the first, which is that of positive numbers."""
    code = code[:_LONGEST]
    section = (
        code.split(";")[0]
        if '"' not in code
        else re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', code)[0]
    )
    bare = _BRACKETS.sub("", _QUOTED.sub("", section))
    if bare.strip().lower() in ("", "general", "@", "standard", "estándar"):
        return Format()
    if _DATE.search(bare) and not re.search(r"[0#?]", bare.replace(".0", "").replace(".00", "")):
        return Format(_date_kind(bare.lower()))
    return _number(section)


def shown(value: float, form: Format, from_1904: bool) -> str:
    """A number as text: dates as ``2024-05-01``, no marks between thousands, a point for decimals."""
    if form.kind == "general":
        return general(value)
    if form.kind != "number":
        return _moment(value, form.kind, from_1904)
    if form.percent:
        value *= 100
    value /= 1000.0**form.divide
    if form.exponent:
        text = f"{value:.{form.decimals}E}"
    else:
        width = form.zeros + (form.decimals + 1 if form.decimals else 0)
        text = f"{abs(value):0{width}.{form.decimals}f}"
        text = f"-{text}" if value < 0 and text.strip("0.") else text
    return f"{form.before}{text}{'%' if form.percent else ''}{form.after}"


def general(value: float) -> str:
    """``0.30000000000000004`` as ``0.3``, ``5.0`` as ``5``."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}"


def _number(section: str) -> Format:
    plain = _BRACKETS.sub(lambda m: m.group(1) or "", _QUOTED.sub(_literal, section))
    digits = _DIGITS.search(plain)
    if digits is None:
        return Format()
    whole, _, fraction = digits.group().rstrip(",").partition(".")
    exponent = "e" in digits.group().lower()
    decimals = sum(c in "0#?" for c in re.split("e", fraction, flags=re.I)[0])
    before, after = plain[: digits.start()], plain[digits.end() :]
    if "/" in after or "?" in whole:  # a fraction
        return Format()
    return Format(
        "number",
        min(decimals, 15),
        min(max(whole.count("0"), 1), 30) if not exponent else 1,
        "%" in before + after,
        exponent,
        len(digits.group(1)),
        _sign(before, leading=True),
        _sign(after, leading=False),
    )


def _literal(match: re.Match[str]) -> str:
    text = match.group(1) or match.group(2) or ""
    return text.translate(_ASIDE)


def _sign(text: str, leading: bool) -> str:
    text = text.replace("%", "").replace("-", "").strip("()+ ").translate(_BACK)
    text = " ".join(text.split())[:20]
    if not text:
        return ""
    if leading:
        return text if len(text) == 1 else f"{text} "
    return f" {text}"


def _date_kind(code: str) -> str:
    if "[" in code:
        return "span"
    has_day = "y" in code or "d" in code
    has_time = "h" in code or "s" in code
    if has_day and has_time:
        return "moment"
    if has_day or not has_time:
        return "date" if "d" in code else "month" if "m" in code else "year"
    return "time"


def _moment(value: float, kind: str, from_1904: bool) -> str:
    if kind == "span":
        minutes, seconds = divmod(round(value * 86400), 60)
        return f"{minutes // 60}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")
    if not 0 <= value < _LATEST:
        return general(value)
    day = 1 if value < 60 and not from_1904 else 0  # there was no 29 February 1900
    moment = (_EPOCH_1904 if from_1904 else _EPOCH) + timedelta(
        days=int(value) + day, seconds=round((value % 1) * 86400)
    )
    clock = f"{moment:%H:%M:%S}".removesuffix(":00") if moment.second == 0 else f"{moment:%H:%M:%S}"
    if kind == "time" or (kind == "moment" and value < 1):
        return clock
    text = moment.date().isoformat()
    if kind == "moment":
        return f"{text} {clock}"
    return {"month": text[:7], "year": text[:4]}.get(kind, text)
