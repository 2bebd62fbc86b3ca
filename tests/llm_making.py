"""LLMs for tests, on a folder of their own."""

from pathlib import Path
from typing import Any

import msgspec

from kb.location import Location, at
from kb.models.http_post import Patience
from kb.models.llm.base import Block, Prompt
from kb.models.llm.llm import Llm
from kb.models.llm.open import open_llm
from kb.settings import LlmSettings

PRICE = '["m"]\ninput = 2.0\ncached_input = 0.5\noutput = 8.0\ndate = 2026-11-01\n'


class Verdict(msgspec.Struct):
    """The form that the tests ask for."""

    word: str
    score: float


class Verdicts(msgspec.Struct):
    verdicts: list[Verdict]


def prompt(text: str = "Is it so?", **changes: Any) -> Prompt:
    made = Prompt("judge", "1", "You judge.", (Block("A long document.", True), Block(text)), 64)
    return Prompt(**{f: changes.get(f, getattr(made, f)) for f in Prompt.__dataclass_fields__})


_made: list[Llm] = []


def close_all() -> None:
    """Close what `make` made."""
    while _made:
        _made.pop().close()


def place(home: Path) -> Location:
    location = at(home)
    location.folder.mkdir(exist_ok=True)
    return location


def make(
    home: Path,
    url: str,
    waits: list[float] | None = None,
    told: list[str] | None = None,
    **set: Any,
) -> Llm:
    """An LLM whose waits are short; they are noted in `waits`."""
    settings = LlmSettings(
        **{"url": url, "model": "m", "key_env": "TEST_KEY", "timeout": 5.0} | set
    )
    patience = Patience(tries=3, first=0.001, longest=5.0, chance=lambda: 1.0)
    llm = open_llm(
        place(home), settings, (told if told is not None else []).append, patience=patience
    )
    _made.append(llm)
    if waits is not None:
        before = llm._sleep

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            before(min(seconds, 0.01))

        object.__setattr__(llm._patience, "sleep", sleep)
    return llm
