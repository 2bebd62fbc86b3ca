"""Real files, cut short, with bytes lost, changed or put in: a sound document or a reason, never a crash."""

import csv
import io
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ingest.parse.choose import parser_for
from ingest.parse.csv.parser import CsvParser
from ingest.parse.json.parser import JsonParser
from ingest.parsing import begin
from kb.errors import ParseError
from kb.settings import ParseSettings
from tests.property.test_parsers import check

SAMPLES = sorted((Path(__file__).parents[2] / "sample_corpus" / "formats" / "files").iterdir())
PLACES = st.floats(0, 1)
EDITS = st.tuples(
    st.sampled_from(["cut", "drop", "insert", "swap"]), PLACES, st.binary(min_size=1, max_size=9)
)
LEAVES = st.one_of(
    st.text(st.characters(categories=("L", "N", "P"), max_codepoint=0x2FF), min_size=1, max_size=9),
    st.integers(),
    st.booleans(),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text("abñ", min_size=1), inner, max_size=4)
    ),
    max_leaves=20,
)
CELLS = st.text(st.characters(categories=("L", "N"), max_codepoint=0x2FF), min_size=1, max_size=9)


def edited(data: bytes, edits: list[tuple[str, float, bytes]]) -> bytes:
    for kind, share, piece in edits:
        at = int(share * len(data))
        if kind == "cut":
            data = data[: max(at, 1)]
        elif kind == "drop":
            data = data[:at] + data[at + len(piece) :]
        elif kind == "insert":
            data = data[:at] + piece + data[at:]
        else:
            data = data[:at] + piece + data[at + len(piece) :]
    return data


@pytest.mark.parametrize("file", SAMPLES, ids=lambda path: path.name)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_damage_does_no_harm(file: Path, edits: list[tuple[str, float, bytes]]) -> None:
    data = edited(file.read_bytes(), edits)
    try:
        document = next(
            begin(data, parser_for(data, file.name, ParseSettings()), ParseSettings())[1]
        )
    except ParseError as error:
        assert str(error)
        return
    check(document, titled=False)


def leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in [key, *leaves(inner)] if inner]
    if isinstance(value, list):
        return [text for inner in value for text in leaves(inner)]
    return [value if isinstance(value, str) else json.dumps(value)]


@settings(deadline=None, max_examples=80)
@given(value=VALUES, indent=st.sampled_from([None, 1]))
def test_every_value_of_json_is_in_the_text(value: object, indent: int | None) -> None:
    source = json.dumps(value, ensure_ascii=False, indent=indent)
    text = JsonParser(ParseSettings()).parse(source.encode(), "a").text
    for leaf in leaves(value):
        if isinstance(value, dict | list) and leaf.strip("abñ"):
            assert unicodedata.normalize("NFC", leaf).strip() in text


@settings(deadline=None, max_examples=80)
@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=8),
    sign=st.sampled_from(";,\t|"),
)
def test_every_cell_is_in_the_text(rows: list[list[str]], sign: str) -> None:
    width = len(rows[0])
    assume(all(len(row) == width for row in rows))
    written = io.StringIO()
    csv.writer(written, delimiter=sign).writerows(rows)
    text = CsvParser(ParseSettings()).parse(written.getvalue().encode(), "a").text
    for row in rows[1:] or rows:
        for cell in row:
            assert unicodedata.normalize("NFC", cell) in text
