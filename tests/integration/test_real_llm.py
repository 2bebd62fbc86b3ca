"""A real model on a real server: that we are understood, never what it says."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from kb.models.llm.base import Answer, Block, Failed, Prompt, Reply
from kb.models.llm.ledger import spent
from tests.llm_making import close_all, make, place
from tests.real_llm import NEEDS_REAL_LLM, WINDOW, serving
from tests.running import make_kb, run

pytestmark = NEEDS_REAL_LLM
DOCS = {"pump.md": "# Pump P-7\n\nThe seal of pump P-7 is changed every 400 hours of service.\n"}


class Weather(msgspec.Struct):
    """A form whose values all have an end, so that the model comes to one."""

    sky: Literal["clear", "cloudy", "unknown"]
    warm: bool
    degrees: int


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("real") / "log") as address:
        yield f"{address}/v1"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    close_all()


def prompt(text: str, tokens: int) -> Prompt:
    return Prompt("wire", "1", "You talk about the weather.", (Block(text),), tokens)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_chat_comes_in_pieces_and_is_counted(url: str, tmp_path: Path, kind: str) -> None:
    llm = make(tmp_path, url, kind=kind, timeout=50.0, seed=1, max_output=16)
    told: list[str] = []
    asked = prompt("Tell me about the weather in Rome.", 16)
    answer = llm.write(asked, told.append)
    assert isinstance(answer, Answer)
    assert len(told) > 1
    assert all(after.startswith(before) for before, after in pairwise(told))
    assert answer.value == told[-1].strip() != ""
    whole = llm.client.send(llm.call_of(asked, str)[1])
    assert isinstance(whole, Reply)
    assert whole.usage is not None
    close_all()
    (line,) = spent(place(tmp_path).ledger)
    assert (line.calls, line.unanswered, line.prompt) == (1, 0, whole.usage.prompt)
    assert 1 < line.completion <= 16


def test_the_server_holds_the_model_to_a_schema(url: str, tmp_path: Path) -> None:
    llm = make(tmp_path, url, timeout=50.0, max_output=128)
    asked = prompt("Tell me about the weather in Rome.", 128)
    answer = llm.ask(asked, Weather)
    assert isinstance(answer, Answer)
    assert answer.whole
    assert isinstance(answer.value, Weather)
    assert llm.calls == 1
    assert llm.ask(asked, Weather) == Answer(answer.value, cached=True)


def test_a_prompt_beyond_the_servers_window_costs_that_prompt_only(
    url: str, tmp_path: Path
) -> None:
    llm = make(tmp_path, url, timeout=50.0)
    failed = llm.ask(prompt("wind and rain " * WINDOW, 16), Weather)
    assert isinstance(failed, Failed)
    assert not failed.may_pass
    assert "context size" in failed.reason


def test_ask_ends_well_whatever_the_model_says(url: str, tmp_path: Path) -> None:
    home = make_kb(tmp_path, DOCS)
    done = run(
        *("ask", "How often is the seal of pump P-7 changed?", "--kb", home, "-k", 1),
        *("--llm", url, "--llm-model", "smollm2", "--format", "json"),
        *("--set", "llm.max_output=48", "--set", f"llm.context_window={WINDOW}"),
    )
    assert done.code == 0, done.err
    got = done.json
    assert got["cost"]["calls"] in (1, 2)
    assert got["cost"]["tokens"] > 100
    assert got["answer"] or not got["answered"]
    if got["llm"] is None:  # cut or empty twice
        assert "the LLM gave no answer (unusable twice" in done.err
        assert got["quoted"]
    else:
        assert got["llm"].startswith("smollm2 at http://127.0.0.1:")
        assert not got["quoted"]
