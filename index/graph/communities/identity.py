"""Ids that stay with their members from one generation to the next."""

from collections import Counter
from collections.abc import Sequence

from index.graph.communities.records import SHOWN, Community
from kb.digest import digest


def identify(groups: Sequence[frozenset[str]], before: Sequence[Community]) -> list[str]:
    """An id for each group of node ids.

    A group takes over the id of the community before that it shares most members with, by Jaccard's
    measure, where more than half of either are shared; each id goes to one group at most. Any other has
    one made from its members. Ids differ in the digits that are shown.
    """
    ids: dict[int, str] = {}
    taken: set[str] = set()
    for _, old, new in sorted(_alike(groups, before)):
        if new not in ids and before[old].id[:SHOWN] not in taken:
            ids[new] = before[old].id
            taken.add(before[old].id[:SHOWN])
    for new, members in enumerate(groups):
        if new not in ids:
            ids[new] = _fresh(members, taken)
            taken.add(ids[new][:SHOWN])
    return [ids[new] for new in range(len(groups))]


def _alike(
    groups: Sequence[frozenset[str]], before: Sequence[Community]
) -> list[tuple[float, int, int]]:
    """(Jaccard distance, community before, group) of each pair that shares enough."""
    having: dict[str, list[int]] = {}
    for old, community in enumerate(before):
        for member in community.members:
            having.setdefault(member, []).append(old)
    found = []
    for new, members in enumerate(groups):
        shared = Counter(old for member in members for old in having.get(member, ()))
        for old, count in shared.items():
            sizes = len(members), len(before[old].members)
            if 2 * count > max(sizes):
                found.append((1 - count / (sum(sizes) - count), old, new))
    return found


def _fresh(members: frozenset[str], taken: set[str]) -> str:
    salt = 0
    while (made := digest("community", str(salt), *sorted(members))[:16])[:SHOWN] in taken:
        salt += 1
    return made
