"""An LLM's words are checked: citations, quotations, numbers, links; and what is shown word for word."""

import pytest

from ingest.chunk.units import units
from kb.records import Chunk
from query.answer.answer import cited
from query.answer.cited import Sentence, check, split
from query.answer.numerals import known, written

PASSAGES = [
    "Wait eight minutes: the capacitors hold 1,200 V. See https://noria.example/vega.",
    "La dieta es de 46 € por día.",
]


def one(text: str, question: str = "How long?") -> Sentence:
    (found,) = check(text, PASSAGES, question).sentences
    return found


def test_a_sentence_that_stands_on_its_source_has_no_doubts() -> None:
    got = one("You must “wait eight minutes”, for they hold 1200 V [1].")
    assert (got.text, got.sources, got.doubts) == (
        "You must “wait eight minutes”, for they hold 1200 V.",
        (1,),
        (),
    )
    assert cited(got) == "You must “wait eight minutes”, for they hold 1200 V. [1]"
    assert one("Wait 8 minutes [1]").doubts == ()  # the passage spells it out
    assert one("See https://noria.example/vega [1].").doubts == ()
    assert one("46 € [1, 2].").sources == (1, 2)


@pytest.mark.parametrize(
    ("text", "sources", "doubt"),
    [
        ("It takes eight minutes.", (), "no source"),
        ("It takes eight minutes [7].", (), "there is no passage [7]"),
        ("It takes eight minutes [1][0].", (1,), "there is no passage [0]"),
        ("It takes 9 minutes [1].", (1,), "not in its source as a number: 9"),
        ("It takes 46 minutes [1].", (1,), "not in its source as a number: 46"),
        ('It says "wait nine minutes" [1].', (1,), "not word for word in its source"),
        ("See http://evil.example/?q=all [1].", (1,), "a link that no source holds was removed"),
    ],
)
def test_what_is_invented_is_marked(text: str, sources: tuple[int, ...], doubt: str) -> None:
    got = one(text)
    assert got.sources == sources
    assert any(found.startswith(doubt) for found in got.doubts), got.doubts
    assert cited(got).endswith("[?]")
    assert "evil" not in got.text
    assert "[7]" not in cited(got)
    assert "[0]" not in cited(got)


def test_pictures_and_hidden_signs_do_not_come_through() -> None:
    got = one("Done ![x](http://evil.example/a.png) \u202eok\U000e0041 [1].")
    assert "![" not in got.text
    assert "evil" not in got.text
    assert "\u202e" not in got.text
    assert "\U000e0041" not in got.text


def test_citations_after_the_stop_belong_to_the_sentence_before() -> None:
    text = "Wait eight minutes. [1] La dieta es de 46 € por día.[2]\n\n- Nothing else [1]."
    assert [s.sources for s in check(text, PASSAGES, "").sentences] == [(1,), (2,), (1,)]
    assert "".join(split(text)) == text


@pytest.mark.parametrize(
    "mark", ["NOT IN THE SOURCES\n", "**Not in the sources.** ", "not in the sources: "]
)
def test_a_model_that_does_not_know_says_so(mark: str) -> None:
    got = check(f"{mark}The colour is not told.", PASSAGES, "")
    assert not got.enough
    assert [s.text for s in got.sentences] == ["The colour is not told."]
    assert check("Eight minutes [1].", PASSAGES, "").enough


def test_numbers_compare_whatever_their_separators() -> None:
    assert written("1,200 1.200 1\u00a0200 1\u2019200 1200") == {"1200"}
    assert written("3.50 3,5") == {"3.5"}
    assert written("E-217 24-0816") == {"217", "24", "816"}
    assert known("ocho or eight, sixty") == {"8", "60"}


def shown(
    text: str, kinds: tuple[str, ...] = ("paragraph",), **more: object
) -> list[tuple[str, str]]:
    chunk = Chunk("i", "d", "a.md", 0, len(text), text, kinds=kinds, **more)  # type: ignore[arg-type]
    return [(unit.kind, text[unit.start : unit.end]) for unit in units(chunk)]


def test_sentences_without_headings_and_list_marks() -> None:
    text = "# Capacitors\n\nThey discharge. Wait!\n\n- First wait.\n2. Then open."
    assert [found for _, found in shown(text)] == [
        "They discharge.",
        "Wait!",
        "First wait.",
        "Then open.",
    ]
    assert shown("Title\n\nText.", title="Title") == [("sentence", "Text.")]


def test_a_fenced_block_is_one_unit_and_a_table_is_its_rows() -> None:
    code = "```sh\nnoria start\n\nnoria stop\n```"
    assert shown(f"Do this:\n\n{code}\n\nDone.")[1] == ("block", code)
    text = "| part | price |\n| --- | --- |\n| seal | 146 € |\n| ring | 2 € |"
    chunk = Chunk("i", "d", "a.md", 0, len(text), text, kinds=("table",))
    assert [(unit.kind, unit.header) for unit in units(chunk)] == [("row", "| part | price |")] * 2
