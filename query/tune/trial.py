"""One way to set things, and what it came to."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from kb.settings import Settings

Changes = dict[str, Any]  # dotted keys and their values


class Trial(Struct, frozen=True, kw_only=True):
    """Settings under the questions of one split."""

    key: str  # of the settings and the split
    changes: dict[str, Any]  # dotted, from the settings that are in force
    split: str
    ids: list[str]
    values: list[float]  # of the measure, by question
    query_ms: float  # median
    build_seconds: float  # with every chunk embedded anew
    disk_bytes: int
    chunks: int

    @property
    def mean(self) -> float:
        """Of the measure."""
        return sum(self.values) / len(self.values)

    @property
    def label(self) -> str:
        """In words."""
        return label(self.changes)

    @property
    def cost(self) -> tuple[float, float, float]:
        """What is spent: on each question, on a build, on disk."""
        return self.query_ms, self.build_seconds, float(self.disk_bytes)


def label(changes: Mapping[str, Any]) -> str:
    """Changes in words."""
    return (
        ", ".join(f"{_short(key)}={_plain(value)}" for key, value in changes.items()) or "as it is"
    )


def _short(dotted: str) -> str:
    section, _, key = dotted.partition(".")
    return section if key in ("name", "provider") else key


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Settings with dotted keys replaced.

    Raises:
        ValueError: a value does not fit.
    """
    tree = msgspec.to_builtins(settings)
    for dotted, value in changes.items():
        section, _, key = dotted.partition(".")
        tree[section][key] = value
    return msgspec.convert(tree, Settings)
