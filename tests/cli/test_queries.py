"""``tesela query`` on the sample corpus: every format, every flag, what goes where."""

import csv
import io
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from kb.registry import names
from tests.running import TESELA, environment, hits, run, snapshot, spawn

ANSI = "\x1b["
HEADER = "rank,score,path,page,first_line,last_line,heading,id,fresh,validity,text,duplicates"


def test_json_has_the_documented_shape(sample: Path) -> None:
    done = run("query", "--kb", sample, "--format", "json", "-k", 3, "E-217 dry running")
    assert (done.code, done.err) == (0, "")
    found = done.json
    named = {"version", "query", "generation", "settings", "as_of", "filters", "hits"}
    assert set(found) == named
    assert (found["version"], found["query"], found["generation"]) == (1, "E-217 dry running", 1)
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3]
    for hit in found["hits"]:
        assert set(hit) == {
            "rank", "score", "id", "path", "page", "lines", "span", "title", "heading", "language",
            "text", "legs", "fusion", "rerank", "fresh", "validity", "duplicates",
        }  # fmt: skip
        assert re.fullmatch("[0-9a-f]{32}", hit["id"])
        assert hit["path"].startswith("docs/")
        assert hit["legs"].keys() <= {"dense", "sparse"}
        assert all(set(leg) == {"rank", "score"} for leg in hit["legs"].values())
        rerank = hit["rerank"]
        shares = ("rerank_share", "fused_share", "support", "complement")
        assert set(rerank) == {"rank_before", "score", *shares}
        assert hit["score"] == pytest.approx(sum(rerank[share] for share in shares))


def test_scores_fall_past_the_reranked_pool_and_their_parts_add_up(sample: Path) -> None:
    found = hits(sample, "pump", "-k", "30", "--set", "query.rerank_depth=5", "--explain")
    assert len(found) == 30
    scores = [hit["score"] for hit in found]
    assert scores == sorted(scores, reverse=True)
    for hit in found:
        parts = {k: v for k, v in hit["rerank"].items() if k not in ("rank_before", "score")}
        assert hit["score"] == pytest.approx(sum(parts.values()))
        assert ("lowest_reranked" in parts) == (hit["rerank"]["rank_before"] > 5)


def test_a_hit_is_where_it_says(sample: Path) -> None:
    for hit in hits(sample, "How long must the capacitors discharge?"):
        if Path(hit["path"]).suffix in {".md", ".txt"}:
            text = (sample / hit["path"]).read_bytes().decode()
            a, b = hit["span"]
            assert text[a:b] == hit["text"]
            first, last = hit["lines"]
            assert first == text.count("\n", 0, a) + 1
            assert last == text.count("\n", 0, b - 1) + 1


def test_a_pdf_hit_names_its_page(sample: Path) -> None:
    done = run(
        "query", "--kb", sample, "--format", "paths", "tuerca rosca a izquierdas", cwd=sample
    )
    assert done.out.splitlines()[0] == "docs/manuals/bomba-solar-bs30.pdf#page=1"


def test_jsonl_is_the_hits_one_a_line(sample: Path) -> None:
    question = "gastos de viaje"
    lines = run("query", "--kb", sample, "--format", "jsonl", question).jsonl
    assert lines == hits(sample, question)


def test_csv_reads_back(sample: Path) -> None:
    question = "gastos de viaje"
    done = run("query", "--kb", sample, "--format", "csv", question, cwd=sample)
    assert done.out.splitlines()[0] == HEADER
    rows = list(csv.DictReader(io.StringIO(done.out)))
    for row, hit in zip(rows, hits(sample, question), strict=True):
        assert (row["path"], row["text"], row["id"]) == (hit["path"], hit["text"], hit["id"])
        assert float(row["score"]) == pytest.approx(hit["score"], abs=1e-6)


def test_paths_are_relative_to_where_one_stands(sample: Path) -> None:
    args = ("query", "--kb", sample, "--format", "paths", "-k", 4, "lockout padlock")
    from_home = run(*args, cwd=sample).out.splitlines()
    from_docs = run(*args, cwd=sample / "docs").out.splitlines()
    assert [f"docs/{line}" for line in from_docs] == from_home
    assert run(*args, cwd=Path("/")).out.splitlines() == [f"{sample}/{x}"[1:] for x in from_home]
    for line in from_home:
        assert (sample / re.split("[:#]", line)[0]).is_file()


