"""Derived chunks on the command line: named, shown, counted, and opened nowhere."""

from pathlib import Path

import pytest

from kb.registry import PARTS, Part
from tests.digests import TARGET, Digests
from tests.running import hits, make_kb, run

FILES = {
    "pump.md": "# Pump\n\nThe pump runs at night. Grease it every week.",
    "well.md": "---\nacl: [staff]\n---\n# Well\n\nThe well gives water.",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(PARTS, "derivation", {"digests": Part(TARGET, "for tests")})
    return make_kb(tmp_path, FILES)


def summary_of(home: Path, *args: object) -> str:
    found = hits(home, "the pump at night", "--mode", "tree", *args)
    (path,) = [hit["path"] for hit in found if hit.get("kind") == "summary"]
    return str(path)


def test_show_names_what_a_derived_chunk_stands_on(home: Path) -> None:
    name = summary_of(home)
    shown = run("show", name, cwd=home)
    assert f"{name}, level 1" in shown.out
    assert "# stands on 1 passage of 1 document" in shown.out
    assert "# quotes docs/pump.md" in shown.out
    (as_json,) = run("show", name, "--format", "json", cwd=home).json
    assert as_json["kind"] == "summary"
    assert as_json["leaves"]


def test_open_says_what_to_do_instead(home: Path) -> None:
    name = summary_of(home)
    done = run("open", name, "--print", cwd=home)
    assert done.code == 2
    assert f"'tesela show {name}'" in done.err


def test_who_may_not_read_a_leaf_does_not_see_what_stands_on_it(home: Path) -> None:
    shown = hits(home, "the well gives water", "--mode", "tree")
    assert not any("well" in hit["text"].lower() for hit in shown)
    everything = hits(home, "the well gives water", "--mode", "tree", "--principal", "staff")
    assert sum(hit.get("kind") == "summary" for hit in everything) == 2
    name = next(h["path"] for h in everything if h.get("kind") and "well" in h["text"].lower())
    assert run("show", name, "--principal", "staff", cwd=home).out
    assert "neither a file nor the id" in run("show", name, cwd=home).err


def test_status_counts_them_and_doctor_looks_at_them(home: Path) -> None:
    assert run("status", "--format", "json", cwd=home).json["derived"] == {"summary": 2}
    assert "derived:         summary 2" in run("status", cwd=home).out
    assert run("doctor", cwd=home).code == 0


def test_a_trail_says_that_no_file_is_stale(home: Path) -> None:
    found = hits(home, "the pump at night", "--mode", "tree")
    assert {hit["fresh"] for hit in found} == {"fresh"}
    (home / "docs" / "pump.md").write_text("Another text.")
    found = hits(home, "the pump at night", "--mode", "tree")
    assert {hit["fresh"] for hit in found} == {"changed"}


def test_what_an_llm_failed_to_say_is_listed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("failures", cwd=home).err == "no failures\n"
    monkeypatch.setattr(Digests, "failed", {"summary:1": "it said nothing"})
    (home / "docs" / "pump.md").write_text("Another text.")
    assert run("sync", "--quiet", cwd=home).code == 3
    told = run("failures", cwd=home)
    assert told.out.startswith("digests: 1 answer of the LLM stood in for")
    (as_json,) = run("failures", "--format", "json", cwd=home).json
    assert as_json == {
        "derived": "digests",
        "reason": "it said nothing",
        "served": True,
        "answers": 1,
    }
