"""Names that the writer set apart: headings, emphasised words, the words of links, defined terms."""

import re
from collections.abc import Iterator

from index.graph.extract.found import Found
from index.graph.extract.words import STARTERS, STOP
from index.lexical.folding import fold

_HEADING = re.compile(r"^#{1,6}[ \t]+([^\n#{]{2,80}?)[ \t#]*(?:\{[^\n}]*\})?$", re.MULTILINE)
_STRONG = re.compile(r"(?<![\w*])(\*\*|__|\*|_)(?=\S)([^*_\n]{2,50}?)(?<=\S)\1(?![\w*])")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{2,60})\]\((?!#)[^()\s]{1,300}\)")
_DEFINED = re.compile(
    r"(?:[\"“«']([^\"”»'\n]{2,50})[\"”»'])\s+(?:means|refers to|denotes|significa|se refiere a)\b"
)
_NUMBER = re.compile(r"^[\dIVX.]+[.):]?\s+")
_WORDS = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_MOST = 5  # words; more is a sentence


def marked(text: str) -> Iterator[Found]:
    """Those of a text in Markdown."""
    for pattern, group, strength in (
        (_HEADING, 1, 0.5),
        (_STRONG, 2, 0.4),
        (_LINK, 1, 0.5),
        (_DEFINED, 1, 0.8),
    ):
        for found in pattern.finditer(text):
            name = _NUMBER.sub("", found[group].strip("`*_ ")).strip(" :.,;¿?¡!")
            if _is_name(name):
                start = text.index(name, found.start(group))
                yield Found(start, start + len(name), name, strength)


def _is_name(name: str) -> bool:
    """Few words, of which one is neither a number nor a word that anything may hold."""
    words = [fold(word) for word in _WORDS.findall(name)]
    if not 0 < len(words) <= _MOST or words[0] in STOP - {"the", "el", "la", "los", "las"}:
        return False
    return any(len(word) > 2 and word not in STARTERS and not word.isdigit() for word in words)
