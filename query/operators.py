"""Operators in a question: ``"words in sequence"`` and ``-exclusion``.

Written for people who do not know of them: what may be plain text is plain text. A phrase begins
after a blank or an opening sign and ends before a blank or a closing one, so that ``5" pipe`` holds
none. An exclusion is a single ``-`` after a blank and right before three or more signs that begin
with a letter or digit, or before a phrase: ``--flag``, ``-v``, ``-nn``, ``- item``, ``multi-agent``
and a lone ``-`` are none.
"""

import re
from dataclasses import dataclass

from index.lexical.tokens import pieces

_OPERATOR = re.compile(
    r"""
    (?<!\S) - " (?P<not_phrase> [^"]+ ) " (?=[\s.,;:!?)\]}]|$)
    | (?<!\S) - (?P<not_word> [^\W_] \S{2,} )
    | (?<![^\s(\[{¿¡«“/]) " (?P<phrase> [^"]+ ) " (?=[\s.,;:!?)\]}»”/]|$)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Operators:
    """A question taken apart."""

    text: str  # exclusions gone, phrases without their quotes
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    rest: str = ""  # what is neither; of no meaning without operators


def parse(question: str) -> Operators:
    """Take a question apart; one without operators comes back as it is."""
    phrases: list[str] = []
    excluded: list[str] = []

    def taken(match: re.Match[str]) -> str:
        left_out, phrase = match["not_phrase"] or match["not_word"], match["phrase"]
        if not pieces(left_out or phrase):
            return match[0]
        if left_out:
            excluded.append(left_out)
            return " "
        phrases.append(phrase)
        return str(phrase)

    text = _OPERATOR.sub(taken, question)
    if not phrases and not excluded:
        return Operators(question)
    rest = _OPERATOR.sub(" ", question)
    return Operators(text.strip(), tuple(phrases), tuple(excluded), rest)
