"""An LLM from the command line: rerank, helpers, caps, plan, ledger; the server is the tests' own."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.location import at
from tests.llm_judge import judge
from tests.llm_making import PRICE
from tests.llm_server import Server, openai, says, serving, text_of
from tests.running import TESELA, environment, hits, make_kb, run, snapshot, spawn

KEY = "sk-very-secret-key"
QUESTION = "How long must the capacitors discharge?"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(judge) as made:
        yield made


def flags(server: Server) -> tuple[str, ...]:
    return ("--llm", server.url, "--llm-model", "m")


def test_rerank_ledger_and_cache(sample_copy: Path, server: Server) -> None:
    at(sample_copy).prices.write_text(PRICE)
    args = ("query", QUESTION, "--kb", sample_copy, "--rerank", "llm", *flags(server))
    done = run(*args, "--format", "json")
    assert done.code == 0
    assert len(server.bodies) == 2  # 20 passages, ten in each
    # two calls of 100 tokens read at 2 and 20 written at 8 dollars a million
    assert done.err.splitlines()[0] == "LLM: 2 calls, 240 tokens, $0.00072"
    assert done.json["llm"].startswith("m at http://127.0.0.1")
    assert all(0 <= hit["rerank"]["score"] <= 1 for hit in done.json["hits"])
    again = run(*args, "--format", "json")
    assert again.err.splitlines()[0] == "LLM: 2 answers from the cache"
    assert again.json == done.json
    assert len(server.bodies) == 2
    spent = run("cost", "--kb", sample_copy, "--format", "json").json
    (row,) = spent["spent"]
    assert (row["stage"], row["calls"], row["cached_answers"], row["usd"]) == (
        "rerank",
        2,
        2,
        0.00072,
    )
    assert spent["usd"] == 0.00072
    text = run("cost", "--kb", sample_copy).out.splitlines()
    assert text[0].split()[:4] == ["day", "stage", "model", "calls"]
    assert text[1].endswith("$0.00072")
    assert run("cost", "--kb", sample_copy, "--since", "2999").err == "no LLM was asked\n"


def test_a_plan_costs_nothing(sample_copy: Path, server: Server) -> None:
    args = ("query", QUESTION, "--kb", sample_copy, "--rerank", "llm", *flags(server), "--dry-run")
    done = run(*args)
    assert done.out.startswith("2 calls to an LLM, about ")
    assert done.out.endswith("; its price is not known\n")
    plan = run(*args, "--format", "json").json
    assert (plan["calls"], plan["usd"]) == (2, None)
    assert plan["prompt_tokens"] > 1000
    assert server.bodies == []
    assert not at(sample_copy).ledger.exists()
    assert not at(sample_copy).llm_cache.exists()


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (("--rerank", "llm", "--max-calls", "1"), 4, "--max-calls"),
        (("--rerank", "llm", "--max-tokens", "100"), 4, "--max-tokens"),
        (("--rerank", "llm", "--max-usd", "1"), 2, "no price of m at http://127.0.0.1"),
        (("--multi-query", "--llm", "localhost"), 2, "llm.url"),
        (("--rerank", "llm", "--set", "llm.kind=other"), 2, "openai, anthropic"),
        (("--hyde", "--mode", "sparse"), 2, "--hyde"),
        ((), 2, "nothing asks an LLM: add --rerank llm"),
        (("--hyde", "--set", "llm.model=''", "--llm-model", ""), 2, "set llm.model"),
    ],
)
def test_what_stops_a_question(
    sample_copy: Path, server: Server, more: tuple[str, ...], code: int, said: str
) -> None:
    done = run("query", QUESTION, "--kb", sample_copy, *flags(server), *more)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(server.bodies) <= 1


@pytest.mark.parametrize("what", [("--rerank", "llm"), ("--step-back",)])
def test_without_an_llm_the_way_out_is_told(sample: Path, what: tuple[str, ...]) -> None:
    done = run("query", QUESTION, "--kb", sample, *what)
    assert done.code == 6
    assert f"{' '.join(what)}: this needs an LLM, and none is set: name one with --llm" in done.err


def test_a_key_that_the_server_repeats_is_not_shown(sample_copy: Path, server: Server) -> None:
    server.usual = says(401, {"error": {"message": f"wrong key: {KEY}"}})
    done = run(
        *("query", QUESTION, "--kb", sample_copy, "--rerank", "llm", *flags(server)),
        *("--set", "llm.key_env=MY_KEY"),
        env={"MY_KEY": KEY, "NO_PROXY": "127.0.0.1"},
    )
    assert done.code == 6
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert "wrong key: ***; check the key; llm.key_env names the variable" in done.err
    assert KEY not in done.err + done.out
    shown = run("config", "show", "--kb", sample_copy, env={"MY_KEY": KEY}).out
    assert KEY not in shown


def test_helpers_are_shown(sample_copy: Path, server: Server) -> None:
    found = run(
        *("query", QUESTION, "--kb", sample_copy, *flags(server), "--format", "json"),
        *("--multi-query", "--hyde", "--step-back", "--explain"),
    ).json
    assert list(found["subqueries"]) == ["multi-query 1", "multi-query 2", "hyde", "step-back"]
    for hit in found["hits"]:
        assert hit["explain"]["fused_score"] == pytest.approx(sum(hit["fusion"].values()))
        assert set(hit["fusion"]) == {"question", *found["subqueries"]}
    text = run("query", QUESTION, "--kb", sample_copy, "--multi-query", "--explain", "-k", "1").out
    assert "multi-query 1: long must capacitors discharge" in text
    assert "multi-query 1 0.0" in text


def test_hyde_without_an_llm(sample: Path) -> None:
    found = run("query", QUESTION, "--kb", sample, "--hyde", "--format", "json").json
    assert found["subqueries"] == {"hyde": "the question moved towards its 3 best hits"}
    assert Path(found["hits"][0]["path"]).name == "lockout.md"
    assert set(found["hits"][0]["fusion"]) == {"dense", "sparse"}


def test_a_batch_stops_at_its_cap_and_goes_on(
    sample_copy: Path, server: Server, tmp_path: Path
) -> None:
    questions = tmp_path / "q.jsonl"
    lines = [{"id": n, "text": text} for n, text in enumerate((QUESTION, "pump", "gastos"))]
    lines.append({"id": 3, "text": "viaje", "rerank": "none"})
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = tmp_path / "r.jsonl"
    args = ("batch", questions, "-o", out, "--kb", sample_copy, "--jobs", "1", *flags(server))
    args = (*args, "--rerank", "llm")
    plan = run(*args, "--dry-run", "--format", "jsonl").json
    assert plan["calls"] == 6
    assert not out.exists()
    stopped = run(*args, "--max-calls", "3")
    assert stopped.code == 4
    assert "3 calls were made, the cap is 3" in stopped.err
    assert len(out.read_text().splitlines()) == 1
    done = run(*args, "--resume")
    assert done.code == 0
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3]
    assert ["llm" in answer for answer in answers] == [True, True, True, False]
    assert len(server.bodies) == 6  # nothing was paid twice
    other = run(*args, "--llm-model", "m2", "--resume")
    assert other.code == 2
    assert "the settings are others" in other.err


def test_a_line_that_needs_an_llm_that_is_not_there(sample: Path) -> None:
    lines = '{"id": 1, "text": "pump", "rerank": "llm"}\n{"id": 2, "text": "pump", "helpers": ["hyde"]}\n'
    done = run("batch", "-", "--kb", sample, stdin=lines)
    assert done.code == 3
    assert done.jsonl[0]["error"].startswith("--rerank llm: this needs an LLM")
    assert done.jsonl[1]["subqueries"] == {"hyde": "the question moved towards its 3 best hits"}


def test_closed_documents_are_not_shown_to_the_llm(tmp_path: Path, server: Server) -> None:
    files = {
        "open.md": "# Bomba\n\nLa bomba gira a la derecha.",
        "closed.md": "---\nacl: [group:hr]\n---\n# Bomba\n\nLa bomba secreta zumba.",
    }
    home = make_kb(tmp_path, files)
    args = ("query", "bomba secreta", "--kb", home, *flags(server), "--format", "json")
    more = ("--rerank", "llm", "--hyde", "--multi-query", "--step-back", "--explain")
    assert "zumba" not in run(*args, *more).out
    assert server.bodies
    assert not any("zumba" in text_of(body) for body in server.bodies)
    run(*args, *more, "--principal", "group:hr")
    assert any("zumba" in text_of(body) for body in server.bodies)


def test_an_interrupt_loses_nothing_that_was_paid_for(sample_copy: Path, server: Server) -> None:
    server.seconds = 1.0
    args = ("query", QUESTION, "--kb", sample_copy, "--rerank", "llm", *flags(server))
    command = [*TESELA, *map(str, args)]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, env=environment({"NO_PROXY": "127.0.0.1"})
    )
    waited = time.monotonic() + 60
    while len(server.bodies) < 2 and time.monotonic() < waited:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"LLM: 2 calls" in err
    server.seconds = 0.0
    again = run(*args)
    assert again.code == 0
    assert "LLM: 2 answers from the cache" in again.err
    assert len(server.bodies) == 2


def test_a_read_only_kb_is_asked_all_the_same(sample_copy: Path, server: Server) -> None:
    before = snapshot(sample_copy)
    for path in (sample_copy, *sample_copy.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        args = ("query", QUESTION, "--kb", sample_copy, "--rerank", "llm", *flags(server))
        done = spawn(*args, "--format", "json", env={"NO_PROXY": "127.0.0.1"}, unprivileged=True)
        cost = spawn("cost", "--kb", sample_copy, unprivileged=True)
    finally:
        for path in (sample_copy, *sample_copy.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert (done.code, cost.code) == (0, 0), done.err + cost.err
    assert "cannot be written: answers are not kept" in done.err
    assert done.json["hits"][0]["rerank"]["score"] > 0
    assert snapshot(sample_copy) == before


def test_gc_drops_answers_and_doctor_mends_their_cache(sample_copy: Path, server: Server) -> None:
    args = ("query", QUESTION, "--kb", sample_copy, "--rerank", "llm", *flags(server))
    run(*args)
    assert run("gc", "--kb", sample_copy).code == 0
    assert run("gc", "--caches", "--kb", sample_copy, "--format", "json").json["answers"] == 2
    assert run("gc", "--caches", "--kb", sample_copy, "--format", "json").json["answers"] == 0
    location = at(sample_copy)
    for path in (location.llm_cache, location.ledger):
        for side in path.parent.glob(f"{path.name}*"):
            side.unlink()
        path.write_bytes(b"not a database, and long enough to tell" * 100)
    assert "doctor --fix" in run(*args).err
    fixed = run("doctor", "--fix", "--kb", sample_copy).out
    assert "put the damaged LLM cache aside" in fixed
    assert "put the damaged ledger aside" in fixed
    assert run(*args).code == 0


def test_a_faulty_server_gives_the_same_hits(sample: Path, server: Server, tmp_path: Path) -> None:
    copies = [Path(shutil.copytree(sample, tmp_path / name)) for name in ("calm", "faulty")]
    args = ("--rerank", "llm", *flags(server), "--set", "llm.concurrency=1")
    calm = [hit["id"] for hit in hits(copies[0], QUESTION, *args)]

    def wrapped(body: dict[str, Any]) -> Any:
        status, headers, content = judge(body)
        text = content["choices"][0]["message"]["content"]
        return status, headers, openai(f"Here you are:\n```json\n{text}\n```\nHope it helps!")

    empty, cut = says(200, openai("")), says(200, openai('{"verdicts": [{"pass', "length"))
    server.script = [says(429, b"", Retry_After="0"), empty, wrapped, cut]
    assert [hit["id"] for hit in hits(copies[1], QUESTION, *args)] == calm


def test_the_price_table_can_be_copied_and_edited(sample_copy: Path) -> None:
    shown = run("cost", "--prices").out
    assert '["gpt-4o-mini"]' in shown
    at(sample_copy).prices.write_text(shown)
    done = run("query", QUESTION, "--kb", sample_copy, "-k", "1")
    assert done.code == 0
