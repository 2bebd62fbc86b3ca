"""What kind of thing a name's own words say that it is."""

from collections.abc import Sequence

from index.graph.extract.found import Word
from index.graph.extract.words import EVENTS, ORGANIZATIONS, PLACES
from index.graph.names import TITLES

_HEADED = ((ORGANIZATIONS, "organization"), (PLACES, "place"), (EVENTS, "event"))


def type_of(run: Sequence[Word]) -> str:
    """person, organization, place or event; "" where its words do not tell.

    In English the head comes last (Columbia River), in Spanish first (río Columbia).
    """
    if len(run) > 1 and run[0].folded in TITLES:
        return "person"
    for word in (run[-1], run[0]):
        for words, kind in _HEADED:
            if len(run) > 1 and word.folded in words:
                return kind
    return ""
