"""Where a document's title comes from."""

import re
from collections.abc import Iterable
from pathlib import PurePath

_FILE_NAME = re.compile(
    r"\.(docx?|pdf|pptx?|xlsx?|odt|tex|dvi|indd|qxd|html?|rtf|txt|md)\s*$", re.I
)
_PLACEHOLDER = re.compile(
    r"\(?(?:untitled|sin t[ií]tulo|anonymous|unspecified|unknown|documento?|title|none|null)?\)?"
    r"(?: (?:document|spreadsheet|presentation|diagram))?[ \d]*"
    r"|generated (?:by|using) python-\w+|openpyxl|python-docx|powerpoint[- ]presentation"
    r"|presentaci[oó]n de powerpoint|(?:libro|book|workbook|sheet|hoja|tabelle|feuil) ?\d*",
    re.I,
)


def first_title(candidates: Iterable[object], name: str) -> str:
    """The first candidate that says something, else the file's name made readable."""
    for candidate in candidates:
        if isinstance(candidate, str | int | float) and not isinstance(candidate, bool):
            title = " ".join(str(candidate).split())
            if title:
                return title
    return title_from_name(name)


def title_from_name(name: str) -> str:
    """``informe_anual-2024.pdf`` gives ``informe anual 2024``."""
    stem = PurePath(name.replace("\\", "/")).stem
    return " ".join(re.sub(r"[_\-\s]+", " ", stem).split()) or stem


def placeholder(text: str) -> bool:
    """Whether a program filled the field in because nobody did."""
    return _PLACEHOLDER.fullmatch(text.strip()) is not None


def sensible(title: object) -> str:
    """A title from a PDF, ``""`` where it is a file name, an address, a placeholder or noise."""
    text = " ".join(str(title or "").split())
    if _FILE_NAME.search(text) or placeholder(text) or "\ufffd" in text or "://" in text:
        return ""
    return text if sum(c.isalpha() for c in text) >= 3 else ""
