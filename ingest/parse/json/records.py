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

    def written(self, fields: Fields) -> tuple[str, tuple[str, ...]]:
        """Its text, and the headings above it: the keys that lead to it, and its title.

        The text field comes first, without its name; empty values are left out.
        """
        first: list[str] = []
        rest: list[str] = []
        title = ""
        for name, values in _named(self):
            value = ", ".join(values) if all("\n" not in v for v in values) else "\n".join(values)
            if name == fields.text:
                first.append(value)
                continue
            if name == fields.title:
                title = title or " ".join(value.split())[:MAX_HEADING]
            rest.append(f"{name}: {value}" if name else value)
        keys = [step for step in self.path if isinstance(step, str) and step.strip()]
        heading = (*(" ".join(key.split())[:MAX_HEADING] for key in keys), *filter(None, [title]))
        return "\n".join(_title_first(first, rest, fields)), heading


def _title_first(first: list[str], rest: list[str], fields: Fields) -> list[str]:
    """Title, text, and then the others."""
    titles = [line for line in rest if fields.title and line.startswith(f"{fields.title}: ")]
    others = [line for line in rest if line not in titles] if titles else rest
    return [*titles, *first, *others]


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
