"""What a card is to count, read from the settings and checked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import regex

from index.where import Node, parse
from index.where.values import fold
from kb.dates import read_day
from kb.errors import UsageError
from kb.settings import CardsSettings, CountSettings

TODAY = "today"
MOST_FIELDS = 4
_SECONDS = 10.0  # for a pattern to find its next match, and one more for each million characters


@dataclass(frozen=True, slots=True)
class Definition:
    """One entry of ``cards.counts``, ready to be used."""

    settings: CountSettings
    fields: tuple[str, ...]  # that are grouped by, as written
    where: tuple[Node, ...]
    pattern: regex.Pattern[str] | None
    day: date | None  # whose truth is counted; None: what holds without an end

    @property
    def name(self) -> str:
        """Of the card's path, ``card:NAME``."""
        return self.settings.name

    @property
    def extracted(self) -> frozenset[str]:
        """Names of the fields that the pattern finds, folded."""
        return frozenset(map(fold, self.pattern.groupindex)) if self.pattern else frozenset()

    def matches(self, text: str, path: str) -> Iterator[regex.Match[str]]:
        """What the pattern finds in the text of a document; nothing where there is none.

        Raises:
            UsageError: it takes too long.
        """
        if self.pattern is None:
            return
        seconds = _SECONDS + len(text) / 1e6
        try:
            yield from self.pattern.finditer(text, timeout=seconds)
        except TimeoutError as error:
            raise UsageError(
                f"card {self.name}: extract {self.settings.extract!r} takes over {seconds:.0f} s on "
                f"{path}: repeated choices that overlap, as in (a|aa)+, can take for ever; write "
                f"another, or remove the card (tesela summarize --remove {self.name})"
            ) from error


def definitions(settings: CardsSettings) -> list[Definition]:
    """All of them, in the settings' order.

    Raises:
        UsageError: one cannot be read, or two have one name.
    """
    found = [definition(one) for one in settings.counts]
    seen: set[str] = set()
    for name in (one.name for one in found):
        if fold(name) in seen:
            raise UsageError(f"cards.counts: two are named {name!r}: give each a name of its own")
        seen.add(fold(name))
    return found


def definition(settings: CountSettings) -> Definition:
    """One of them.

    Raises:
        UsageError: it says what cannot be read.
    """
    try:
        pattern = _pattern(settings)
        return Definition(
            settings,
            _fields(settings, pattern),
            tuple(parse(condition) for condition in settings.where),
            pattern,
            _day(settings.as_of),
        )
    except UsageError as error:
        raise UsageError(f"card {settings.name!r}: {error}") from error


def _fields(settings: CountSettings, pattern: regex.Pattern[str] | None) -> tuple[str, ...]:
    fields: Sequence[str] = settings.group_by or tuple(pattern.groupindex if pattern else ())
    if not fields:
        raise UsageError("nothing to group by: name a field (--group-by, group_by)")
    if len(fields) > MOST_FIELDS:
        raise UsageError(f"{len(fields)} fields to group by: name {MOST_FIELDS} at most")
    twice = [name for n, name in enumerate(fields) if fold(name) in map(fold, fields[:n])]
    if twice:
        raise UsageError(f"{twice[0]!r} is named twice to group by: name it once")
    return tuple(fields)


def _pattern(settings: CountSettings) -> regex.Pattern[str] | None:
    if not settings.extract:
        if settings.of == "matches":
            raise UsageError("matches of what? Give a regular expression (--extract, extract)")
        return None
    if settings.of == "records":
        raise UsageError("records have fields of their own: leave extract out, or count documents")
    try:
        pattern = regex.compile(settings.extract, regex.MULTILINE)
    except regex.error as error:
        raise UsageError(
            f"extract {settings.extract!r} is no regular expression: {error}"
        ) from error
    if not pattern.groupindex:
        raise UsageError(
            f"extract {settings.extract!r} names nothing that it takes: write (?P<value>…)"
        )
    return pattern


def _day(as_of: str) -> date | None:
    if not as_of:
        return None
    day = date.today() if as_of == TODAY else read_day(as_of)
    if day is None:
        raise UsageError(f"as_of {as_of!r}: write a day, e.g. 2024-06-01, or {TODAY}")
    return day
