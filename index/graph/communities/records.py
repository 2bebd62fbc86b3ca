"""What is kept of a community."""

from pathlib import Path

import msgspec

FILE = "communities.jsonl"
SHOWN = 8  # digits of an id that paths have


class Community(msgspec.Struct, frozen=True):
    """Entities that have more to do with each other than with the rest."""

    id: str  # stays with its members while the graph changes a little; 16 hex digits
    level: int  # 1: it holds no smaller one
    parent: str  # the id of the next larger one; "" where there is none
    members: tuple[str, ...]  # ids of nodes, most central first
    title: str
    report: str  # id of the chunk; "" where there is none: only one passage speaks of it

    @property
    def path(self) -> str:
        """Of its report, as a chunk."""
        return f"community:{self.id[:SHOWN]}"


def write_communities(folder: Path, communities: list[Community]) -> None:
    """One a line."""
    lines = [msgspec.json.encode(one) + b"\n" for one in communities]
    (folder / FILE).write_bytes(b"".join(lines))


def read_communities(folder: Path) -> list[Community]:
    """What `write_communities` wrote; none where it wrote nothing."""
    try:
        lines = (folder / FILE).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return [msgspec.json.decode(line, type=Community) for line in lines]
