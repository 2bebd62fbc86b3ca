"""``tesela summarize``: a question that needs every document is met by one hit."""

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.cards import default_name
from kb.settings import CountSettings
from tests.llm_server import openai, says, serving
from tests.running import hits, make_kb, run, snapshot

NAMES = ("Misha", "Luna", "Simba", "Nala", "Coco")
COUNTING = (
    "¿Cuántos gatos negros hay?",
    "¿Cuántos gatos blancos hay en el refugio?",
    "How many black cats are there?",
    "What share of the cats is white?",
    "¿Qué porcentaje de los gatos son negros?",
    "Which colour is most common?",
    "¿Cuál es el color más frecuente?",
)
NARROW = (
    "¿En qué jaula duerme Luna 041?",
    "Which cage is Coco 004 in?",
    "¿Cuántas pelotas tiene Simba 022?",
)


def cat(i: int, color: str, **fields: object) -> str:
    name = f"{NAMES[i % 5]} {i:03}"
    more = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return (
        f"---\ntitle: Ficha de {name}\ncolor: {color}\npeso: {2 + i % 4},5\n{more}---\n\n# {name}\n\n"
        f"{name} es un gato de color {color}. Llegó al refugio en mayo y duerme en la jaula {i}. Juega "
        "con dos pelotas.\n"
    )


def colors() -> dict[str, str]:
    return {f"{i:03}.md": cat(i, "negro" if i < 90 else "blanco") for i in range(100)}


