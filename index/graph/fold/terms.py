"""Which of the phrases that the rules find are terms: those that are said more than once."""

from collections import Counter
from collections.abc import Iterable

from index.graph.extract.phrases import TYPE
from index.graph.names import name_key
from index.graph.records import Extraction, RawEntity

_TWICE = 2  # as a whole phrase
_ROWS = 2  # chunks


class Terms:
    """Settles phrases: "father thought" is "father" where "the father" is said elsewhere."""

    def __init__(self, extractions: Iterable[Extraction]) -> None:
        self._said: Counter[str] = Counter()
        self._rows: Counter[str] = Counter()
        for extraction in extractions:
            here: dict[str, int] = {}
            for one in extraction.entities:
                if one.type == TYPE:
                    here[one.name.lower()] = here.get(one.name.lower(), 0) + len(one.spans)
            self._said.update(here)
            self._rows.update(here.keys())

    def settle(self, entity: RawEntity) -> RawEntity | None:
        """The entity under the longest beginning of its phrase that is a term; None where none is."""
        if entity.type != TYPE:
            return entity
        words = entity.name.split(" ")
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count])
            if self._is_term(name.lower()):
                spans = tuple((start, start + len(name)) for start, _ in entity.spans)
                return RawEntity(name, TYPE, "", spans, entity.strength)
        return None

    def _is_term(self, name: str) -> bool:
        return self._said[name] >= _TWICE and self._rows[name] >= _ROWS and len(name_key(name)) > 2
