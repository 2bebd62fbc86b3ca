"""Summaries in the members' own sentences, which can be cited to the word."""

from collections.abc import Sequence
from dataclasses import replace

from index.lexical.analyzer import Analyzer
from index.raptor.members import Member, Summary
from index.raptor.summarize.coverage import Coverage
from index.raptor.summarize.sentences import Sentence, sentences
from kb.settings import Bm25Settings

ROOM = 700  # characters, about 115 words


class ExtractiveSummarizer:
    """Chooses sentences that cover what the members say; see `index.raptor.summarize.coverage`."""

    name: str = "extractive"
    version: str = "1"

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._terms = Analyzer(Bm25Settings()).index_terms

    def summarize(self, clusters: Sequence[Sequence[Member]]) -> list[Summary]:
        """See `index.raptor.members.Summarizer`."""
        cut: dict[str, list[Sentence]] = {}
        for member in (member for cluster in clusters for member in cluster):
            if member.id not in cut:
                cut[member.id] = sentences(member, self._terms)
        return [self._summary([cut[member.id] for member in cluster]) for cluster in clusters]

    def _summary(self, of_members: Sequence[Sequence[Sentence]]) -> Summary:
        """The best sentences of all; one that several members hold is taken once."""
        first: dict[tuple[object, ...], tuple[int, Sentence]] = {}
        for number, those in enumerate(of_members):
            for sentence in those:
                first.setdefault(_identity(sentence), (number, sentence))
        found = sorted(first.values(), key=_order)
        pieces = [piece for _, piece in found]
        costs = [_length(piece.text) for piece in pieces]
        chosen = Coverage(pieces, costs=costs).choose(range(len(found)), self._room)
        return joined([found[place][1] for place in chosen])


def _order(found: tuple[int, Sentence]) -> tuple[object, ...]:
    """By place in the documents; an LLM's words by member."""
    number, sentence = found
    source = sentence.source
    return (1, "", number) if source is None else (0, source.path, source.source_start)


def _length(text: str) -> int:
    """In characters; one of those that are words takes four."""
    return len(text) if text.isascii() else len(text) + 3 * sum(c >= "\u2e80" for c in text)


def _identity(sentence: Sentence) -> tuple[object, ...]:
    source = sentence.source
    return (sentence.text,) if source is None else (source.leaf, source.source_start)


def joined(pieces: Sequence[Sentence]) -> Summary:
    """One text: sentences of one leaf on one line, blocks on lines of their own."""
    parts: list[str] = []
    quotes = []
    at = 0
    for place, piece in enumerate(pieces):
        if place:
            parts.append(" " if _one_line(pieces[place - 1], piece) else "\n")
            at += 1
        if piece.source is not None:
            quotes.append(replace(piece.source, start=at, end=at + len(piece.text)))
        parts.append(f"{piece.text}…" if piece.cut else piece.text)
        at += len(parts[-1])
    return Summary("".join(parts), tuple(quotes))


def _one_line(one: Sentence, other: Sentence) -> bool:
    if one.source is None or other.source is None:
        return one.source is other.source
    return one.source.leaf == other.source.leaf and "\n" not in one.text + other.text
