"""Lines on a terminal are broken between words, and left whole in a pipe."""

import os

import pytest

from cli import say

LINE = "[1] docs/warranty-terms.md:15 — Warranty terms for equipment"


def test_a_terminal_gets_whole_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((40, 24)))
    folded = say.folded(LINE)
    assert folded == "[1] docs/warranty-terms.md:15 — Warranty\n    terms for equipment"


def test_a_pipe_gets_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert say.folded(LINE) == LINE
