"""What kind of thing a name's own words say that it is."""

from collections.abc import Sequence

from index.graph.extract.found import Word
from index.graph.extract.words import EVENTS, ORGANIZATIONS, PLACES, WORKS
from index.graph.names import TITLES
from index.graph.people import GIVEN

_MOST_WORDS = 4  # of a person's name
_HEADED = ((ORGANIZATIONS, "organization"), (PLACES, "place"), (EVENTS, "event"))


def type_of(run: Sequence[Word]) -> str:
    """person, organization, place, event or work; "" where its words do not tell.

    In English the head comes last (Columbia River), in Spanish first (río Columbia).
    """
    if len(run) == 1:
        return ""
    if run[0].folded in TITLES:
        return "person"
    if run[-1].folded in WORKS:
        return "work"
    for word in (run[-1], run[0]):
        for words, kind in _HEADED:
            if word.folded in words:
                return kind
    return "person" if run[0].folded in GIVEN and len(run) <= _MOST_WORDS else ""