def test_md_quotes_the_text(sample: Path) -> None:
    args = ("query", "--kb", sample, "-k", 1, "lockout padlock")
    (hit,) = hits(sample, "lockout padlock", "-k", 1)
    done = run(*args, cwd=sample)
    assert done.out == run(*args, "--format", "md", cwd=sample).out  # the default off a terminal
    first = done.out.splitlines()[0]
    assert first.startswith(f"1. `{hit['path']}:{hit['lines'][0]}` — ")
    quoted = [line[5:] for line in done.out.splitlines() if line.startswith("   >")]
    assert quoted == [line.rstrip() for line in hit["text"].splitlines()]


def test_a_table_off_a_terminal_has_no_colour(sample: Path) -> None:
    done = spawn("query", "--kb", sample, "--format", "table", "-k", 2, "lockout")
    assert done.code == 0
    assert ANSI not in done.out + done.err
    assert done.out.startswith(" 1  ")


def _on_a_terminal(*args: object, env: dict[str, str] | None = None) -> str:
    """What a terminal of 80 columns is shown, stdout and stderr together."""
    ours, theirs = pty.openpty()
    settings = environment({"TERM": "xterm-256color", "COLUMNS": "80", **(env or {})})
    process = subprocess.Popen(
        [*TESELA, *map(str, args)], stdin=theirs, stdout=theirs, stderr=theirs, env=settings
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


def test_a_terminal_gets_a_table(sample: Path) -> None:
    args = ("query", "--kb", sample, "--mode", "sparse", "--rerank", "none", "-k", 2, "lockout")
    shown = _on_a_terminal(*args)
    assert ANSI in shown
    assert "lockout.md:" in shown
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in shown.splitlines()[1:3]) <= 80
    plain = _on_a_terminal(*args, env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[3[0-9]", plain)


def test_the_question_comes_from_stdin(sample: Path) -> None:
    asked = hits(sample, "gastos de viaje")
    for given in ("gastos de viaje\n", b"\xef\xbb\xbfgastos de viaje\r\n"):
        done = run("query", "--kb", sample, "--format", "json", "-", stdin=given)
        assert done.json["query"] == "gastos de viaje"
        assert done.json["hits"] == asked


@pytest.mark.parametrize("bad", [b"caf\xe9 lockout", b"lockout \xff\xfe"])
def test_bytes_that_are_no_text_are_no_traceback(sample: Path, bad: bytes) -> None:
    done = run("query", "--kb", sample, "--format", "paths", "-", stdin=bad)
    assert done.code == 0
    assert "lockout" in done.out
    as_argument = run("query", "--kb", sample, "--format", "paths", os.fsdecode(bad))
    assert as_argument.code == 0


def test_modes_legs_and_settings(sample: Path) -> None:
    for mode, legs in (("dense", {"dense"}), ("sparse", {"sparse"})):
        found = hits(sample, "capacitors discharge", "--mode", mode, "--rerank", "none", "-k", 4)
        assert [set(hit["legs"]) for hit in found] == [legs] * len(found)
        assert [hit["legs"][mode]["rank"] for hit in found] == list(range(1, len(found) + 1))
        assert all(hit["score"] == hit["legs"][mode]["score"] for hit in found)
        assert all(hit["rerank"] is None for hit in found)


@pytest.mark.parametrize("fusion", names("fusion"))
def test_every_fusion_adds_up_to_its_score(sample: Path, fusion: str) -> None:
    found = hits(sample, "capacitors discharge", "--fusion", fusion, "--rerank", "none")
    assert [hit["score"] for hit in found] == sorted((h["score"] for h in found), reverse=True)
    for hit in found:
        assert sum(hit["fusion"].values()) == pytest.approx(hit["score"], abs=1e-12)
        if fusion == "rrf":
            expected = {name: 1 / (60 + leg["rank"]) for name, leg in hit["legs"].items()}
            assert {k: v for k, v in hit["fusion"].items() if v} == pytest.approx(expected)


def test_alpha_one_is_the_dense_leg(sample: Path) -> None:
    question = "capacitors discharge"
    weighted = hits(
        sample, question, "--fusion", "weighted", "--alpha", 1, "--rerank", "none", "-k", 5
    )
    dense = hits(sample, question, "--mode", "dense", "--rerank", "none", "-k", 5)
    assert [hit["id"] for hit in weighted] == [hit["id"] for hit in dense]


def test_rerank_depth_bounds_what_is_looked_at_again(sample: Path) -> None:
    found = hits(sample, "capacitors discharge", "--set", "query.rerank_depth=3", "-k", 6)
    assert ["score" in hit["rerank"] for hit in found] == [True] * 3 + [False] * 3
    assert {hit["rerank"]["rank_before"] for hit in found[:3]} == {1, 2, 3}


@pytest.mark.parametrize(
    ("globs", "matches"),
    [
        (["*.pdf"], lambda p: p.endswith(".pdf")),
        (["docs/manuals/**"], lambda p: p.startswith("docs/manuals/")),
        (["!*.md"], lambda p: not p.endswith(".md")),
        (["*.md", "!docs/policies/"], lambda p: p.endswith(".md") and "policies" not in p),
    ],
)
def test_path_keeps_to_the_files_that_match(
    sample: Path, globs: list[str], matches: object
) -> None:
    flags = [part for glob in globs for part in ("--path", glob)]
    found = hits(sample, "pump", "-k", 50, *flags)
    assert found
    assert callable(matches)
    assert all(matches(hit["path"]) for hit in found)


def test_no_hits_is_no_failure_unless_asked(sample: Path) -> None:
    args = ("query", "--kb", sample, "--path", "*.xyz", "pump")
    quiet, asked = run(*args), run(*args, "--require-hits")
    assert (quiet.code, quiet.out, quiet.err) == (
        0,
        "",
        "no hits in the files that match --path *.xyz\n",
    )
    assert (asked.code, asked.out) == (7, "")
    assert "no hits" in asked.err


def test_explain_adds_up(sample: Path) -> None:
    for hit in hits(sample, "padlock tag lockout", "--explain"):
        explained = hit["explain"]
        assert explained["fused_score"] == pytest.approx(sum(hit["fusion"].values()), abs=1e-12)
        if "sparse" in hit["legs"]:
            total = sum(part["contribution"] for part in explained["sparse"])
            assert total == pytest.approx(hit["legs"]["sparse"]["score"], rel=1e-6)
        if "dense" in hit["legs"]:
            assert explained["dense"]["cosine"] == hit["legs"]["dense"]["score"]


@pytest.mark.parametrize("form", ["md", "table"])
def test_explain_is_shown_in_words(sample: Path, form: str) -> None:
    args = ("query", "--kb", sample, "--format", form, "-k", 1, "padlock tag lockout")
    shown = run(*args, "--explain").out
    for word in ("rerank_share ", "fused ", "dense: rank", "sparse: rank", "padlock: "):
        assert word in shown
        assert word not in run(*args).out


def test_asking_writes_nothing(sample: Path) -> None:
    before = snapshot(sample)
    for form in ("json", "md"):
        run("query", "--kb", sample, "--format", form, "--explain", "pump")
    run("show", "--kb", sample, "docs/policies/lockout.md")
    assert snapshot(sample) == before


def test_the_same_question_gives_the_same_bytes(sample: Path) -> None:
    args = ("query", "--kb", sample, "--format", "json", "--explain", "bomba parada")
    assert run(*args).out == run(*args).out == spawn(*args).out


def test_a_closed_pipe_is_no_complaint(sample: Path) -> None:
    for args in ("query --format json -k 50 pump", "show docs/manuals/vega-reference.md", "--help"):
        kb = "" if args == "--help" else f"--kb '{sample}'"
        line = f'set -o pipefail; "$0" -c "$1" {args} {kb} | head -1'
        done = subprocess.run(
            ["bash", "-c", line, TESELA[0], TESELA[2]], env=environment(), capture_output=True
        )
        assert done.stderr == b""
        assert len(done.stdout.splitlines()) == 1
        assert done.returncode == 0


def test_a_full_disk_is_told(sample: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*TESELA, "show", "docs/policies/lockout.md", "--kb", str(sample)],
            env=environment(), stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "tesela: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_no_traceback(sample: Path, closed: str) -> None:
    line = f'"$0" -c "$1" show docs/policies/lockout.md --kb "{sample}" {closed}'
    done = subprocess.run(
        ["bash", "-c", line, TESELA[0], TESELA[2]], env=environment(), capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_poor_terminal_gets_escapes(sample: Path) -> None:
    env = {"PYTHONIOENCODING": "ascii"}
    done = spawn("query", "--kb", sample, "-k", 1, "gastos de viaje", env=env)
    assert done.code == 0
    assert done.out.isascii()
