import pytest

from ingest.parse.wordlike import Wording, wording

SOUND = [
    "El caudal de la acequia mayor, ¿quién lo paga?",
    "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "The T40's guide-vane (see p. 3) costs 1,450 EUR; E-217 means dry-running.",
    "HTTP APIs and camelCase, McDonald, C++",
    "eﬃcient ﬂow",
    "人工智能 こんにちは Привет мир",
]
BROKEN = [
    "3s«»teership Aaalggfitted fc-ugsx eZecutEd",
    "Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj",
    "§¶ £¢¥ ¤¤¤ ±±±",
]


@pytest.mark.parametrize("text", SOUND)
def test_words_of_any_language_are_good(text: str) -> None:
    assert wording(text).share > 0.9


@pytest.mark.parametrize("text", BROKEN)
def test_what_fonts_and_bad_ocr_leave_is_not(text: str) -> None:
    assert wording(text).share < 0.6


def test_characters_in_words_are_counted() -> None:
    assert wording("agua, xqzt 1200") == Wording(good=4, bad=4, glyphs=0.0)
    assert wording("agua, xqzt 1200").worth == 0
    assert wording("agua, xqzt 1200").share == 0.5


def test_nothing_to_judge_is_no_fault() -> None:
    assert wording("1000.01 23,5 %\n- 7").share == 1.0
    assert wording("").worth == 0


def test_glyphs_without_meaning() -> None:
    assert wording("ab\ufffd\ue001").glyphs == 0.5
    assert wording("ab (cid:12)").glyphs == pytest.approx(8 / 10)
    assert wording("a\tb\nc").glyphs == 0.0
