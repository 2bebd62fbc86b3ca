"""An LLM's words, sentence by sentence: each citation, quotation, number and link is checked."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.chunk.sentences import sentence_starts
from kb.models.llm.fence import HIDDEN
from query.answer.numerals import known, written
from query.answer.prompt import NOT_THERE

_CITED = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\s*\]")
_QUOTED = re.compile(r"[\"“”«]([^\"“”«»\n]{2,300})[\"“”»]")
_LINK = re.compile(r"(?:https?|ftp|file|data|javascript):[^\s)\]>\"'»”]+", re.IGNORECASE)
_IMAGE = re.compile(r"!(?=\[)")
_MARK = re.compile(rf"\W*{NOT_THERE}\W*", re.IGNORECASE)
_LIST_MARK = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, without its citations, and with what follows it."""

    text: str
    sources: tuple[int, ...] = ()  # from 1; each is there
    doubts: tuple[str, ...] = ()  # what the check found
    after: str = " "  # blanks and line breaks up to the next sentence
    says: bool = True  # False: no words in it that need a source (a heading of a list, a mark)


@dataclass(frozen=True, slots=True)
class Checked:
    """A whole answer."""

    sentences: tuple[Sentence, ...]
    enough: bool  # False: the model says that the passages do not answer


def check(text: str, passages: Sequence[str], question: str) -> Checked:
    """Read an answer.

    Args:
        text: of the model.
        passages: what it was given, in the order of their numbers.
        question: numbers and links in it are nobody's invention.
    """
    text = HIDDEN.sub("", text).strip()
    said = _MARK.match(text)
    body = text[said.end() :] if said else text
    pieces = split(body)
    return Checked(tuple(sentence(p, passages, question) for p in pieces), said is None)


def split(text: str) -> list[str]:
    """Sentences with what follows them; citations after the full stop belong to the sentence before."""
    starts = [0]
    for start in sentence_starts(text)[1:]:
        cited = re.match(r"(?:\[[\d\s,;]+\]\s*)+", text[start:])
        at = start + cited.end() if cited else start
        if at < len(text) and at > starts[-1]:
            starts.append(at)
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True) if text[a:b]]


def sentence(piece: str, passages: Sequence[str], question: str) -> Sentence:
    """One sentence, checked."""
    named = [int(n) for found in _CITED.findall(piece) for n in re.split(r"\s*[,;]\s*", found)]
    sources = tuple(dict.fromkeys(n for n in named if 1 <= n <= len(passages)))
    bare = re.sub(r"\s+([.,;:!?])", r"\1", _CITED.sub("", piece)).rstrip()
    bare = re.sub(r"[^\S\n]{2,}", " ", bare)
    after = piece[len(piece.rstrip()) :] or " "
    given = [passages[n - 1] for n in sources]
    bare, doubts = _without_links(bare, [*given, question])
    doubts += [
        f"there is no passage [{n}]" for n in dict.fromkeys(named) if not 1 <= n <= len(passages)
    ]
    says = bool(_WORD.search(bare)) and not bare.endswith(":")
    if says and not sources:
        doubts.append("no source")
    elif sources:
        doubts += _unfounded(bare, given, question)
    return Sentence(bare, sources, tuple(doubts), after, says)


def _without_links(text: str, given: Sequence[str]) -> tuple[str, list[str]]:
    """The text without pictures, and without links that nobody gave."""
    text = _IMAGE.sub("", text)
    invented = [link for link in _LINK.findall(text) if not any(link in t for t in given)]
    for link in invented:
        text = text.replace(link, "(link removed)")
    return text, ["a link that no source holds was removed"] if invented else []


def _unfounded(text: str, given: Sequence[str], question: str) -> list[str]:
    """Quotations and numbers that stand in none of the passages cited."""
    read = [_plain(passage) for passage in given]
    doubts = [
        f"not word for word in its source: “{quoted.strip()}”"
        for quoted in _QUOTED.findall(text)
        if not any(_plain(quoted).strip(" .,;:") in passage for passage in read)
    ]
    there = known(question).union(*(known(passage) for passage in given))
    body = _LIST_MARK.sub("", text, count=1) if _LIST_MARK.match(text) else text
    strange = sorted(written(body) - there)
    if strange:
        doubts.append(f"not in its source as a number: {', '.join(strange)}")
    return doubts


def _plain(text: str) -> str:
    """Without case, accents, marks of emphasis and kinds of blanks and quotes."""
    text = unicodedata.normalize("NFKD", HIDDEN.sub("", text).casefold())
    kept = (c for c in text if not unicodedata.combining(c) and c not in "*_`")
    return " ".join("".join(kept).replace("’", "'").split())
