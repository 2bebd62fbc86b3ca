"""``tesela batch``: order, errors, formats, going on after an interruption, the same bytes."""

import itertools
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from query.batch.lines import LONGEST
from tests.running import TESELA, environment, run, snapshot, write

QUESTIONS = ["capacitors discharge", "¿Qué tuerca se afloja al revés?", "E-217", "gastos de viaje"]


def jsonl(*records: object) -> str:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    lines = [{"id": f"q{i}", "text": text} for i, text in enumerate(QUESTIONS)]
    return write(tmp_path, {"q.jsonl": jsonl(*lines)}) / "q.jsonl"


def results(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def manifest(path: Path) -> Any:
    return json.loads(path.with_name(path.name + ".manifest.json").read_text(encoding="utf-8"))


def test_each_line_is_what_query_says(sample: Path, asked: Path) -> None:
    out = asked.with_name("r.jsonl")
    done = run("batch", "--kb", sample, asked, "-o", out, "-k", 3)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("4 questions answered with 12 hits (")
    for i, (line, text) in enumerate(zip(results(out), QUESTIONS, strict=True)):
        alone = run("query", "--kb", sample, "--format", "json", "-k", 3, text).json
        for hit in alone["hits"]:
            assert hit.pop("fresh") == "fresh"
        for hit in line["hits"]:
            assert hit.pop("fresh") is None  # a batch does not look at the files
        assert line == {"id": f"q{i}", **alone}


def test_jobs_change_no_byte(sample: Path, tmp_path: Path) -> None:
    texts = [
        f"{text} {word}" for text in QUESTIONS for word in ("", "bomba", "pump", '"E-217" -x22')
    ]
    write(tmp_path, {"q.jsonl": jsonl(*({"id": i, "text": t} for i, t in enumerate(texts * 2)))})
    outs = [tmp_path / f"{jobs}.jsonl" for jobs in (1, 2, 5)]
    for jobs, out in zip((1, 2, 5), outs, strict=True):
        assert (
            run("batch", "--kb", sample, tmp_path / "q.jsonl", "-o", out, "--jobs", jobs).code == 0
        )
    first, *others = (out.read_bytes() for out in outs)
    assert all(other == first for other in others)
    assert [line["id"] for line in results(outs[0])] == list(range(len(texts) * 2))
    assert manifest(outs[0]) | {"time": 0} == manifest(outs[2]) | {"time": 0}


BAD = [
    ('{"id": "a", "text": "pump", "kk": 3}', "a", "unknown key 'kk'"),
    ('{"id": "a", "text": "pump", "k": 0}', "a", "k"),
    ('{"id": "a", "text": "pump", "k": "many"}', "a", "k"),
    ('{"id": "a", "text": "pump", "mode": "psychic"}', "a", "mode"),
    ('{"id": "a", "text": "pump", "rerank": "gpt"}', "a", "no reranker 'gpt'"),
    ('{"id": "a", "text": "pump", "path": 3}', "a", "path is a text"),
    ('{"id": "a", "text": "pump", "explain": 1}', "a", "explain is true or false"),
    ('{"id": "a", "text": 3}', "a", "text is a text"),
    ('{"id": "a", "text": "  "}', "a", "the question is empty"),
    ('{"id": "a"}', "a", "the question is empty"),
    ('{"id": "a", "text": "-solar"}', "a", "what to leave out"),
    ('{"id": "a", "text": "x", "query": "y"}', "2", "mean the same"),
    ('{"id": ["a"], "text": "x"}', "2", "id is a text or a number"),
    ('{"id": "a", "text": "pu', "2", "line 2"),
    ("pump", "2", "line 2"),
    ('["pump"]', "2", "line 2"),
    ('{"text": "' + "x" * LONGEST + '"}', "2", "longer than"),
]


@pytest.mark.parametrize(("line", "identity", "why"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_line_is_one_error_line(
    sample: Path, tmp_path: Path, line: str, identity: str, why: str
) -> None:
    good = '{"id": 7, "text": "pump"}'
    again = '{"id": 8, "text": "pump"}'
    write(tmp_path, {"q.jsonl": f"{good}\n{line}\n\n{again}\n"})
    out = tmp_path / "r.jsonl"
    done = run("batch", "--kb", sample, tmp_path / "q.jsonl", "-o", out)
    assert done.code == 3
    assert "Traceback" not in done.err
    assert f"  failed: {identity}: " in done.err
    first, bad, last = results(out)
    assert (first.pop("id"), last.pop("id")) == (7, 8)
    assert first == last
    assert set(bad) == {"id", "error"}
    assert bad["id"] == identity
    assert why in bad["error"]
    counts = {"questions": 3, "answered": 2, "failed": 1, "hits": 20}
    assert manifest(out)["counts"] == counts


@pytest.mark.parametrize("broken", ["pump", '"text": "pump"}', '["pump"]', "pump\tx"])
def test_a_file_called_jsonl_is_read_as_such_from_a_broken_first_line_on(
    sample: Path, tmp_path: Path, broken: str
) -> None:
    write(tmp_path, {"q.JSONL": f'{broken}\n{{"id": 7, "text": "pump"}}\n'})
    out = tmp_path / "r.jsonl"
    assert run("batch", "--kb", sample, tmp_path / "q.JSONL", "-o", out).code == 3
    bad, good = results(out)
    assert "line 1" in bad["error"]
    assert good["id"] == 7
    assert good["hits"]


def test_a_line_has_its_own_settings(sample: Path, tmp_path: Path) -> None:
    lines = [
        {"id": 1, "query": "pump", "k": 2, "mode": "sparse", "rerank": "none"},
        {"id": 2, "text": "pump", "path": ["*.pdf"], "k": 3, "explain": True},
        {"id": 3, "text": "pump", "path": "*.xyz"},
        {"id": 4, "lex": "E-217", "vec": "why does the pump stop by itself", "k": 1},
        {"id": 5, "text": "pump"},
        {"_id": 6, "text": '"no such words at all" pump', "k": 1},
    ]
    write(tmp_path, {"q.jsonl": jsonl(*lines)})
    done = run("batch", "--kb", sample, tmp_path / "q.jsonl", "--path", "*.md", "-k", 4)
    assert done.code == 0, done.err
    sparse, pdf, none, typed, plain, missing = done.jsonl
    assert [set(hit["legs"]) for hit in sparse["hits"]] == [{"sparse"}] * 2
    assert all(hit["path"].endswith(".pdf") and "explain" in hit for hit in pdf["hits"])
    assert none["hits"] == []
    assert typed["subqueries"] == {"lex": "E-217", "vec": "why does the pump stop by itself"}
    assert len(plain["hits"]) == 4
    assert all(hit["path"].endswith(".md") for hit in plain["hits"])
    assert len({line["settings"] for line in (sparse, pdf, plain)}) == 3
    assert "no such words at all" in missing["notes"][0]


TOPICS = """<top>
<num> Number: 301
<title> capacitors discharge
<desc> Description:
Something longer.
</top>

<top><num>302</num><title></title><desc>Description: E-217</desc></top>
<topic number="303"><query>gastos &amp; viaje</query></topic>
<top><num> 304 </top>
<top><num> 305 <title> never ends
"""


def test_topics_and_tsv(sample: Path, tmp_path: Path) -> None:
    write(tmp_path, {"t.trec": TOPICS, "t.tsv": "301\tcapacitors discharge\nno tab\nx\ta\tb\n"})
    done = run("batch", "--kb", sample, tmp_path / "t.trec", "-k", 1)
    assert done.code == 3
    asked = [(line["id"], line.get("query")) for line in done.jsonl]
    assert asked == [
        ("301", "capacitors discharge"), ("302", "E-217"), ("303", "gastos & viaje"),
        ("304", None), ("11", None),
    ]  # fmt: skip
    done = run("batch", "--kb", sample, "-", "-k", 1, stdin=(tmp_path / "t.tsv").read_bytes())
    assert [(line["id"], line.get("query")) for line in done.jsonl] == [
        ("301", "capacitors discharge"), ("2", None), ("x", "a\tb"),
    ]  # fmt: skip


def test_a_trec_run(sample: Path, tmp_path: Path) -> None:
    lines = jsonl({"id": "a b", "text": "pump"}, {"id": 2, "text": ""}, {"id": 3, "text": "E-217"})
    args = ("batch", "--kb", sample, "-", "--format", "trec", "-k", 20)
    done = run(*args, stdin=lines)
    assert done.code == 3
    rows = [line.split(" ") for line in done.out.splitlines()]
    assert {row[0] for row in rows} == {"a%20b", "3"}
    assert all(len(row) == 6 and (row[1], row[5]) == ("Q0", "tesela") for row in rows)
    for qid in ("a%20b", "3"):
        mine = [row for row in rows if row[0] == qid]
        assert [int(row[3]) for row in mine] == list(range(1, len(mine) + 1))
        assert len({row[2] for row in mine}) == len(mine) > 3
        scores = [float(row[4]) for row in mine]
        assert all(a > b for a, b in itertools.pairwise(scores))
    by_chunk = run(*args, "--docid", "chunk", stdin=lines).out.splitlines()
    assert len(by_chunk) == 40
    one = run("query", "--kb", sample, "--format", "trec", "-k", 20, "E-217").out
    assert one.splitlines() == [f"1 {line[2:]}" for line in done.out.splitlines() if line[0] == "3"]


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_no_questions_are_no_failure(sample: Path, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"q": text})
    done = run("batch", "--kb", sample, tmp_path / "q", "-o", tmp_path / "r")
    assert done.code == 0
    assert (tmp_path / "r").read_bytes() == b""


def test_the_byte_order_mark_and_crlf_are_nothing(sample: Path) -> None:
    raw = b'\xef\xbb\xbf{"id": 1, "text": "pump"}\r\n{"id": 2, "text": "pump"}'
    assert [line["id"] for line in run("batch", "--kb", sample, "-", stdin=raw).jsonl] == [1, 2]


@pytest.mark.parametrize("cut", [0, 1, 40, -1, -200])
def test_resume_goes_on_after_the_last_whole_line(sample: Path, asked: Path, cut: int) -> None:
    out = asked.with_name("r.jsonl")
    assert run("batch", "--kb", sample, asked, "-o", out).code == 0
    whole, made = out.read_bytes(), manifest(out)
    out.write_bytes(whole[:cut])
    again = run("batch", "--kb", sample, asked, "-o", out, "--resume")
    assert again.code == 0, again.err
    assert out.read_bytes() == whole
    assert manifest(out) | {"time": 0} == made | {"time": 0}


def test_resume_of_a_finished_run_and_of_none(sample: Path, asked: Path) -> None:
    out = asked.with_name("r.jsonl")
    assert run("batch", "--kb", sample, asked, "-o", out, "--resume").code == 0
    whole = out.read_bytes()
    done = run("batch", "--kb", sample, asked, "-o", out, "--resume")
    assert (done.code, out.read_bytes()) == (0, whole)


def test_resume_is_refused_where_something_changed(sample: Path, asked: Path) -> None:
    out = asked.with_name("r.jsonl")
    args = ("batch", "--kb", sample, asked, "-o", out)
    assert run(*args).code == 0
    before = snapshot(out.parent)
    for more, why in ((("-k", 3), "settings"), (("--path", "*.md"), "settings")):
        done = run(*args, "--resume", *more)
        assert (done.code, why in done.err, "--resume" in done.err) == (2, True, True)
    assert snapshot(out.parent) == before
    questions = asked.read_bytes()
    asked.write_bytes(questions + b'{"text": "one more"}\n')
    done = run(*args, "--resume")
    assert (done.code, "the questions have changed" in done.err) == (2, True)
    asked.write_bytes(questions)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(reversed(lines)))
    done = run(*args, "--resume")
    assert (done.code, "answers 'q3' and not 'q0'" in done.err) == (2, True)
    out.with_name("r.jsonl.manifest.json").unlink()
    done = run(*args, "--resume")
    assert (done.code, "manifest" in done.err) == (2, True)


def test_wrong_usage(sample: Path, asked: Path) -> None:
    folder = asked.parent
    for args in (
        (folder / "nowhere.jsonl",), (folder,), (asked, "-o", asked), (asked, "-o", folder),
        (asked, "-o", "/dev/null"),
        (asked, "--resume"), ("-", "-o", folder / "r", "--resume"), (asked, "--jobs", 0),
        (asked, "-o", folder / "r", "--resume", "--format", "trec"), (asked, "-k", 0), (),
    ):  # fmt: skip
        done = run("batch", "--kb", sample, *args)
        assert (done.code, done.out) == (2, ""), args
        assert done.err.startswith("tesela: ")
    assert [p.name for p in folder.iterdir()] == ["q.jsonl"]


def test_killed_it_leaves_whole_lines_and_goes_on(sample: Path, tmp_path: Path) -> None:
    lines = [{"id": i, "text": f"{QUESTIONS[i % 4]} {i}"} for i in range(400)]
    write(tmp_path, {"q.jsonl": jsonl(*lines)})
    out = tmp_path / "r.jsonl"
    line = (*TESELA, "batch", "--kb", sample, tmp_path / "q.jsonl", "-o", out, "--mode", "sparse",
            "--set", "query.rerank=none")  # fmt: skip
    for stop in (signal.SIGKILL, signal.SIGINT):
        extra = ("--resume",) if out.exists() else ()
        process = subprocess.Popen(
            [*map(str, line), *extra], env=environment(), stderr=subprocess.PIPE
        )
        kept = out.stat().st_size if out.exists() else 0
        deadline = time.monotonic() + 60
        while (not out.exists() or out.stat().st_size <= kept) and time.monotonic() < deadline:
            time.sleep(0.002)
        os.kill(process.pid, stop)
        _, err = process.communicate()
        assert process.returncode in (-signal.SIGKILL, 130), err
        assert out.read_bytes().endswith(b"\n")
        assert manifest(out)["finished"] is False
    partial = len(results(out))
    assert 0 < partial < 400
    args = ("--kb", sample, "--mode", "sparse", "--set", "query.rerank=none")
    assert run("batch", tmp_path / "q.jsonl", "-o", out, "--resume", *args).code == 0
    assert run("batch", tmp_path / "q.jsonl", "-o", tmp_path / "once.jsonl", *args).code == 0
    assert out.read_bytes() == (tmp_path / "once.jsonl").read_bytes()


def test_a_full_disk_leaves_whole_lines(sample: Path, asked: Path) -> None:
    out = asked.with_name("r.jsonl")
    assert run("batch", "--kb", sample, asked, "-o", out, "--mode", "sparse").code == 0
    room = out.stat().st_size // 1024 - 1
    line = f'ulimit -f {room}; "$0" -c "$1" batch "$2" -o "$3" --kb "$4" --mode sparse'
    done = subprocess.run(
        ["bash", "-c", line, TESELA[0], TESELA[2], asked, out, sample],
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, f"tesela: {out}: File too large\n")
    assert 0 < len(results(out)) < len(QUESTIONS)


def test_an_id_that_came_before_is_an_error(sample: Path) -> None:
    lines = jsonl({"id": 2, "text": "pump"}, {"text": "turbine"}, {"id": "x", "text": "bomba"})
    done = run("batch", "--kb", sample, "-", stdin=lines)
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 3
    assert ["error" in answer for answer in answers] == [False, True, False]
    assert "'2' came before" in answers[1]["error"]
