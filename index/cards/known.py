"""Which fields there are, for whoever named one that is not."""

from collections import Counter
from collections.abc import Iterator

from index.cards.definition import Definition
from index.cards.fields import OWN
from index.cards.units import Base
from index.where.values import fold

_MOST = 20  # that are named
_LOOKED_AT = 10_000  # records


def known_fields(definition: Definition, base: Base) -> list[str]:
    """The fields that what is counted has, the most frequent first; then those that all have."""
    found: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for name in _names(definition, base):
        found[fold(name)] += 1
        spelled.setdefault(fold(name), name)
    order = sorted(found, key=lambda name: (-found[name], name))[:_MOST]
    return [spelled[name] for name in order] + [name for name in OWN if name not in found]


def _names(definition: Definition, base: Base) -> Iterator[str]:
    if definition.pattern is not None:
        yield from definition.pattern.groupindex
    if definition.settings.of == "records":
        yield from base.record_fields(_LOOKED_AT)
    for entry in base.table.documents:
        yield from entry.about.metadata