@pytest.fixture(scope="module")
def shelter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100 cats, and their card."""
    home = make_kb(
        tmp_path_factory.mktemp("shelter"), {f"gatos/{n}": t for n, t in colors().items()}
    )
    done = run("summarize", "--group-by", "color", "--kb", home, "--format", "json")
    assert done.code == 0, done.err
    (card,) = done.json["cards"]
    assert [(g["values"], g["count"], g["share"]) for g in card["groups"]] == [
        (["negro"], 90, 0.9),
        (["blanco"], 10, 0.1),
    ]
    assert card["kind"] == "card"
    assert card["chunks"][0]["path"] == "card:color"
    return home


@pytest.fixture
def few(tmp_path: Path) -> Callable[..., Path]:
    """Makes a small KB."""

    def make(files: dict[str, str] | None = None) -> Path:
        cats = {f"gatos/{i}.md": cat(i, "negro" if i < 3 else "blanco") for i in range(4)}
        return make_kb(tmp_path, cats if files is None else files)

    return make


def first(home: Path, question: str, *args: object) -> dict[str, Any]:
    found: dict[str, Any] = hits(home, question, "--mode", "auto", "-k", "1", *args)[0]
    return found


@pytest.mark.parametrize("question", COUNTING)
def test_the_counting_question_meets_the_card_first(shelter: Path, question: str) -> None:
    hit = first(shelter, question)
    assert hit["path"] == "card:color"
    assert hit["kind"] == "card"
    assert "color negro: 90 gatos (90 %)." in hit["text"]


@pytest.mark.parametrize("question", NARROW)
def test_a_narrow_question_is_answered_as_without_cards(shelter: Path, question: str) -> None:
    found = hits(shelter, question, "--mode", "auto")
    assert re.search(r"/(041|004|022)\.md", found[0]["path"])
    assert found == hits(shelter, question, "--mode", "hybrid")


def test_the_other_modes_do_not_see_it(shelter: Path) -> None:
    for mode in ("hybrid", "dense", "sparse"):
        found = hits(shelter, COUNTING[0], "--mode", mode)
        assert not any(hit["path"].startswith("card:") for hit in found)


def test_numbers_follow_edits_and_deletions(shelter: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(shelter, tmp_path / "copy"))
    cats = home / "docs" / "gatos"
    for i in range(5):
        (cats / f"{i:03}.md").unlink()
    for i in range(5, 12):
        (cats / f"{i:03}.md").write_text(cat(i, "gris"))
    (cats / "100.md").write_text(cat(100, "blanco"))
    done = run("sync", "--kb", home)
    assert done.code == 0, done.err
    text = first(home, COUNTING[0])["text"]
    # 100 - 5 + 1 = 96 cats; 90 - 5 - 7 = 78 black, 10 + 1 = 11 white, 7 grey
    assert "96 gatos en total" in text
    for said in ("color negro: 78 gatos", "color blanco: 11 gatos", "color gris: 7 gatos"):
        assert said in text


def test_an_answer_is_the_cards_own_words(shelter: Path) -> None:
    done = run("ask", COUNTING[0], "--mode", "auto", "--kb", shelter, "--format", "json")
    assert done.code == 0, done.err
    assert "color negro: 90 gatos (90 %)." in done.json["answer"]
    assert done.json["sources"][0]["path"] == "card:color"


def test_show_names_the_members(shelter: Path) -> None:
    shown = run("show", "card:color", "--kb", shelter)
    assert "# stands on 100 passages of 100 documents" in shown.out
    assert "gatos/000.md" in shown.out
    (as_json,) = run("show", "card:color", "--format", "json", "--kb", shelter).json
    assert len(as_json["leaves"]) == 100


def test_a_card_in_every_format(few: Callable[..., Path]) -> None:
    home = few()
    asked = ("summarize", "--group-by", "color", "--value", "peso", "--kb", home, "--format")
    table = run(*asked, "table").out
    assert table.splitlines()[:3] == [
        "card:color: 4 gatos by color",
        "color   count  share   sum  mean  median  min  max",
        "negro       3    75%  10.5   3.5     3.5  2.5  4.5",  # 2.5 + 3.5 + 4.5
    ]
    assert "| negro | 3 | 75% | 10.5 | 3.5 | 3.5 | 2.5 | 4.5 |" in run(*asked, "md").out
    rows = list(csv.DictReader(io.StringIO(run(*asked, "csv").out)))
    assert rows[1] == {
        "card": "color", "fields": "color", "values": "blanco", "count": "1", "share": "0.25",
        "sum": "5.5", "mean": "5.5", "median": "5.5", "min": "5.5", "max": "5.5",
    }  # fmt: skip
    assert run("summarize", "--list", "--kb", home, "--format", "table").out == table


def test_definitions_are_kept_and_taken_out(few: Callable[..., Path]) -> None:
    home = few()
    settings = home / ".tesela" / "tesela.toml"
    assert run("summarize", "--group-by", "color", "--name", "c", "--kb", home).code == 0
    assert run("summarize", "--group-by", "peso", "--kb", home).code == 0
    assert '[[cards.counts]]\nname = "c"\ngroup_by = ["color"]\n' in settings.read_text()
    assert run("summarize", "--group-by", "peso", "--name", "c", "--kb", home).code == 0
    listed = run("summarize", "--list", "--kb", home, "--format", "json").json["cards"]
    assert {card["name"]: card["fields"] for card in listed} == {"c": ["peso"], "peso": ["peso"]}
    assert run("summarize", "--remove", "card:c", "--kb", home).code == 0
    listed = run("summarize", "--list", "--kb", home, "--format", "json").json["cards"]
    assert [card["name"] for card in listed] == ["peso"]
    assert run("summarize", "--remove", "peso", "--kb", home).code == 0
    assert "there are no cards" in run("summarize", "--list", "--kb", home).err


def test_a_dry_run_writes_nothing(few: Callable[..., Path]) -> None:
    home = few()
    before = snapshot(home)
    done = run("summarize", "--group-by", "color", "--dry-run", "--kb", home, "--format", "json")
    assert [group["count"] for group in done.json["cards"][0]["groups"]] == [3, 1]
    assert snapshot(home) == before


def test_text_gives_fields(few: Callable[..., Path]) -> None:
    home = few()
    pattern = r"color (?P<tono>\w+)\."
    done = run("summarize", "--extract", pattern, "--kb", home, "--format", "json")
    (card,) = done.json["cards"]
    assert card["name"] == "tono"
    assert {group["said"]: group["count"] for group in card["groups"]} == {
        "tono negro": 3,
        "tono blanco": 1,
    }


def test_who_may_not_read_all_is_told_and_shown_nothing(few: Callable[..., Path]) -> None:
    home = few({"gatos/a.md": cat(1, "negro"), "gatos/b.md": cat(2, "blanco", acl="[staff]")})
    done = run("summarize", "--group-by", "color", "--kb", home)
    assert done.code == 0
    assert done.out.strip() == ""
    assert "card:color counts documents that whoever asks may not read" in done.err
    shown = run("summarize", "--list", "--kb", home, "--principal", "staff")
    assert "| negro | 1 | 50% |" in shown.out
    assert hits(home, COUNTING[0], "--mode", "auto")[0]["path"] != "card:color"
    assert first(home, COUNTING[0], "--principal", "staff")["path"] == "card:color"


def test_what_does_not_hold_today_is_told(few: Callable[..., Path]) -> None:
    home = few(
        {"gatos/a.md": cat(1, "negro"), "gatos/b.md": cat(2, "gris", valid_from="2999-01-01")}
    )
    done = run("summarize", "--group-by", "color", "--kb", home)
    assert "do not hold today" in done.err
    done = run(
        "summarize", "--group-by", "color", "--as-of", "today", "--name", "color", "--kb", home
    )
    assert (done.code, "do not hold" in done.err) == (0, False)
    assert "| negro | 1 | 100% |" in done.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "nothing to count by"),
        (
            ("--group-by", "colr"),
            "none of 4 documents has colr, so there is no card; fields there are: ",
        ),
        (("--group-by", "color", "--list"), "one thing at a time"),
        (("--group-by", "color", "--where", "color ="), "card 'color': --where: column"),
        (("--extract", "("), "is no regular expression"),
        (("--extract", "a(b)"), "names nothing that it takes"),
        (("--group-by", "color", "--top", "0"), "0 is not in the range 1<=x<=1000"),
        (("--group-by", "color", "--name", "a b"), "--name 'a b': a card's name is of letters"),
        (("--group-by", "color,Color"), "'Color' is named twice"),
        (("--group-by", "color", "--value", "weigth"), "has a number in 'weigth'"),
        (("--group-by", "color", "--as-of", "soon"), "write a day"),
        (("--group-by", "color", "--where", 'color = "pink"'), "there is nothing to count"),
        (("--remove", "cats"), "no card 'cats'; there is none"),
        (("--group-by", "color", "--rules"), "llm.url is not set: --llm URL"),
        (("--group-by", "color", "--max-calls", "2"), "add --rules"),
    ],
)
def test_mistakes(few: Callable[..., Path], args: tuple[str, ...], message: str) -> None:
    home = few()
    before = snapshot(home)
    done = run("summarize", *args, "--kb", home)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
    assert snapshot(home) == before


def test_a_card_that_nobody_named_does_not_replace_another(few: Callable[..., Path]) -> None:
    home = few()
    asked = ("summarize", "--group-by", "color", "--kb", home)
    assert run(*asked).code == 0
    assert run(*asked).code == 0  # the same again
    done = run(*asked, "--where", 'color = "negro"')
    assert done.code == 2
    assert "give this one a name (--name)" in done.err


def test_names_made_of_fields() -> None:
    assert default_name(["born:year", "owner.name"]) == "born-year-owner.name"
    assert CountSettings(name=default_name(["año de alta"])).name == "año-de-alta"


@pytest.fixture
def llm() -> Iterator[str]:
    said = {"when": "hay pelotas", "then": "juega", "cases": [1, 2, 3], "exceptions": []}
    with serving(says(200, openai(json.dumps({"rules": [said]})))) as server:
        yield server.url


def test_rules_are_planned_made_and_shown(few: Callable[..., Path], llm: str) -> None:
    home = few()
    asked = ("summarize", "--group-by", "color", "--rules", "--llm", llm, "--llm-model", "m")
    planned = run(*asked, "--kb", home, "--dry-run")
    assert planned.code == 0
    assert "1 call to an LLM" in planned.err  # a group of one shows no rule
    done = run(*asked, "--kb", home, "--format", "table")
    assert done.code == 0, done.err
    assert "Si hay pelotas, juega: 3 de 3 casos." in done.out
    kept = (home / ".tesela" / "tesela.toml").read_text()
    assert "rules = true" in kept
    assert f'url = "{llm}"' in kept
    shown = run("show", "card:color/rules-negro", "--kb", home)
    assert "# stands on 3 passages of 3 documents" in shown.out
    capped = run(*asked, "--name", "more", "--max-calls", "0", "--kb", home)
    assert capped.code == 0  # the same cases are in the cache


def test_a_cap_is_exit_4_and_the_counts_are_there(few: Callable[..., Path], llm: str) -> None:
    home = few()
    asked = ("summarize", "--group-by", "color", "--rules", "--llm", llm, "--llm-model", "m")
    done = run(*asked, "--max-calls", "0", "--kb", home)
    assert done.code == 4
    assert "| negro | 3 | 75% |" in done.out
    assert run("sync", "--kb", home).code == 0
    assert "juega: 3 de 3 casos" in run("summarize", "--list", "--kb", home).out
