"""What keeps rows from answering at all: options that narrow, the day, operators of the question."""

from dataclasses import dataclass, replace

import numpy as np
from msgspec.structs import replace as with_settings
from numpy.typing import NDArray

from index.reader import GenerationReader
from index.validity import validities
from query.filter import Filter, rows
from query.retrieve import MODES
from query.why_not.runs import Run, Way
from query.why_not.verdict import Step

Rows = NDArray[np.int64]
_STATES = {
    "expired": "it had expired",
    "superseded": "a document that is valid supersedes it",
    "future": "it was not yet valid",
}


@dataclass(frozen=True, slots=True)
class KeptOut:
    """The step, in words, and the ways to ask that would let it through, with their names."""

    step: Step
    reason: str
    ways: list[tuple[str, Way]]


def by_filter(reader: GenerationReader, way: Way, targets: Rows) -> KeptOut | None:
    """Options or the day keep all of the targets out; None where they do not."""
    if _passes(reader, way.filter, targets):
        return None
    narrow = [name for name in way.filter.narrows if not _passes(reader, _only(way, name), targets)]
    everyone = _without(way.filter, list(way.filter.narrows))
    if _passes(reader, everyone, targets):
        narrow = narrow or list(way.filter.narrows)  # they leave nothing only together
        return _by_options(way, narrow)
    expired = _by_day(reader, way, targets)
    if not narrow:
        return expired
    both = _by_options(expired.ways[0][1], narrow)
    (text, open_way) = both.ways[0]
    return KeptOut(
        "filter",
        f"{both.reason}; and {expired.reason}",
        [(f"{text}, with --include-expired", open_way)],
    )


def by_operator(run: Run, way: Way, targets: Rows) -> KeptOut | None:
    """A phrase or an exclusion keeps all of the targets out of every leg; None where not."""
    count = len(run.reader)
    for leg in MODES[run.settings.mode]:
        allowed = run.question.allowed(leg, run.live, count)
        if allowed is None or allowed[targets].any():
            return None
    plain = Way(with_settings(way.settings, operators=False), way.filter, way.wanted)
    ways = [("--set query.operators=false", plain)]
    kept, asked = run.question.kept, run.asked
    if kept is not None and not kept[targets].any():
        words = ", ".join(f"-{text}" for text in asked.excluded)
        return KeptOut("operator", f"it holds what the question leaves out ({words})", ways)
    phrases = " and ".join(f'"{text}"' for text in asked.phrases)
    return KeptOut("operator", f"it does not hold {phrases} word for word", ways)


def _by_options(way: Way, names: list[str]) -> KeptOut:
    given = _only(way, *names).described()
    plural = "exclude" if len(names) > 1 else "excludes"
    ways = [(f"without {given}", replace(way, filter=_without(way.filter, names)))]
    return KeptOut("filter", f"{given} {plural} it", ways)


def _by_day(reader: GenerationReader, way: Way, targets: Rows) -> KeptOut:
    documents = reader.chunks.documents
    states = validities(documents, way.filter.day)
    firsts = np.asarray([document.first for document in documents])
    state = states[int(np.searchsorted(firsts, targets[0], side="right")) - 1]
    reason = f"on {way.filter.as_of} {_STATES.get(state, 'it was not valid')}"
    settings = with_settings(way.settings, include_expired=True)
    opened = Way(settings, replace(way.filter, include_expired=True), way.wanted)
    return KeptOut("validity", reason, [("--include-expired", opened)])


def _passes(reader: GenerationReader, filter: Filter, targets: Rows) -> bool:
    mask = rows(reader, filter)
    return mask is None or bool(mask[targets].any())


def _only(way: Way, *names: str) -> Filter:
    """The filter with these of its narrowing options only, on any day."""
    others = [name for name in way.filter.narrows if name not in names]
    return replace(_without(way.filter, others), include_expired=True)


def _without(filter: Filter, names: list[str]) -> Filter:
    """The filter without some of its narrowing options."""
    return replace(
        filter,
        paths=() if "path" in names else filter.paths,
        tags=() if "tag" in names else filter.tags,
        types=() if "type" in names else filter.types,
        languages=() if "language" in names else filter.languages,
        where=() if "where" in names else filter.where,
        since="" if "since" in names else filter.since,
        until="" if "until" in names else filter.until,
    )
