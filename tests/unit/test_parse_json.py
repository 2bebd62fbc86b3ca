import json

import pytest

from ingest.parse.json.leaves import BadJson, leaves
from ingest.parse.json.parser import JsonParser
from kb.records import Document
from kb.settings import ParseSettings


def parse(text: str, **settings: str) -> Document:
    return JsonParser(ParseSettings(**settings)).parse(text.encode(), "datos.json")


def records(document: Document) -> list[str]:
    return [document.text[e.start : e.end] for e in document.elements]


def test_an_item_of_the_outer_list_is_a_record() -> None:
    found = parse('[{"a": 1, "b": {"c": "x", "d": [1, 2]}},\n {"a": null, "e": "y"}]')
    assert records(found) == ["a: 1\nb.c: x\nb.d: 1, 2", "e: y"]
    assert [e.lines for e in found.elements] == [(1, 1), (2, 2)]


def test_records_may_lie_inside_an_object() -> None:
    found = parse('{"title": "Lista", "red": {"sur": [{"n": 1}, {"n": 2}]}, "total": 2}')
    assert records(found) == ["Lista", "n: 1", "n: 2", "total: 2"]
    assert [e.heading for e in found.elements][1] == ("red", "sur")
    assert found.title == "Lista"


def test_text_and_title_fields_come_first_and_can_be_set() -> None:
    line = {"id": 7, "text": "Hola\nmundo", "title": "Saludo"}
    found = parse(json.dumps(line) + "\n" + json.dumps({"id": 8}) + "\n")
    assert records(found) == ["Saludo", "Hola\nmundo\nid: 7", "id: 8"]
    assert [(e.kind, e.heading) for e in found.elements] == [
        ("heading", ("Saludo",)),
        ("paragraph", ("Saludo",)),
        ("paragraph", ()),
    ]
    other = parse('[{"cuerpo": {"es": "Buenos días"}, "n": 1}]', json_text="cuerpo.es")
    assert records(other) == ["Buenos días\nn: 1"]


def test_a_line_of_json_lines_is_one_record_whatever_it_holds() -> None:
    found = parse('{"a": {"b": [{"c": 1}, {"c": 2}]}}\n{"a": 2}\n')
    assert records(found) == ["a.b.1.c: 1\na.b.2.c: 2", "a: 2"]
    assert [e.lines for e in found.elements] == [(1, 1), (2, 2)]


def test_a_broken_line_costs_that_line_only() -> None:
    found = parse('{"a": 1}\n{"a": 2, "b\n{"a": 3}\n')
    assert records(found) == ["a: 1", "a: 2", '"b', "a: 3"]
    assert "line 2" in found.warnings[0]


def test_a_file_that_breaks_off_keeps_what_was_there() -> None:
    found = parse('{"name": "Ana", "hobbies": ["leer", "corr')
    assert records(found) == ["name: Ana", "hobbies: leer", '"corr'] or "leer" in found.text
    assert '"corr' in found.text
    assert found.warnings[0].startswith("not valid JSON")
    assert parse('{"a": "x"').warnings == ("not valid JSON: it breaks off on line 1",)


def test_what_is_no_json_stays_as_text() -> None:
    found = parse("hola que tal\n\notra línea")
    assert records(found) == ["hola que tal", "otra línea"]
    assert found.warnings


def test_numbers_stay_as_written_and_keys_may_repeat() -> None:
    found = parse('{"a": 12345678901234567890123, "a": 1e400, "b": NaN, "c": -0.10}')
    assert records(found) == ["a: 12345678901234567890123, 1e400\nb: NaN\nc: -0.10"]


def test_comments_and_trailing_commas_are_tolerated() -> None:
    assert records(parse('{"a": 1, // one\n /* two */ "b": [2,],}')) == ["a: 1\nb: 2"]


def test_depth_is_no_matter() -> None:
    deep = "[" * 100_000 + '"agua"' + "]" * 100_000
    assert parse(deep).text == "agua"
    assert parse('{"a":' * 50_000 + '"agua"').text.endswith("agua")


def test_lone_surrogates_are_replaced() -> None:
    assert records(parse(r'{"a": "x\ud800y"}')) == ["a: x\ufffdy"]


def test_leaves_tell_where_the_text_stops_being_json() -> None:
    with pytest.raises(BadJson) as caught:
        list(leaves('{"a": oops}'))
    assert caught.value.at == 6
