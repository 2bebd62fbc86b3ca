"""What an LLM said of communities, kept in the component so that only changed ones are asked for again."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from index.graph.communities import prompt
from index.graph.communities.prompt import Lines, Report
from kb.digest import digest
from kb.settings import LlmSettings

_FILE = "reports.jsonl"


class _Kept(msgspec.Struct, frozen=True):
    key: str
    report: Report


def key_of(lines: Lines, settings: LlmSettings) -> str:
    """Of a report: what the model was told, and which model it was."""
    return digest("report", str(prompt.VERSION), settings.model, lines.text)


def read_reports(folder: Path | None) -> dict[str, Report]:
    """Reports by key; none where there is no such folder or file."""
    if folder is None or not (folder / _FILE).exists():
        return {}
    kept = msgspec.json.Decoder(_Kept)
    lines = (folder / _FILE).read_bytes().splitlines()
    return {one.key: one.report for one in map(kept.decode, lines)}


def write_reports(folder: Path, reports: Mapping[str, Report]) -> None:
    """What `read_reports` reads, by key."""
    lines = [msgspec.json.encode(_Kept(key, reports[key])) + b"\n" for key in sorted(reports)]
    (folder / _FILE).write_bytes(b"".join(lines))
