"""``tesela eval``: a run on judged questions, a generated set, a gate, and what is kept."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kb.location import at
from query.evaluate import saved
from query.evaluate.testset import kept_folder
from tests.running import make_kb, run, write

ROOT = Path(__file__).parents[2]
PUMP = "La bomba hidráulica de presión cuesta 900 euros y lleva garantía de tres años."
FILES = {
    "bomba.md": f"# Manual\n\n## Bomba\n\n{PUMP}\n\n## Notas\n\n"
    "El agua entra por el filtro grueso y sale limpia hacia "
    "la caldera de la planta baja.\n",
    "turbine.md": "# Guide\n\nThe old turbine turns slowly in winter because cold water is thick. "
    "Its warranty lasts two years and covers blades, bearings and the generator.\n",
    "riego.md": "# Riego\n\nEl riego por goteo ahorra agua en el huerto durante el verano.\n",
    "secreto.md": "---\nacl: [hr]\n---\n# Secreto\n\nLa bomba secreta tiene garantía de diez años.\n",
}
SECRET = (
    "---\nacl: [hr]\n---\n# Secreto\n\nLa bomba Aurora tiene una garantía de diez años en toda la comarca. "
    "El taller de Aurora cierra los viernes de agosto por la tarde y abre los sábados de invierno.\n"
)
CHEAP = ("--set", "query.rerank=none")
QUERIES = '{"_id": "q1", "text": "precio de la bomba"}\n{"_id": "q2", "text": "turbine warranty"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\tbomba\t2\nq2\tdocs/turbine.md\t1\nq2\tgone.md\t1\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = make_kb(tmp_path_factory.mktemp("eval"), FILES)
    write(home, {"queries.jsonl": QUERIES, "qrels.tsv": QRELS})
    return home


def judged(home: Path) -> tuple[object, ...]:
    return ("--kb", home, "--queries", home / "queries.jsonl", "--qrels", home / "qrels.tsv")


def test_the_sample_corpus_is_asked_its_own_questions(sample_copy: Path) -> None:
    folder = ROOT / "sample_corpus" / "eval"
    done = run("eval", "run", folder, "--by-document", "--kb", sample_copy, "--format", "json")
    assert done.code == 0, done.err
    means = done.json["means"]
    assert means["answer"]["ndcg@10"] > means["sparse"]["ndcg@10"] > 0.5


def test_a_run_measures_each_leg_and_names_what_is_not_held(home: Path) -> None:
    done = run("eval", "run", *judged(home), "--format", "json", "--details", "--at", "1,3")
    assert done.code == 0, done.err
    found = done.json
    assert list(found["means"]) == ["dense", "sparse", "fused", "answer"]
    assert set(found["means"]["answer"]) == {
        "hit@1", "hit@3", "recall@1", "recall@3", "mrr@1", "mrr@3", "ndcg@1", "ndcg@3",
        "failure@20", "context_precision",
    }  # fmt: skip
    assert found["means"]["answer"]["recall@3"] == 0.75  # gone.md counts against it
    assert found["means"]["answer"]["hit@3"] == 1
    assert found["not_held"]["missing"] == {"gone.md": 1}
    assert "1 judgement of what the knowledge base does not hold" in done.err
    assert "gone.md" in done.err
    second = found["details"][1]
    assert second["missed"] == [{"path": "gone.md", "chunk": "", "span": None, "grade": 1}]
    low, high = found["intervals"]["answer"]["recall@3"]
    assert low <= 0.75 <= high
    assert all(0 < p50 <= p95 for p50, p95 in found["latency"].values())


def test_formats(home: Path) -> None:
    line = ("eval", "run", *judged(home), *CHEAP, "--no-keep", "--format")
    table = run(*line, "table", "--details")
    assert "hit@10" in table.out
    assert "context precision" in table.out
    assert "not in the first 10: gone.md" in table.out
    assert "| hit@10 |" in run(*line, "md").out
    rows = list(csv.DictReader(io.StringIO(run(*line, "csv").out)))
    assert {row["ranking"] for row in rows} == {"dense", "sparse", "fused"}
    per_question = list(csv.DictReader(io.StringIO(run(*line, "csv", "--details").out)))
    assert [row["id"] for row in per_question] == ["q1"] * 3 + ["q2"] * 3
    assert [one["id"] for one in run(*line, "jsonl").jsonl] == ["q1", "q2"]
    trec = [row.split() for row in run(*line, "trec").out.splitlines()]
    assert {row[0] for row in trec} == {"q1", "q2"}
    assert all(row[1] == "Q0" and len(row) == 6 for row in trec)


def test_a_run_of_one_leg_and_a_reranked_one(home: Path) -> None:
    line = ("eval", "run", *judged(home), "--no-keep", "--format", "json")
    assert list(run(*line, *CHEAP, "--mode", "sparse").json["means"]) == ["sparse"]
    assert list(run(*line, "--mode", "dense").json["means"]) == ["dense", "answer"]
    assert list(run(*line, "--no-legs").json["means"]) == ["answer"]


def test_values_are_those_of_ir_measures(home: Path) -> None:
    pytest.importorskip("ir_measures")
    done = run("eval", "run", *judged(home), "--no-keep", "--verify", "--at", "1,2,5")
    assert "values equal to those of ir-measures" in done.err


def test_judged_by_span_and_by_document(home: Path) -> None:
    start = (home / "docs" / "bomba.md").read_text().index(PUMP)
    spans = f"q1\tdocs/bomba.md\t{start}\t{start + len(PUMP)}\t1\n"
    write(home, {"spans.tsv": spans})
    line = ("eval", "run", "--kb", home, "--queries", home / "queries.jsonl", *CHEAP, "--no-keep")
    done = run(*line, "--qrels", home / "spans.tsv", "--format", "json")
    assert done.json["means"]["fused"]["hit@10"] == 1
    assert "1 question without a judgement, not asked: q2" in done.err
    whole = run(*line, "--qrels", home / "spans.tsv", "--by-document", "--format", "json").json
    assert (
        whole["means"]["fused"]["context_precision"]
        >= done.json["means"]["fused"]["context_precision"]
    )


def test_what_whoever_asks_may_not_read_is_not_held(home: Path) -> None:
    write(home, {"hr.jsonl": '{"id": 1, "text": "bomba secreta", "relevant": ["secreto.md"]}\n'})
    line = ("eval", "run", "--kb", home, "--queries", home / "hr.jsonl", *CHEAP, "--no-keep")
    shut = run(*line, "--format", "json")
    assert shut.json["not_held"]["missing"] == {"secreto.md": 1}
    assert shut.json["means"]["fused"]["hit@10"] == 0
    open_to = run(*line, "--format", "json", "--principal", "hr")
    assert open_to.json["means"]["fused"]["hit@10"] == 1
    narrow = run(*line, "--format", "json", "--principal", "hr", "--path", "docs/riego.md")
    assert narrow.json["not_held"]["filtered"] == {"secreto.md": 1}


def test_a_later_run_is_paired_with_an_earlier_one(home: Path, tmp_path: Path) -> None:
    line = ("eval", "run", *judged(home), *CHEAP)
    first = run(*line, "--format", "json")
    (tmp_path / "run.json").write_text(first.out)
    (tmp_path / "run.trec").write_text(run(*line, "--no-keep", "--format", "trec").out)
    for earlier in ("last", first.json["number"], tmp_path / "run.json"):
        done = run(*line, "--no-keep", "--format", "json", "--against", earlier)
        assert done.code == 0, done.err
        pair = done.json["against"]["measures"]["recall@10"]
        assert pair["before"] == pair["now"]
        assert pair["p"] == 1
    table = run(*line, "--no-keep", "--format", "table", "--against", tmp_path / "run.trec")
    assert "2 questions in common" in table.out, table.err


def test_the_picture(home: Path, tmp_path: Path) -> None:
    picture = tmp_path / "run.svg"
    done = run("eval", "run", *judged(home), *CHEAP, "--no-keep", "--plot", picture)
    assert done.code == 0, done.err
    assert ElementTree.fromstring(picture.read_bytes()).tag.endswith("svg")


def test_a_generated_set_is_kept_and_asked(home: Path, tmp_path: Path) -> None:
    made = run("eval", "gen", "--kb", home, "-n", 6, "--format", "json")
    assert made.code == 0, made.err
    assert made.json["questions"] >= 3
    folder = kept_folder(at(home))
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    questions = [json.loads(line) for line in first["queries.jsonl"].splitlines()]
    assert {question["language"] for question in questions} == {"es", "en"}
    for line in first["qrels.jsonl"].splitlines():
        found = json.loads(line)
        text = (home / found["path"]).read_text()
        assert text[slice(*found["span"])] == found["quote"]
        assert "secreto" not in found["path"]  # nobody may read it unasked
    again = run("eval", "gen", "--kb", home, "-n", 6)
    assert again.code == 0, again.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    asked = run("eval", "run", "--kb", home, "--split", "all", *CHEAP, "--format", "json")
    assert asked.code == 0, asked.err
    assert asked.json["questions"] == len(questions)
    assert asked.json["means"]["fused"]["hit@10"] > 0.5
    out = run("eval", "gen", "--kb", home, "-n", 6, "-o", tmp_path / "set")
    assert "tesela eval run" in out.err
    assert (tmp_path / "set" / "queries.jsonl").read_bytes() == first["queries.jsonl"]


def test_evidence_that_moved_is_found_and_what_went_is_left_out(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"bomba.md": FILES["bomba.md"], "riego.md": FILES["riego.md"]})
    assert run("eval", "gen", "--kb", home, "-n", 4).code == 0
    moved = FILES["bomba.md"].replace("# Manual\n", "# Manual\n\nUn párrafo nuevo delante.\n")
    write(home / "docs", {"bomba.md": moved, "riego.md": "# Riego\n\nOtra cosa.\n"})
    assert run("sync", "--kb", home).code == 0
    done = run("eval", "run", "--kb", home, "--split", "all", *CHEAP, "--format", "json")
    assert done.code == 0, done.err
    assert done.json["not_held"]["moved"] >= 1
    assert done.json["not_held"]["gone"] >= 1
    assert done.json["means"]["fused"]["hit@10"] == 1
    assert "evidence has changed or gone" in done.err


def test_questions_on_what_whoever_asks_may_not_read_are_not_told(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {**FILES, "secreto.md": SECRET})
    made = run("eval", "gen", "--kb", home, "-n", 12, "--principal", "hr", "--format", "json")
    assert made.code == 0, made.err
    kept = (kept_folder(at(home)) / "qrels.jsonl").read_text()
    assert "secreto.md" in kept
    shut = ("--kb", home, "--split", "all", *CHEAP)
    lines = [("run", "--details", "--format", form) for form in ("table", "json", "jsonl")]
    lines += [("gate", "--min", "ndcg@10=1", "--format", form) for form in ("table", "json")]
    for line in lines:
        done = run("eval", *line, *shut)
        assert done.code in (0, 1), done.err
        told = (done.out + done.err).lower()
        assert "secreto" not in told
        assert "aurora" not in told
    owner = run("eval", "run", "--details", "--format", "jsonl", *shut, "--principal", "hr")
    assert "secreto.md" in owner.out


def test_a_gate_passes_and_then_names_what_fell(tmp_path: Path) -> None:
    home = make_kb(tmp_path, FILES)
    write(home, {"queries.jsonl": QUERIES, "qrels.tsv": "q1\tbomba\t1\nq2\tturbine\t1\n"})
    line = ("eval", "gate", *judged(home), *CHEAP, "--min", "hit@10=0.9", "--max-drop", "0.02")
    first = run(*line)
    assert first.code == 0, first.err
    assert "passed: hit@10 1.0000" in first.out
    assert "this is the first" in first.err
    (home / "docs" / "turbine.md").unlink()
    assert run("sync", "--kb", home).code == 0
    second = run(*line)
    assert second.code == 1
    assert "hit@10 0.5000 is under 0.9" in second.out
    assert "hit@10 fell by 0.5000 to 0.5000, from 1.0000 of run 1" in second.out
    assert "q2  turbine warranty" in second.out
    assert "not good enough: hit@10" in second.err
    third = run(*line, "--format", "json")  # the second did not pass, so it is no measure
    assert third.code == 1
    assert third.json["against"] == 1
    (worst,) = [b for b in third.json["breaches"] if b["measure"] == "failure@20"]
    assert worst["questions"][0]["id"] == "q2"
    shown = run("eval", "history", "--kb", home, "--measure", "hit@10")
    assert [row.split()[0] for row in shown.out.splitlines()[1:4]] == ["1", "2", "3"]
    assert shown.out.splitlines()[-1].startswith("█▁▁")
    runs = run("eval", "history", "--kb", home, "--format", "json").json["runs"]
    assert [one["passed"] for one in runs] == [True, False, False]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("gate",), "add --min recall@10=0.85 or --max-drop 0.02"),
        (("gate", "--min", "recall=0.8"), "no measure 'recall'"),
        (("gate", "--min", "recall@10=0.8", "--against", "1"), "add --max-drop"),
        (("run", "--plot", "a.pdf"), "ends in .svg or .png"),
        (("run", "--at", "0"), "whole numbers from 1"),
        (("run", "--docid", "chunk"), "add --format trec"),
        (("run", "nowhere"), "nowhere: no such folder"),
        (("run", "--qrels", "x"), "name them with --queries"),
        (("run", "--queries", "missing.jsonl"), "missing.jsonl: No such file"),
        (("history", "--measure", "map"), "no measure 'map'"),
    ],
)
def test_mistakes_are_told_before_any_work(home: Path, line: tuple[str, ...], told: str) -> None:
    done = run("eval", line[0], "--kb", home, *line[1:])
    assert done.code == 2, done.err
    assert told in done.err


def test_runs_that_cannot_be_kept_are_no_failure(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saved, "keep", full)
    done = run("eval", "run", *judged(home), *CHEAP, "--format", "json")
    assert done.code == 0
    assert "this run is not kept: No space left" in done.err
