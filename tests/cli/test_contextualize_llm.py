"""Contexts by an LLM from the command line; the server is the tests' own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from index.reader import GenerationReader
from kb.location import at
from tests.context_llm import Situates, context_of
from tests.integration.test_crash import KILLED
from tests.llm_making import PRICE
from tests.llm_server import Server, serving
from tests.running import environment, make_kb, run, write

FILES = {
    f"d{i}.md": f"# Bomba {i}\n\n"
    + "\n\n".join(
        f"## Parte {i}.{j}\n\n" + f"La pieza p{i}x{j} gira despacio. " * 16 for j in range(3)
    )
    for i in range(4)
}


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def llm() -> Situates:
    return Situates()


@pytest.fixture
def server(llm: Situates) -> Iterator[Server]:
    with serving(llm) as made:
        yield made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path / "docs", FILES)
    assert run("init", tmp_path, "--preset", "fast").code == 0
    assert run("ingest", tmp_path / "docs", "--kb", tmp_path).code == 0
    return tmp_path


def flags(server: Server) -> tuple[str, ...]:
    return ("--provider", "llm", "--llm", server.url, "--llm-model", "m")


def contexts(home: Path) -> dict[str, str]:
    """By chunk text."""
    return {c.text: c.context for c in GenerationReader.open(at(home)).chunks}


def situated(home: Path) -> bool:
    return all(said.endswith(context_of(text)) for text, said in contexts(home).items())


def test_sync_asks_once_and_then_only_for_what_changed(
    home: Path, server: Server, llm: Situates
) -> None:
    assert run("contextualize", "--kb", home, *flags(server)).code == 0
    assert run("sync", "--kb", home).code == 0
    assert situated(home)
    first = llm.calls
    assert first == len(contexts(home)) >= 12
    assert run("sync", "--kb", home).err.count("LLM:") == 0
    edited = FILES["d1.md"].replace("La pieza p1x2 gira", "La rueda r1x2 gira")
    write(home / "docs", {"d1.md": edited})
    planned = run("sync", "--kb", home, "--dry-run", "--format", "json").json
    done = run("sync", "--kb", home)
    assert done.code == 0, done.err
    assert situated(home)
    changed = llm.calls - first
    assert 1 <= changed < 3  # of the three chunks of that document
    assert planned["llm_calls"] == changed
    (home / "docs" / "d1.md").rename(home / "docs" / "renamed.md")
    assert run("sync", "--kb", home).code == 0
    assert llm.calls == first + changed
    asked = run("contextualize", "--kb", home, "--refresh", "document", "--dry-run")
    assert asked.out.startswith(f"{3 - changed} call")
    assert run("contextualize", "--kb", home, "--refresh", "document").code == 0
    assert llm.calls == first + 3
    assert run("contextualize", "--kb", home, "--refresh", "document").code == 0
    assert llm.calls == first + 3
    assert run("sync", "--kb", home).code == 0
    assert situated(home)


def test_the_plan_the_caps_and_the_ledger(home: Path, server: Server, llm: Situates) -> None:
    at(home).prices.write_text(PRICE)
    plan = run("contextualize", "--kb", home, *flags(server), "--dry-run", "--format", "json").json
    assert plan["calls"] == 12
    assert plan["usd"] > 0
    assert llm.calls == 0
    assert not at(home).ledger.exists()
    capped = run("contextualize", "--kb", home, *flags(server), "--max-calls", "5")
    assert capped.code == 4
    assert "the structural context stands in at 7 chunks" in capped.err
    again = run("sync", "--kb", home, "--max-calls", "4")
    assert again.code == 4
    found = contexts(home)  # the rest is indexed all the same
    assert sum(said.endswith(context_of(text)) for text, said in found.items()) == 9
    assert sum(("Situated:" in said) for said in found.values()) == 9
    assert run("sync", "--kb", home).code == 0
    assert situated(home)
    assert llm.calls == 12
    assert set(llm.good.values()) == {1}
    spent = run("cost", "--kb", home, "--format", "json").json
    assert spent["calls"] == 12
    assert [row["stage"] for row in spent["spent"]] == ["context"]


def test_faults_end_with_all_contexts_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    many = {
        f"m{i}.md": "\n\n".join(
            f"# S{i}.{j}\n\n" + f"Palabra w{i}x{j} suelta. " * 40 for j in range(6)
        )
        for i in range(10)
    }
    llm = Situates({"429": 7, "cut": 5, "wrap": 3, "empty": 11})
    with serving(llm) as server:
        home = make_kb(tmp_path, many)
        first = run("contextualize", "--kb", home, *flags(server))
        assert first.code in (0, 3)
        second = run("sync", "--kb", home, "--retry")
        assert second.code == 0, second.err
        assert run("failures", "--kb", home).err == "no failures\n"
    assert situated(home)
    assert set(llm.good.values()) == {1}


def test_a_refused_chunk_falls_back_is_listed_and_asked_again(
    home: Path, server: Server, llm: Situates
) -> None:
    llm.refuses = "p2x1"
    done = run("contextualize", "--kb", home, *flags(server))
    assert done.code == 3
    assert run("sync", "--kb", home).code == 0  # it was told
    (bad,) = [said for text, said in contexts(home).items() if "p2x1" in text]
    assert bad.startswith("Bomba 2")
    (listed,) = run("failures", "--kb", home, "--format", "json").json
    assert listed["path"].endswith("d2.md")
    assert listed["contexts"] == 1
    assert "this text is not taken" in listed["reason"]
    calls = llm.calls
    assert run("sync", "--kb", home).code == 0
    assert llm.calls == calls
    llm.refuses = ""
    assert run("sync", "--kb", home, "--retry").code == 0
    assert llm.calls == calls + 1
    assert situated(home)
    assert run("failures", "--kb", home).err == "no failures\n"


def test_a_service_that_is_down_leaves_a_searchable_kb(home: Path) -> None:
    done = run(
        "sync", "--kb", home, "--set", "context.provider=llm", "--set", "llm.model=m",
        "--set", "llm.url=http://127.0.0.1:9/v1", "--set", "llm.timeout=2",
    )  # fmt: skip
    assert done.code == 6, done.err
    found = contexts(home)
    assert len(found) == 12
    assert not any(("Situated:" in said) for said in found.values())


@pytest.mark.parametrize(("owner", "name", "count"), [
    ("kb.models.llm.cache", "AnswerCache.put", 7),
    ("kb.store", "Store.put_said", 2),
    ("kb.store", "Store.put", 3),
])  # fmt: skip
def test_killed_and_nothing_is_paid_twice(
    home: Path, server: Server, llm: Situates, owner: str, name: str, count: int
) -> None:
    sets = ["context.provider=llm", f"llm.url={server.url}", "llm.model=m", "llm.concurrency=1"]
    args = ["sync", "--kb", str(home), *(part for s in sets for part in ("--set", s))]
    script = KILLED.replace("BATCH_ITEMS = 8", "BATCH_ITEMS = 2")
    line = [sys.executable, "-c", script, owner, name, str(count), *args]
    killed = subprocess.run(line, env=environment(), capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    before = sum(llm.good.values())
    assert before > 0
    done = run(*args)
    assert done.code == 0, done.err
    assert situated(home)
    # only the answer that was on its way into the cache can be lost
    lost = 1 if name == "AnswerCache.put" else 0
    assert sum(llm.good.values()) == 12 + lost


def test_usage(home: Path, server: Server) -> None:
    assert run("contextualize", "--kb", home, "--retry").code == 2
    assert run("contextualize", "--kb", home, "--max-calls", "3").code == 2
    assert run("contextualize", "--kb", home, "--provider", "llm").code == 6
    assert run("contextualize", "--kb", home, *flags(server), "--format", "json").code == 2
    assert not at(home).llm_cache.exists()


def test_an_address_with_a_login_is_not_kept(home: Path, server: Server) -> None:
    url = server.url.replace("http://", "http://ana:geheim@")
    done = run("contextualize", "--kb", home, "--provider", "llm", "--llm", url, "--llm-model", "m")
    assert done.code == 0, done.err
    assert all(b"geheim" not in p.read_bytes() for p in at(home).folder.rglob("*") if p.is_file())
