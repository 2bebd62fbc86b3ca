"""LaTeX's ways to write a letter: accents, special letters, signs."""

import re
import unicodedata

ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "d": "\u0323",
    "b": "\u0331",
    "k": "\u0328",
    "r": "\u030a",
    "t": "\u0361",
}
SYMBOLS = {
    **{"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł"},
    **{"L": "Ł", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ"},
    **{"textquestiondown": "¿", "textexclamdown": "¡", "ldots": "…", "dots": "…", "S": "§"},
    **{"P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€", "EUR": "€"},
    **{"textdegree": "°", "degree": "°", "textbackslash": "\\", "textasciitilde": "~"},
    **{"guillemotleft": "«", "guillemotright": "»", "og": "«", "fg": "»", "textbar": "|"},
    **{"quotedblbase": "„", "textendash": "–", "textemdash": "—", "textbullet": "•"},
    **{"textquotedblleft": "“", "textquotedblright": "”", "textregistered": "®", "dag": "†"},
    **{"texttrademark": "™", "TeX": "TeX", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "numero": "№"},
    **{"ordfeminine": "ª", "ordmasculine": "º", "textordfeminine": "ª", "textordmasculine": "º"},
    **{"quad": " ", "qquad": " ", "textasciicircum": "^", "textless": "<", "textgreater": ">"},
    **{"newline": "\n", "linebreak": "\n", "par": "\n\n", "and": ", ", "slash": "/"},
}
_ACCENT = re.compile(
    r"\\(?:(['`^\"~=.])|([uvHcdbkrt])(?![A-Za-z]))\s*"
    r"(?:\{\s*(\\[ij](?![A-Za-z])|[^\W\d_])\s*\}|(\\[ij](?![A-Za-z])|[^\W\d_]))(?:\{\})?"
)
_DASHES = re.compile(r"---|--|``|''|\?`|!`|<<|>>|~")
_WRITTEN = {
    "---": "—",
    "--": "–",
    "``": "“",
    "''": "”",
    "?`": "¿",
    "!`": "¡",
    "<<": "«",
    ">>": "»",
    "~": " ",
}


def accented(source: str) -> str:
    r"""`source` with ``\'a``, ``\~{n}``, ``\c c`` and the like as letters."""
    return _ACCENT.sub(_letter, source)


def typed(text: str) -> str:
    """Dashes, quotes and ties as they are printed."""
    return _DASHES.sub(lambda match: _WRITTEN[match[0]], text)


def _letter(match: re.Match[str]) -> str:
    base = (match[3] or match[4]).removeprefix("\\")
    return unicodedata.normalize("NFC", base + ACCENTS[match[1] or match[2]])
