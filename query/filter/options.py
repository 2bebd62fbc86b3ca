"""What a question may be narrowed to, as options."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from index.where.values import fold
from ingest.about import plain_label
from kb.dates import Days, read_days
from kb.errors import UsageError
from kb.settings import AclSettings


@dataclass(frozen=True, slots=True)
class Filter:
    """Options as the user gives them.

    Values of one option widen it (any of them is enough), options narrow each other. The first value
    of `where` and all the others have to hold. The empty filter still leaves out what nobody asked for
    by name: what is expired, superseded or not yet valid, and what `principal` may not read.
    """

    paths: tuple[str, ...] = ()  # globs as in a .gitignore; with ! in front: left out
    tags: tuple[str, ...] = ()  # of the front matter or the source
    types: tuple[str, ...] = ()  # suffix or parser: md, html, pdf
    languages: tuple[str, ...] = ()  # of the chunk: es, en
    since: str = ""  # a date, month or year, inside
    until: str = ""
    where: tuple[str, ...] = ()  # conditions, see `index.where`
    as_of: str = ""  # the day whose truth is asked for; "": today
    include_expired: bool = False
    principal: tuple[str, ...] = ()  # labels that whoever asks has
    acl: AclSettings = field(default_factory=AclSettings)

    def __post_init__(self) -> None:
        if not self.as_of:  # fixed once, so that all of a run looks at one day
            object.__setattr__(self, "as_of", date.today().isoformat())

    @property
    def day(self) -> date:
        """The day of `as_of`.

        Raises:
            UsageError: it is no day.
        """
        days = read_days(self.as_of)
        if days is None or days.first != days.last:
            raise UsageError(f"--as-of {self.as_of!r}: write a day, e.g. 2024-06-01")
        return days.first

    @property
    def narrows(self) -> dict[str, Any]:
        """What was asked for beyond the default, by the name of its option."""
        names = {
            "path": self.paths,
            "tag": self.tags,
            "type": self.types,
            "language": self.languages,
            "since": self.since,
            "until": self.until,
            "where": self.where,
        }
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in names.items()
            if value
        }

    def described(self) -> str:
        """``--tag report --since 2024``; "" where nothing is narrowed."""
        return " ".join(
            f"--{name} {value}"
            for name, values in self.narrows.items()
            for value in (values if isinstance(values, list) else [values])
        )


def principal_of(text: str | None) -> tuple[str, ...]:
    """Labels between commas: ``user:ana,group:hr``."""
    labels = (plain_label(label) for label in (text or "").split(","))
    return tuple(dict.fromkeys(label for label in labels if label))


def date_option(name: str, text: str) -> Days | None:
    """The days that ``--since`` or ``--until`` names, None where it names none.

    Raises:
        UsageError: it cannot be read.
    """
    if not text:
        return None
    days = read_days(text)
    if days is None:
        raise UsageError(f"--{name} {text!r}: write a date, e.g. 2024-06-01, 2024-06 or 2024")
    return days


def folded(values: Iterable[str]) -> frozenset[str]:
    """Words as options compare them: without blanks around, case left aside."""
    return frozenset(fold(value.strip()) for value in values)
