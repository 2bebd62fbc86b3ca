"""Which hits of two variants are the same passage."""

from collections.abc import Sequence

from kb.records import Chunk, Hit

_SHARE = 0.5  # of the shorter passage


def pairs(a: Sequence[Hit], b: Sequence[Hit]) -> dict[int, int]:
    """For places in `b`, the place in `a` of the same passage; each is in one pair at most.

    The same passage is the same chunk, or else the one of the same file that shares the most
    characters, at least half of the shorter: chunks of other sizes have other ids.
    """
    ids = {hit.chunk.id: place for place, hit in enumerate(a)}
    found = {place: ids[hit.chunk.id] for place, hit in enumerate(b) if hit.chunk.id in ids}
    taken = set(found.values())
    for place, hit in enumerate(b):
        if place in found:
            continue
        shared = [
            (_shared(other.chunk, hit.chunk), -at) for at, other in enumerate(a) if at not in taken
        ]
        most, at = max(shared, default=(0.0, 0))
        if most >= _SHARE:
            found[place] = -at
            taken.add(-at)
    return found


def _shared(one: Chunk, other: Chunk) -> float:
    """Characters that both have, as a share of the shorter."""
    if one.path != other.path:
        return 0.0
    common = min(one.end, other.end) - max(one.start, other.start)
    return common / max(min(one.end - one.start, other.end - other.start), 1)
