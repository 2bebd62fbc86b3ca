from ingest.parse.front_matter import split


def test_values_keep_the_meaning_they_have_on_the_page() -> None:
    source = (
        "---\ntitle: 'Guía: riego'\ndate: 2024-01-02\nhora: 12:30\npaís: NO\nok: true\n"
        "n: [1, 2.5, 007]\nnada:\n---\nx"
    )
    found = split(source)
    assert found.metadata == {
        "title": "Guía: riego",
        "date": "2024-01-02",
        "hora": "12:30",
        "país": "NO",
        "ok": True,
        "n": [1, 2.5, 7],
        "nada": None,
    }
    assert source[found.end :] == "x"


def test_crlf() -> None:
    source = "---\r\ntitle: a\r\n---\r\nx"
    assert source[split(source).end :] == "x"


def test_broken_front_matter_is_a_warning_and_stays_text() -> None:
    found = split("---\ntitle: a: b\n---\nx")
    assert (found.metadata, found.end) == ({}, 0)
    assert "line 2" in found.warnings[0]


def test_rules_around_a_sentence_are_no_front_matter() -> None:
    assert split("---\nHola\n---\n") == split("")
    assert split("---\ntitle: never closed\n").end == 0
    assert split("\n---\ntitle: not at the top\n---\n").end == 0


def test_nothing_is_run_and_nothing_grows() -> None:
    for body in (
        "!!python/object/apply:os.getcwd []",
        "a: &x [1]\nb: [*x, *x]",
        "[" * 3000,
        "? [a]\n: b",
    ):
        assert split(f"---\n{body}\n---\n").end == 0


def test_what_json_cannot_hold_becomes_text() -> None:
    found = split('---\na: .5\nb: "\\ud800"\n1: x\nc: !!set {y}\n---\n')
    assert found.metadata == {"a": 0.5, "b": "\ufffd", "1": "x", "c": ["y"]}
