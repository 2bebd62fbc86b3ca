"""Talk goes to stderr, data to stdout."""

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any


def note(text: str) -> None:
    """A line for the person."""
    sys.stderr.write(text + "\n")


def data(text: str) -> None:
    """A line of data; lone surrogates are escaped, so that any file name can be printed."""
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def data_json(value: Any) -> None:
    """One JSON value, indented for eyes on a terminal and in pipes alike."""
    data(json.dumps(value, ensure_ascii=False, indent=2))


def data_jsonl(values: Iterable[Mapping[str, Any]]) -> None:
    """One JSON value a line."""
    for value in values:
        data(json.dumps(value, ensure_ascii=False))


def failures(reasons: Mapping[str, str]) -> None:
    """Each path that failed and why."""
    for path, reason in reasons.items():
        note(f"  failed: {path}: {reason}")


def warnings(found: Mapping[str, Iterable[str]]) -> None:
    """What was odd about documents that were read all the same."""
    for path, texts in found.items():
        for text in texts:
            note(f"  warning: {path}: {text}")


def count(number: int, singular: str, plural: str = "") -> str:
    """``1 chunk``, ``2 chunks``, ``1,234 chunks``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
