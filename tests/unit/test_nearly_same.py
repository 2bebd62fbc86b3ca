"""What says the same and what only looks so."""

import pytest

from query.select.wording import Wording, nearly_same

# 30 words, so that three more are a tenth of 33.
LONG = (
    "Nobody opens the casing of the pump while the machine can start by itself and the key stays "
    "in the pocket of the person who does the work that day"
)
assert len(LONG.split()) == 30


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("La bomba gira", "la BOMBA  gira."),
        ("Camión núñez", "camio\u0301n nu\u0301n\u0303ez"),
        ("# Title\n\n* a **bold** word", "Title\n- a bold word"),
        ("> quoted\n> twice", "quoted twice"),
        ("| port | 8080 |\n|---|---|\n| host | a |", "port 8080\nhost a"),
        ("¿Qué tal? «Muy» bien", "que tal? “muy” bien"),
        ("don\u2019t stop", "don't stop"),
        (LONG, f"Copied from elsewhere: {LONG}"),  # 3 of 33 words are added
        (LONG, LONG.replace(" the work", " all the daily work")),
        ("---", "---"),
        ("", " \n"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert nearly_same(Wording(one), Wording(other))
    assert nearly_same(Wording(other), Wording(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port 8080", "port 8081"),
        ("v1.2 is out", "v1.3 is out"),
        ("v1.2", "v1,2"),
        ("1.2 m", "1 2 m"),
        ("10² m", "102 m"),
        ("½ cup", "1 2 cup"),
        ("3-5 bar", "3 5 bar"),
        ("-5 °C", "5 °C"),
        ("5 %", "5"),
        ("5 €", "5 $"),
        ("a < b", "a > b"),
        ("x - y", "x + y"),
        ("x - y", "x y"),
        ("!enabled", "enabled"),
        ("C++ code", "C code"),
        ("C# code", "C code"),
        (".NET core", "NET core"),
        ("run --flag", "run flag"),
        ("it is safe?", "it is safe"),
        ("ok ✅", "ok ❌"),
        ("el año", "el ano"),
        ("कि", "की"),
        ("安全", "不安全"),
        ("---", "***"),
        ("option A", "option B"),
        ("The pump turns.", "La bomba gira."),
        ("pump", "pump room"),  # one of two words is half
        (LONG, LONG.replace("can start", "can not start")),
        (LONG, LONG.replace("Nobody opens", "Opens")),
        (LONG, f"{LONG}, except Fridays"),
        (LONG, f"{LONG} of 2024"),
        (LONG, LONG.replace("pump", "turbine")),
        (LONG, LONG.replace("pump", "machine").replace("the machine can", "the pump can")),
        (LONG, f"And now for something different: {LONG}"),  # 5 of 35 words are more than a tenth
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert not nearly_same(Wording(one), Wording(other))
    assert not nearly_same(Wording(other), Wording(one))


@pytest.mark.parametrize("place", range(31))
@pytest.mark.parametrize("added", ["not", "8080", "sin", "C", "x2", "n't"])
def test_nothing_that_tells_may_be_added_anywhere(place: int, added: str) -> None:
    words = LONG.split()
    other = " ".join([*words[:place], added, *words[place:]])
    assert not nearly_same(Wording(LONG), Wording(other))


def test_code_is_compared_line_by_line() -> None:
    code = "if ready:\n    go()\nstop()"
    assert nearly_same(Wording(code, ["code"]), Wording(code + "  \n", ["code"]))
    moved = "if ready:\n    go()\n    stop()"
    assert not nearly_same(Wording(code, ["code"]), Wording(moved, ["code"]))
    assert not nearly_same(Wording("GO()", ["code"]), Wording("go()", ["code"]))
