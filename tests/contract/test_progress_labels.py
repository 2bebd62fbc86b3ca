"""A terminal has a label for each kind of work that is told of: a pipe would not show its lack."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.progress import _LABELS

ROOT = Path(__file__).parents[2]


def told() -> Iterator[tuple[str, str]]:
    """Where something tells of progress, and of what: calls of ``…progress("stage", n)``."""
    for package in ("cli", "query", "index", "ingest"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                stage = node.args[0]
                if (
                    name.lstrip("_") in ("progress", "advance")
                    and isinstance(stage, ast.Constant)
                    and isinstance(stage.value, str)
                ):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", stage.value


TOLD = list(told())


def test_something_tells_of_progress() -> None:
    assert {"cards", "embed", "read"} <= {stage for _, stage in TOLD}


@pytest.mark.parametrize(("place", "stage"), TOLD)
def test_what_is_told_has_a_label(place: str, stage: str) -> None:
    assert stage in _LABELS, place
