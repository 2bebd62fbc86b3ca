"""Heading styles by name, in the languages that office programs speak."""

import re

_NAMED = re.compile(
    r"(?:heading|t[ií]tulo|ttulo|encabezado|überschrift|berschrift|titre|titolo|kop|rubrik|overskrift|"
    r"otsikko|nagłówek|nadpis|заголовок|标题|標題|見出し|제목)[\s_]*([1-9])(?:\b|_|$)",
    re.I,
)
_TITLES = frozenset(("title", "título", "titulo", "puesto", "titel", "titre", "titolo", "标题"))


def heading_level(name: str) -> int:
    """1 to 9 for ``heading 2``, ``Título 2`` and the like, 1 for a title, else 0."""
    name = name.strip().casefold()
    match = _NAMED.match(name)
    if match:
        return int(match.group(1))
    return 1 if name in _TITLES else 0


def is_title(name: str) -> bool:
    """Whether a style is that of a document's title."""
    return name.strip().casefold() in _TITLES


def is_contents(name: str) -> bool:
    """Whether a style is that of lines in a table of contents."""
    name = name.strip().casefold()
    return name[:3] in ("toc", "tdc") and name[3:].strip().isdigit()
