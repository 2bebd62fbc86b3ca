"""``--expand`` and ``--rerank cross-encoder`` as the shell sees them."""

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.running import hits, make_kb, run
from tests.tiny_cross_encoder import write_cross_encoder
from tests.tiny_onnx import write_model

SECTION = "\n\n".join(f"Nota {i}: la bomba gira y el pozo se seca en verano." for i in range(40))
FILES = {
    "a.md": f"# Bombas\n\nLa bomba se ceba.\n\n## Cebado\n\n{SECTION}\n\n## Fin\n\nNada más.\n",
    "b.txt": "The turbine needs grease once a year.\n",
}
QUESTION = "la bomba gira"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("expand"), FILES)


def test_json_carries_the_section_once(home: Path) -> None:
    found = hits(home, QUESTION, "-k", 3, "--expand", "section")
    text = (home / "docs" / "a.md").read_text()
    of_section = [hit for hit in found if hit["path"] == "docs/a.md"]
    assert len(of_section) >= 2
    best, *others = of_section
    around = best["expanded"]
    assert list(around) == ["kind", "span", "lines", "pages", "cut", "hits", "text"]
    start, end = around["span"]
    assert around["text"] == text[start:end]
    assert around["hits"] == [hit["rank"] for hit in of_section]
    assert (around["kind"], around["cut"], around["pages"]) == ("section", None, None)
    for hit in of_section:  # the passage's own words stay where they can be found
        a, b = hit["span"]
        assert around["text"][a - start : b - start] == hit["text"]
    assert [hit["expanded"] for hit in others] == [{"in": best["rank"]}] * len(others)


def test_md_quotes_the_passage_inside_its_surroundings(home: Path) -> None:
    done = run("query", QUESTION, "-k", 2, "--expand", "section", "--kb", home, cwd=home)
    lines = done.out.splitlines()
    for i in range(40):
        assert sum(f"Nota {i}:" in line for line in lines) == 1, i
    assert any(line.startswith("   >> Nota") for line in lines)
    assert any(line.startswith("   > ") for line in lines)
    assert "   (in the text of hit 1)" in lines
    for before, line in pairwise(lines):  # no lazy continuation
        if before.startswith("   >>") and not line.startswith("   >>"):
            assert line in ("   >", "")


def test_md_says_what_was_cut(home: Path) -> None:
    args = ("--expand", "document", "--set", "query.expand_characters=1200")
    done = run("query", QUESTION, "-k", 1, *args, "--kb", home)
    assert "characters of the document after this left out (query.expand_characters)*" in done.out


def test_a_table_shows_all_of_it(home: Path) -> None:
    done = run("query", QUESTION, "-k", 1, "--expand", "section", "--format", "table", "--kb", home)
    for i in range(40):
        assert f"Nota {i}:" in done.out
    plain = run("query", QUESTION, "-k", 1, "--format", "table", "--kb", home)
    assert len(plain.out.splitlines()) < 10


def test_csv_has_one_column_more(home: Path) -> None:
    def rows(*args: object) -> list[dict[str, str]]:
        done = run("query", QUESTION, "-k", 2, "--format", "csv", *args, "--kb", home)
        return list(csv.DictReader(io.StringIO(done.out)))

    assert "expanded" not in rows()[0]
    first, second = rows("--expand", "section")
    assert "Nota 0:" in first["expanded"]
    assert second["expanded"] == ""


def test_a_line_of_a_batch_may_ask_for_it(home: Path) -> None:
    lines = [
        {"text": QUESTION, "k": 1},
        {"text": QUESTION, "k": 1, "expand": "document"},
        {"text": QUESTION, "k": 1, "expand": "chapter"},
    ]
    stdin = "\n".join(json.dumps(line) for line in lines)
    done = run("batch", "-", "--kb", home, "--expand", "window:1", stdin=stdin)
    assert done.code == 3
    window, document, wrong = done.jsonl
    assert window["hits"][0]["expanded"]["kind"] == "window"
    assert document["hits"][0]["expanded"]["kind"] == "document"
    assert "write section, document, leaves, or window:N" in wrong["error"]


def model(folder: Path) -> str:
    words = ["turbine", "grease", "year.", "needs", "the", "The"]
    return f"query.rerank_model={write_cross_encoder(folder, words=words)}"


def test_the_cross_encoder_orders_and_tells_probabilities(home: Path, tmp_path: Path) -> None:
    args = ("--rerank", "cross-encoder", "--set", model(tmp_path))
    first, *others = hits(home, "turbine needs grease", "-k", 5, *args)
    assert first["path"] == "docs/b.txt"
    assert first["rerank"]["probability"] == first["rerank"]["score"]
    assert first["rerank"]["probability"] == pytest.approx(0.817574, abs=1e-5)  # 3 words - 1.5
    assert all(hit["rerank"]["probability"] < 0.2 for hit in others)
    shown = run("query", "turbine needs grease", "-k", 1, "--explain", *args, "--kb", home).out
    assert "rerank: probability 0.8176" in shown
    assert "probability" not in shown.replace("rerank: probability 0.8176", "")
    words_only = hits(home, "turbine needs grease", "-k", 1, "--mode", "sparse", *args)
    assert words_only[0]["path"] == "docs/b.txt"


@pytest.mark.parametrize("command", ["query", "batch"])
def test_no_model_is_told_before_any_work(home: Path, command: str) -> None:
    asked = ("a question",) if command == "query" else ("-",)
    sets = ("--set", "query.rerank=cross-encoder", "--set", "query.rerank_model=./nowhere")
    done = run(command, *asked, *sets, "--kb", home, stdin='{"text": "a"}')
    assert (done.code, done.out) == (6, "")
    assert "query.rerank_model: no model folder ./nowhere" in done.err


def test_the_one_in_the_box_needs_no_name(home: Path) -> None:
    asked = ("turbine grease", "-k", 3, "--rerank", "cross-encoder")
    found = hits(home, *asked)
    assert found[0]["path"] == "docs/b.txt"
    chances = [hit["rerank"]["probability"] for hit in found]
    assert chances[0] > 0.5 > chances[1]
    shares = ("rerank_share", "late_share", "fused_share", "support", "complement")
    for hit in found:
        assert hit["score"] == pytest.approx(sum(hit["rerank"][name] for name in shares))
    assert [hit["score"] for hit in hits(home, *asked)] == [hit["score"] for hit in found]


def test_doctor_looks_at_the_model(home: Path, tmp_path: Path) -> None:
    def told(value: str) -> str:
        return run("doctor", "--kb", home, env={"TESELA_QUERY_RERANK_MODEL": value}).out

    folder = write_cross_encoder(tmp_path / "whole")
    assert told(str(folder)).startswith("sound: ")
    assert "wrong: reranker: the reranker of the settings: " in told(str(tmp_path))
    encoder = write_cross_encoder(tmp_path / "encoder")
    write_model(encoder / "model.onnx", np.eye(20), ("input_ids",))
    assert "it is an encoder" in told(str(encoder))
    own = run("doctor", "--kb", home, env={"TESELA_QUERY_RERANK": "cross-encoder"})
    assert (own.code, own.out.startswith("sound: ")) == (0, True)
