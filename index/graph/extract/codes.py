"""Names of code: what stands in backticks, and words written as only identifiers are."""

import re
from collections.abc import Iterator

from index.graph.extract.found import Found

_TICKS = re.compile(r"(?<!`)`([^`\n]{2,60})`(?!`)")
_NAME = re.compile(r"[A-Za-z_][\w.:/-]*\w(?:\(\))?")
# CamelCase with two humps, snake_case, and a dotted path of identifiers that is called
_WRITTEN_SO = re.compile(
    r"\b(?:[A-Z][a-z\d]++(?:[A-Z][a-z\d]*+)++|[a-z]++[A-Z]\w*+|[A-Za-z]\w*_\w+|[a-z_]\w{0,40}+(?:\.\w{1,40}+){1,6}+(?=\())"
)
_LONGEST = 60


def codes(text: str, *, is_code: bool) -> Iterator[Found]:
    """Identifiers; in a chunk of code what stands in backticks means nothing."""
    if not is_code:
        for found in _TICKS.finditer(text):
            inside = found[1].strip().removesuffix("()")
            if _NAME.fullmatch(inside):
                start = text.index(inside, found.start())
                yield Found(start, start + len(inside), inside, 0.8, "code")
    for found in _WRITTEN_SO.finditer(text):
        name = found[0]
        if 3 < len(name) <= _LONGEST:
            yield Found(found.start(), found.end(), name, 0.8, "code")
