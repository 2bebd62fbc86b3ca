"""What was asked: the question, what each leg reads of it, and which chunks may answer at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from index.lexical.stopwords import guess_languages
from index.lexical.tokens import pieces
from kb.errors import UsageError
from kb.settings import QuerySettings
from query.operators import Operators, parse

# What a phrase is a must for. "no other": there is nothing else in the question, so without the phrase
# there is no answer. "sparse leg": in a whole sentence quotes name something (the author of "Act of
# War"), and the answer often stands in another chunk; measured, see `_binding`.
Binding = Literal["no other", "every leg", "sparse leg"]
_SENTENCE = 4  # words outside the quotes, a function word among them


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its operators read, and its typed sub-queries."""

    query: str  # as it was written
    text: str  # what a rerank reads
    lexical: str  # what the sparse leg reads
    semantic: str  # what the dense leg reads
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    binding: Binding = "every leg"
    subqueries: Mapping[str, str] = field(default_factory=dict)  # "lex" and "vec", as given


def plain(text: str) -> Asked:
    """A question in which nothing is an operator."""
    return Asked(text, text, text, text)


def ask(text: str, lex: str = "", vec: str = "", operators: bool = True) -> Asked:
    """Read a question and its sub-queries.

    Args:
        text: the question; may be empty where a sub-query is given.
        lex: read by the sparse leg in place of the question; its operators hold for all legs.
        vec: read by the dense leg in place of the question, word for word.
        operators: whether ``"phrase"`` and ``-exclusion`` mean something.

    Raises:
        UsageError: a question of exclusions only.
    """
    question, sparse = (_parsed(part, operators) for part in (text, lex))
    return Asked(
        query=text or " ".join(part for part in (lex, vec) if part),
        text=question.text or vec or sparse.text,
        lexical=sparse.text or question.text,
        semantic=vec or question.text,
        phrases=question.phrases + sparse.phrases,
        excluded=question.excluded + sparse.excluded,
        binding=_binding(question.rest if question.phrases else sparse.rest),
        subqueries={name: part for name, part in (("lex", lex), ("vec", vec)) if part},
    )


def narrowed(asked: Asked, settings: QuerySettings) -> QuerySettings:
    """Settings without the legs that have nothing to read.

    ``--lex`` alone asks the sparse leg only and is not reranked, ``--vec`` alone the dense leg.

    Raises:
        UsageError: a sub-query for a leg that the mode leaves out.
    """
    from msgspec.structs import replace

    for name, leg, other in (("lex", "sparse", "dense"), ("vec", "dense", "sparse")):
        if name in asked.subqueries and settings.mode == other:
            raise UsageError(
                f"--{name} is for the {leg} leg, which --mode {other} leaves out: "
                f"leave out --{name}, or use --mode hybrid"
            )
    if asked.subqueries and not asked.semantic:
        return replace(settings, mode="sparse", rerank="none")
    if asked.subqueries and not asked.lexical:
        return replace(settings, mode="dense")
    return settings


def _binding(rest: str) -> Binding:
    """Of phrases among other words.

    As a filter of every leg, quoted names cost hotpot100's questions that have them .15 nDCG@10 and
    those of the manuals .20; as a must for the sparse leg they cost nothing anywhere and gave
    fastapi_es2en's .01.
    """
    words = [piece.casefold() for piece in pieces(rest)]
    if not words:
        return "no other"
    return "sparse leg" if len(words) >= _SENTENCE and guess_languages(words) else "every leg"


def _parsed(text: str, operators: bool) -> Operators:
    found = parse(text) if operators else Operators(text)
    if found.excluded and not pieces(found.text):
        raise UsageError(
            f"{text!r} only says what to leave out: add what to look for, "
            "or write it with --set query.operators=false if it is meant as it stands"
        )
    return found
