"""YAML front matter: the lines between ``---`` and ``---`` at the top of a file."""

import math
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from ingest.parse.decode import replace_unsafe

MAX_CHARS = 65536
_FENCED = re.compile(
    r"---[ \t]*(?:\r\n|\r|\n)(.*?)(?:^)(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)", re.S | re.M
)
# What may be meant as front matter and is not read: misplaced, never closed, TOML.
_OPENED = re.compile(r"\s*(?:---|\+\+\+)[ \t]*(?:\r\n|\r|\n)")
_ACL = re.compile(r"(?:^|[{,])[\s?-]*[\"']?acl[\"']?[ \t]*[:=]", re.I | re.M)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was found: `end` is where the body starts, 0 without (readable) front matter."""

    metadata: dict[str, Any] = field(default_factory=dict)
    end: int = 0
    warnings: tuple[str, ...] = ()


class _Loader(yaml.SafeLoader):
    """Safe, and resolves only what YAML 1.2 does: ``NO``, ``12:30`` and dates stay strings."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuses aliases: a few of them can stand for gigabytes."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read in front matter")
        return super().compose_node(parent, index)


for _tag, _pattern, _first in (
    ("null", r"(?:~|null|Null|NULL|)", "~nN"),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)", "tTfF"),
    ("int", r"[-+]?[0-9]{1,18}", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?", "-+0123456789."),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(f"^{_pattern}$"),
        [*_first, *([""] if _tag == "null" else [])],
    )


def split(text: str) -> FrontMatter:
    """Find and read the front matter of `text`.

    What is read goes into metadata and belongs to no element. Broken front matter gives a warning
    and stays in the text; ``---`` lines around something that is no mapping are only rules.
    """
    match = _FENCED.match(text[: MAX_CHARS + 8])
    if match is None:
        opened = _OPENED.match(text)
        return _unread(text[opened.end() : MAX_CHARS]) if opened else FrontMatter()
    try:
        loaded = read_yaml(match.group(1), first_line=2)
    except ValueError as error:
        return _unread(match.group(1), f"front matter is {error}")
    if loaded is None:
        return FrontMatter(end=match.end())
    if not isinstance(loaded, dict):
        return _unread(match.group(1))
    return FrontMatter({str(k): plain(v) for k, v in loaded.items()}, match.end())


def read_yaml(text: str, first_line: int = 1) -> object:
    """One YAML value; `first_line` is the number of its first line, for the message.

    Raises:
        ValueError: it is no valid YAML, or uses aliases.
    """
    try:
        loaded: object = yaml.load(text, _Loader)
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
        OverflowError,
        AttributeError,
        TypeError,
    ) as error:
        raise ValueError(f"not valid YAML: {_short(error, first_line)}") from error
    return loaded


def _unread(block: str, *warnings: str) -> FrontMatter:
    """The block stays text; where it says ``acl:``, nobody may read the document for its sake."""
    if _ACL.search(block):
        return FrontMatter({"acl": []}, warnings=warnings)
    return FrontMatter(warnings=warnings)


def plain(value: Any, depth: int = 0) -> Any:
    """`value` in what JSON can hold; deeper than 20 levels it becomes its text."""
    if isinstance(value, str):
        return replace_unsafe(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth < 20:
        if isinstance(value, dict):
            return {replace_unsafe(str(k)): plain(v, depth + 1) for k, v in value.items()}
        if isinstance(value, list | tuple | set):
            return [plain(v, depth + 1) for v in value]
    return replace_unsafe(str(value))


def _short(error: Exception, first_line: int) -> str:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error) or type(error).__name__
    where = f" (line {mark.line + first_line})" if mark is not None else ""
    return replace_unsafe(" ".join(str(reason).split()))[:120] + where
