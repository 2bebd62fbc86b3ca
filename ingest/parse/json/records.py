"""Groups the leaves of a JSON value into records and writes each as lines of ``path: value``."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ingest.parse.json.leaves import Leaf, Path

MAX_HEADING = 120  # characters


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields, as dotted paths in a record, hold its text and its title; ``""`` for none."""

    text: str
    title: str


@dataclass(slots=True)
class Record:
    """Consecutive leaves that belong together."""

    path: Path
    leaves: list[Leaf] = field(default_factory=list)

    @property
    def span(self) -> tuple[int, int]:
        """Where it lies in the source."""
        return self.leaves[0].start, self.leaves[-1].end

    def written(self, fields: Fields) -> tuple[str, str, tuple[str, ...]]:
        """Its title, its text, and the keys that lead to it.

        The text field comes first, without its name; empty values are left out.
        """
        first: list[str] = []
        rest: list[str] = []
        title = ""
        for name, values in _named(self):
            value = ", ".join(values) if all("\n" not in v for v in values) else "\n".join(values)
            if name == fields.text:
                first.append(value)
            elif name == fields.title and not title:
                title = " ".join(value.split())
            else:
                rest.append(f"{name}: {value}" if name else value)
        keys = (step for step in self.path if isinstance(step, str) and step.strip())
        path = tuple(" ".join(key.split())[:MAX_HEADING] for key in keys)
        return title, "\n".join([*first, *rest]), path


def _named(record: Record) -> Iterator[tuple[str, list[str]]]:
    """Dotted names below the record with their values; the items of a list share one."""
    depth = len(record.path)
    keyed = ((_dotted(leaf.path[depth:]), leaf.value) for leaf in record.leaves)
    for name, group in groupby(keyed, key=lambda pair: pair[0]):
        values = [value.strip() for _, value in group if value.strip()]
        if values:
            yield name, values


def _dotted(path: Path) -> str:
    """``("address", "phones", 0)`` gives ``address.phones``; numbers inside a path stay."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return ".".join(str(step + 1) if isinstance(step, int) else step.strip() for step in path)


def records(found: Iterable[Leaf], whole: bool) -> Iterator[Record]:
    """The records of one value: the items of its outermost list of containers, else its members.

    Members that are plain values stay together. `whole`: the value is one record.
    """
    for path, group in groupby(found, key=lambda leaf: () if whole else _record_path(leaf.path)):
        yield Record(path, list(group))


def _record_path(path: Path) -> Path:
    for at, step in enumerate(path[:-1]):
        if isinstance(step, int):
            return path[: at + 1]
    if len(path) > 1 and not _plain_list(path):
        return path[:1]
    return ()


def _plain_list(path: Path) -> bool:
    return len(path) == 2 and isinstance(path[1], int)
