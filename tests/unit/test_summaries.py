"""Extractive summaries: whose sentences they hold, in which order, and where each stands."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from index.raptor.members import Member, Summary
from index.raptor.summarize.extractive import ROOM, ExtractiveSummarizer
from index.raptor.summarize.sentences import LONGEST
from kb.records import Chunk

PUMP = (
    "The solar pump lifts water from the well. It stops at night, when the panel gives nothing. "
    "Agreed. A float switch stops the pump when the tank is full."
)
PANEL = "The panel feeds the solar pump.\nIt must be\nkept clean of dust."
MORE = "La bomba solar se para de noche. El flotador para la bomba si el depósito está lleno."


def leaf(
    text: str, start: int = 0, path: str = "a.md", language: str = "en", **told: Any
) -> Member:
    end = start + len(text)
    chunk = Chunk(f"{path}@{start}", path, path, start, end, text, language=language, **told)
    return Member(chunk.id, text, language, (chunk.id,), (), chunk, np.zeros(2, np.float32))


def said(summary: Summary, name: str, *of: Member) -> Member:
    leaves = tuple(name for one in of for name in one.leaves)
    return Member(name, summary.text, "en", leaves, summary.quotes, None, np.zeros(2, np.float32))


def summary(*members: Member, room: int = ROOM) -> Summary:
    return ExtractiveSummarizer(room).summarize([members])[0]


def check_quotes(made: Summary, *members: Member) -> None:
    """Every quote is the leaf's own words, and nothing but marks stands between quotes."""
    chunks = {member.chunk.id: member.chunk for member in members if member.chunk}
    at = 0
    for quote in made.quotes:
        chunk = chunks[quote.leaf]
        source = chunk.text[quote.source_start - chunk.start : quote.source_end - chunk.start]
        assert made.text[quote.start : quote.end].split() == source.split()
        assert quote.path == chunk.path
        assert made.text[at : quote.start].strip(" \n…") == ""
        at = quote.end
    assert made.text[at:].strip("…") == ""
    places = [(quote.path, quote.source_start) for quote in made.quotes]
    assert places == sorted(places)


def test_sentences_are_the_leaves_own_in_document_order() -> None:
    members = (leaf(PUMP), leaf(PANEL, 200))
    made = summary(*members)
    check_quotes(made, *members)
    assert {quote.leaf for quote in made.quotes} == {"a.md@0", "a.md@200"}
    assert "kept clean of dust" in made.text  # line breaks of the source are blanks here
    assert "Agreed." not in made.text  # too little to stand alone


def test_room_is_kept_and_what_many_say_comes_first() -> None:
    made = summary(leaf(PUMP), leaf(PANEL, 200), room=60)
    assert len(made.quotes) == 1
    assert len(made.text) <= 60
    assert "pump" in made.text


def test_the_same_is_not_said_twice() -> None:
    copy = leaf(PUMP, 900, "b.md")
    made = summary(leaf(PUMP), copy)
    check_quotes(made, leaf(PUMP), copy)
    assert made.text.count("float switch") == 1


def test_a_summary_of_summaries_quotes_leaves() -> None:
    below = [leaf(PUMP), leaf(PANEL, 200), leaf(MORE, 0, "b.md", "es")]
    lower = [summary(*below[:2]), summary(*below[1:])]
    members = [said(lower[0], "one", *below[:2]), said(lower[1], "two", *below[1:])]
    made = summary(*members)
    check_quotes(made, *below)
    # The panel's sentences are in both and told once.
    assert made.text.count("kept clean of dust") == 1


def test_an_llms_words_are_summarised_without_a_source() -> None:
    member = said(Summary("One fact. Another fact of the pump."), "llm", leaf(PUMP))
    made = summary(member, leaf(PANEL, 200))
    assert {quote.leaf for quote in made.quotes} == {"a.md@200"}
    assert "Another fact of the pump." in made.text


@pytest.mark.parametrize(
    "text",
    [
        "hola",
        "x" * 5000,
        "???",
        "| part | price |\n| --- | --- |\n| pump | 3 |\n| tank | 4 |",
        "```python\ndef pump():\n    return 1\n```",
        "- one thing\n- another thing\n- a third thing that is longer",
        "水泵在夜间停止。面板必须保持清洁。" * 20,
        "a" * 399 + "👨‍👩‍👧‍👦" * 40,
        "misma frase. " * 200,
        " \n# Only a heading\n",
    ],
)
def test_any_text_has_a_summary(text: str) -> None:
    kinds = ("code",) if text.startswith("```") else ()
    member = leaf(text, 7, kinds=kinds)
    made = summary(member)
    assert made.text.strip()
    check_quotes(made, member)
    assert len(made.text) <= max(ROOM, LONGEST) + 1


def test_a_long_sentence_is_cut_at_a_word() -> None:
    made = summary(leaf("word " * 200 + "."))
    assert made.text.endswith("word…")
    assert made.quotes[0].end == len(made.text) - 1
    assert LONGEST - 6 <= made.quotes[0].end <= LONGEST


def test_lines_and_pages_come_along() -> None:
    member = leaf(PANEL, 100, lines=(4, 6), pages=(2, 2))
    made = summary(member)
    assert [quote.lines for quote in made.quotes] == [(4, 4), (5, 6)]
    assert {quote.pages for quote in made.quotes} == {(2, 2)}


def test_a_cluster_is_summarised_alike_whoever_is_beside_it() -> None:
    members = (leaf(PUMP), leaf(PANEL, 200))
    other = (leaf(MORE, 0, "b.md", "es"),)
    both = ExtractiveSummarizer().summarize([members, other, members])
    assert both[0] == both[2] == summary(*members)
    assert both[1] == summary(*other)
    assert replace(both[0], pending=True) != both[0]
