"""Contexts by a provider's batch service; the service is the tests' own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.location import at
from tests.batch_server import Service, batching
from tests.cli.test_contextualize_llm import FILES, situated
from tests.integration.test_crash import KILLED
from tests.llm_making import PRICE
from tests.running import environment, run, write

KINDS = ("openai", "anthropic")


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def service() -> Iterator[Service]:
    with batching() as made:
        yield made


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path / "docs", FILES)
    assert run("init", tmp_path, "--preset", "fast").code == 0
    assert run("ingest", tmp_path / "docs", "--kb", tmp_path).code == 0
    at(tmp_path).prices.write_text(PRICE)
    return tmp_path


def line(home: Path, service: Service, kind: str, what: str, *more: str) -> list[str]:
    named = ["--provider", "llm", "--llm", service.url, "--llm-model", "m"]
    return [
        "contextualize",
        "--kb",
        str(home),
        *named,
        "--set",
        f"llm.kind={kind}",
        "--batch",
        what,
        *more,
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_submit_and_collect(home: Path, service: Service, kind: str) -> None:
    left = run(*line(home, service, kind, "submit"))
    assert left.code == 0, left.err
    assert "12 calls left with the batch service, 12 under way" in left.err
    again = run(*line(home, service, kind, "submit"))
    assert "0 calls left with the batch service, 12 under way" in again.err
    assert len(service.asked) == 12
    early = run(*line(home, service, kind, "collect"))
    assert "1 batch not done yet" in early.err
    service.done = True
    done = run(*line(home, service, kind, "collect"))
    assert done.code == 0, done.err
    assert "12 answers fetched" in done.err
    assert not at(home).batches.exists()
    assert "nothing was left" in run(*line(home, service, kind, "collect")).err
    assert run("sync", "--kb", home, "--set", f"llm.kind={kind}").code == 0
    assert situated(home)
    spent = run("cost", "--kb", home, "--format", "json").json
    # half of 12 calls of 100 tokens read at 2 and 20 written at 8 dollars a million
    assert spent["usd"] == pytest.approx(12 * (200 + 160) / 2 / 1e6)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_answered_is_left_again(home: Path, service: Service, kind: str) -> None:
    service.fails, service.done = "p1x1", True
    run(*line(home, service, kind, "submit"))
    done = run(*line(home, service, kind, "collect"))
    assert "11 answers fetched" in done.err
    assert "1 call came to nothing" in done.err
    service.fails = ""
    assert "1 call left" in run(*line(home, service, kind, "submit")).err
    assert run(*line(home, service, kind, "collect")).code == 0
    assert run("sync", "--kb", home).code == 0
    assert situated(home)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_whose_sending_was_cut_off_is_found_again(
    home: Path, service: Service, kind: str
) -> None:
    service.drops = True
    run(*line(home, service, kind, "submit"))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, "kb.models.llm.batches", "replace_file", "2",
         *line(home, service, kind, "submit")],
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert killed.returncode in (0, -signal.SIGKILL), killed.stderr
    run(*line(home, service, kind, "submit"))
    assert len(service.asked) == 12
    service.done = True
    assert "12 answers fetched" in run(*line(home, service, kind, "collect")).err


def test_a_kill_after_sending_is_not_paid_twice(home: Path, service: Service) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, "kb.models.llm.batches", "replace_file", "2",
         *line(home, service, "openai", "submit")],
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert "0 calls left" in run(*line(home, service, "openai", "submit")).err
    assert len(service.asked) == 12


def test_caps_hold_for_what_is_left(home: Path, service: Service) -> None:
    capped = run(*line(home, service, "openai", "submit", "--max-calls", "5"))
    assert capped.code == 4
    assert "5 calls left" in capped.err
    assert len(service.asked) == 5
    assert "7 calls left" in run(*line(home, service, "openai", "submit")).err
