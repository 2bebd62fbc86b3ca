"""Cards count what is there, follow every change, and are seen by those who may read all of it."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from index.derived.joined import JoinedReader
from index.reader import GenerationReader
from kb.location import at
from kb.settings import Settings
from query.filter import Filter, rows
from tests.counted import cards_of, chunks_of, counts_of, settings_for, sync
from tests.office import sheet, xlsx
from tests.running import write

COLOR = {"name": "cats", "group_by": ["color"]}


def cat(color: str, **fields: object) -> str:
    front = "".join(f"{name}: {value}\n" for name, value in {"color": color, **fields}.items())
    return f"---\n{front}---\n\n# Un gato\n\nEste gato es de color {color} y duerme en la jaula.\n"


def docs(home: Path, files: dict[str, Any]) -> Path:
    write(home / "docs" / "gatos", files)
    return home


def test_documents_by_a_field(tmp_path: Path) -> None:
    docs(tmp_path, {f"{i}.md": cat("negro" if i < 9 else "blanco") for i in range(10)})
    write(tmp_path / "docs", {"other.txt": "This one has no colour."})
    assert counts_of(tmp_path, settings_for(COLOR)) == {"negro": 9, "blanco": 1}
    card = cards_of(tmp_path)["cats"]
    assert (card.total, card.documents, card.without) == (11, 11, 1)
    assert [group.share for group in card.groups] == [0.818182, 0.090909]  # 9 / 11, 1 / 11


def test_what_the_card_says(tmp_path: Path) -> None:
    docs(tmp_path, {f"{i}.md": cat("negro" if i < 9 else "blanco") for i in range(10)})
    sync(tmp_path, settings_for(COLOR))
    chunk = chunks_of(tmp_path)["card:cats"]
    assert chunk.text == (
        "Recuento de gatos por color (docs/gatos): 10 gatos en total. "
        "Lo más frecuente: color negro.\n"
        "color negro: 9 gatos (90 %).\n"
        "color blanco: 1 gatos (10 %)."
    )
    assert chunk.context.startswith("¿Cuántos gatos (gato) hay?")
    assert (chunk.kind, chunk.level, chunk.language) == ("card", 1, "es")
    reader = GenerationReader.open(at(tmp_path))
    assert set(chunk.leaves) <= {leaf.id for leaf in reader.chunks}
    assert len(chunk.leaves) == 10


@pytest.mark.parametrize(
    ("count", "counts"),
    [
        ({"group_by": ["sex", "color"]}, {"f black": 2, "m white": 1, "m black": 1}),
        ({"group_by": ["tags"]}, {"old": 3, "shy": 1}),
        ({"group_by": ["chipped"]}, {"true": 3, "false": 1}),
        ({"group_by": ["born:year"]}, {"2020": 4, "2021": 1}),
        ({"group_by": ["born:month"]}, {"2020-03": 2, "2020-11": 1, "2021-05": 1}),
        ({"group_by": ["year"]}, {"2022": 3, "2023": 1}),
        ({"group_by": ["month"]}, {"2022-01": 3, "2023-02": 1}),
        ({"group_by": ["type"]}, {"md": 4}),
        ({"group_by": ["folder"]}, {"docs/gatos": 4}),
        ({"group_by": ["source"]}, {"docs": 4}),
        ({"group_by": ["owner.name"]}, {"Ana": 1}),
        ({"group_by": ["color"], "where": ['sex = "f"']}, {"black": 2}),
        ({"group_by": ["color"], "where": ["weight > 4", 'tags contains "old"']}, {"black": 1}),
        ({"group_by": ["color"], "where": ["`born:year` = 2021"]}, {"black": 1}),
        ({"extract": r"cage (?P<cage>\d+)"}, {"7": 3, "8": 1}),
        ({"extract": r"cage (?P<cage>\d+)", "of": "matches"}, {"7": 4, "8": 1}),
        (
            {"extract": r"cage (?P<cage>\d+)", "group_by": ["sex", "cage"], "of": "matches"},
            {"f 7": 2, "m 7": 2, "m 8": 1},
        ),
    ],
)
def test_fields(tmp_path: Path, count: dict[str, Any], counts: dict[str, int]) -> None:
    front = (
        "color: black\nsex: f\ntags: [old]\nchipped: true\nborn: 2020-03-01\ndate: 2022-01-05\nweight: 3",
        "color: Black\nsex: f\ntags: old, shy\nchipped: true\nborn: 2020\ndate: 2022-01-09\nweight: 5",
        "color: white\nsex: m\nchipped: true\nborn: 2020-11-02\ndate: 2022-01-31\nowner: {name: Ana}",
        "color: black\nsex: m\ntags: [OLD]\nchipped: false\nborn: [2021-05-05, 2020-03-09]\ndate: 2023-02",
    )
    cages = ("cage 7", "cage 7", "cage 7 and then cage 7", "cage 8")
    files = {
        f"{i}.md": f"---\n{text}\n---\nThe cat sleeps in {cages[i]}, and eats well.\n"
        for i, text in enumerate(front)
    }
    docs(tmp_path, files)
    folded = {values.lower(): count for values, count in counts.items()}
    assert counts_of(tmp_path, settings_for({"name": "c", **count})) == folded


def test_a_value_is_spelled_as_most_write_it(tmp_path: Path) -> None:
    docs(tmp_path, {f"{i}.md": cat(color) for i, color in enumerate(("Negro", "negro", "negro"))})
    sync(tmp_path, settings_for(COLOR))
    (group,) = cards_of(tmp_path)["cats"].groups
    assert (group.values, group.count) == (("negro",), 3)


RECORDS: dict[str, str | bytes] = {
    "cats.csv": "name;color;weight\nTom;black;4,5\nKit;white;3,5\nSam;black;5\nJo;;1\n",
    "cats.json": '[{"title": "Tom", "color": "black"}, {"title": "Kit", "color": "white"}]',
    "cats.jsonl": '{"color": "black", "n": 1}\n{"color": "grey", "n": 2}\n{"color": "black", "n": 3}\n',
    "cats.md": "# Cats\n\n| name | color |\n| --- | --- |\n| Tom | black |\n| Kit | white |\n",
    "cats.xlsx": xlsx({"Cats": sheet([["name", "color"], ["Tom", "black"], ["Kit", "black"]])}),
}


@pytest.mark.parametrize(
    ("file", "counts", "without"),
    [
        ("cats.csv", {"black": 2, "white": 1}, 1),
        ("cats.json", {"black": 1, "white": 1}, 0),
        ("cats.jsonl", {"black": 2, "grey": 1}, 0),
        ("cats.md", {"black": 1, "white": 1}, 0),
        ("cats.xlsx", {"black": 2}, 0),
    ],
)
def test_records(tmp_path: Path, file: str, counts: dict[str, int], without: int) -> None:
    docs(tmp_path, {file: RECORDS[file], "note.txt": "A cat is not a record."})
    assert counts_of(tmp_path, settings_for({**COLOR, "of": "records"})) == counts
    card = cards_of(tmp_path)["cats"]
    assert card.without == without
    assert card.documents == 1


def test_records_stand_on_the_passages_that_hold_them(tmp_path: Path) -> None:
    lines = "".join(
        f"cat number {i} of the house;{'black' if i % 3 else 'white'}\n" for i in range(60)
    )
    docs(tmp_path, {"cats.csv": f"name;color\n{lines}"})
    settings = settings_for({**COLOR, "of": "records"}, size=64)
    assert counts_of(tmp_path, settings) == {"black": 40, "white": 20}
    reader = GenerationReader.open(at(tmp_path))
    assert len(reader) > 5
    assert set(chunks_of(tmp_path)["card:cats"].leaves) == {leaf.id for leaf in reader.chunks}


def test_numbers_of_records(tmp_path: Path) -> None:
    docs(tmp_path, {"cats.csv": RECORDS["cats.csv"]})
    sync(tmp_path, settings_for({**COLOR, "of": "records", "value": "weight"}))
    black, white = cards_of(tmp_path)["cats"].groups
    assert black.numbers is not None
    assert white.numbers is not None
    assert (black.numbers.sum, black.numbers.mean) == (9.5, 4.75)  # 4,5 and 5
    assert (white.numbers.min, white.numbers.median) == (3.5, 3.5)


def test_only_what_holds_without_an_end_is_counted(tmp_path: Path) -> None:
    docs(
        tmp_path,
        {
            "a.md": cat("negro"),
            "b.md": cat("negro", valid_from="2020-01-01"),
            "c.md": cat("negro", valid_until="2021-12-31"),
            "old.md": cat("blanco"),
            "new.md": cat("gris", supersedes="old.md"),
        },
    )
    assert counts_of(tmp_path, settings_for(COLOR)) == {"negro": 2, "gris": 1}
    dated = settings_for({**COLOR, "as_of": "2021-06-01"})
    assert counts_of(tmp_path, dated) == {"negro": 3, "gris": 1}
    assert "a 2021-06-01" in chunks_of(tmp_path)["card:cats"].text
    assert counts_of(tmp_path, settings_for({**COLOR, "as_of": "2019-06-01"}))["negro"] == 2


def test_a_card_of_today_is_made_again_the_day_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datetime import date

    class Clock(date):
        now = date(2025, 3, 1)

        @classmethod
        def today(cls) -> "Any":
            return cls.now

    monkeypatch.setattr("index.cards.definition.date", Clock)
    docs(tmp_path, {"a.md": cat("negro"), "b.md": cat("blanco", valid_until="2025-03-01")})
    settings = settings_for({**COLOR, "as_of": "today"})
    assert counts_of(tmp_path, settings) == {"blanco": 1, "negro": 1}
    assert not sync(tmp_path, settings).build.published
    Clock.now = date(2025, 3, 2)
    assert counts_of(tmp_path, settings) == {"negro": 1}


def test_who_may_not_read_a_member_does_not_see_the_card(tmp_path: Path) -> None:
    docs(tmp_path, {"a.md": cat("negro"), "b.md": cat("blanco", acl="[staff]")})
    docs_only = {"name": "open", "group_by": ["color"], "where": ['color = "negro"']}
    sync(tmp_path, settings_for(COLOR, docs_only))
    reader = GenerationReader.open(at(tmp_path))

    def seen(*labels: str) -> set[str]:
        both = JoinedReader(reader)
        mask = both.mask(rows(reader, Filter(principal=labels)), ("card",))
        return {both.chunks[int(row)].path for row in np.flatnonzero(mask)}

    assert seen() == {"card:open"}
    assert seen("staff") == {"card:open", "card:cats"}


def test_many_groups_make_a_chain_and_a_rest(tmp_path: Path) -> None:
    docs(tmp_path, {f"{i:03}.md": cat(f"tono{i:03}") for i in range(60)})
    docs(tmp_path, {f"x{i}.md": cat("negro") for i in range(5)})
    sync(tmp_path, settings_for({**COLOR, "top": 40}, size=128))
    chunks = chunks_of(tmp_path)
    assert list(chunks) == ["card:cats", *(f"card:cats/{n}" for n in range(2, len(chunks) + 1))]
    assert len(chunks) > 3
    assert all(chunk.tokens <= 128 for chunk in chunks.values())
    heads = {chunk.text.splitlines()[0] for chunk in chunks.values()}
    assert heads == {
        "Recuento de gatos por color (docs/gatos): 65 gatos en total. Lo más frecuente: color negro."
    }
    said = "\n".join(chunk.text for chunk in chunks.values())
    assert said.count("tono") == 39  # with negro the 40 that are named
    assert "Y 21 más: 21." in said
    card = cards_of(tmp_path)["cats"]
    assert (card.other_groups, card.other_units) == (21, 21)
    assert card.groups[0].values == ("negro",)


def test_nothing_to_count_is_told_and_makes_no_card(tmp_path: Path) -> None:
    docs(tmp_path, {"a.md": cat("negro")})
    report = sync(tmp_path, settings_for({"name": "x", "group_by": ["colour"]}))
    assert any("none of 1 documents has colour" in note for note in report.build.notes)
    assert chunks_of(tmp_path) == {}


def test_nothing_changed_costs_nothing(tmp_path: Path) -> None:
    docs(tmp_path, {f"{i}.md": cat("negro") for i in range(4)})
    settings = settings_for(COLOR)
    first = sync(tmp_path, settings).build
    assert not sync(tmp_path, settings).build.published
    docs(tmp_path, {"0.md": cat("negro") + "Y come bien.\n"})
    again = sync(tmp_path, settings).build
    assert again.published
    assert again.embedded == 1  # the leaf; the card says what it said
    assert first.embedded >= 2
    docs(tmp_path, {"0.md": cat("gris") + "Y come bien.\n"})
    assert sync(tmp_path, settings).build.embedded == 2  # the leaf and the card


def tree(home: Path) -> dict[str, bytes]:
    folder = GenerationReader.open(at(home)).folder / "cards"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_after_random_edits_cards_are_those_of_a_fresh_build(tmp_path: Path) -> None:
    settings = settings_for(
        COLOR,
        {"name": "cages", "extract": r"jaula (?P<cage>\d)", "of": "matches"},
        {"name": "rows", "group_by": ["color"], "of": "records", "value": "weight"},
    )
    dice = random.Random(7)
    home = tmp_path / "kept"
    files: dict[str, str] = {"all.csv": "color,weight\nnegro,3\n", "first.md": cat("negro")}
    for _round in range(12):
        name = f"{dice.randrange(8)}.md"
        if name in files and dice.random() < 0.4:
            del files[name]
        else:
            cage = f"Duerme en la jaula {dice.randrange(4)}.\n"
            files[name] = cat(dice.choice(("negro", "blanco", "gris"))) + cage
        files["all.csv"] += f"{dice.choice(('negro', 'gris'))},{dice.randrange(9)}\n"
        for path in (home / "docs" / "gatos").glob("*"):
            path.unlink()
        docs(home, files)
        sync(home, settings)
        wanted = sum("color: negro" in text for text in files.values())
        found = {g.values[0]: g.count for g in cards_of(home)["cats"].groups}
        assert found.get("negro", 0) == wanted
    fresh = docs(tmp_path / "fresh", files)
    sync(fresh, settings)
    assert tree(fresh) == tree(home)


def test_a_card_that_is_taken_out_leaves_nothing(tmp_path: Path) -> None:
    docs(tmp_path, {"a.md": cat("negro")})
    sync(tmp_path, settings_for(COLOR))
    none: Settings = settings_for()
    sync(tmp_path, none)
    manifest = GenerationReader.open(at(tmp_path)).manifest
    assert not {"cards", "derived"} & set(manifest.components)
