"""How alike two rankings are, where nobody has judged them."""

from collections.abc import Sequence
from itertools import accumulate

PERSISTENCE = 0.9


def overlap(a: Sequence[str], b: Sequence[str], k: int) -> float:
    """Share of the first k that both have, whatever their order; 1 where both are empty.

    Of the longer one, where there are fewer than k.
    """
    first, second = set(a[:k]), set(b[:k])
    longest = max(len(first), len(second))
    return len(first & second) / longest if longest else 1.0


def rbo(a: Sequence[str], b: Sequence[str], p: float = PERSISTENCE) -> float:
    """Rank-biased overlap, extrapolated: 0 (nothing in common) to 1 (the same order).

    RBO_ext of Webber, Moffat and Zobel (2010), equation 32: the agreement at each depth d, weighted by
    p**d, as if the lists went on as they end. The first ten ranks have 86 % of the weight at p = 0.9.

    Args:
        a: names without repeats, best first.
        b: the other's; may be of another length.
        p: how likely a reader goes on from one rank to the next, between 0 and 1.
    """
    short, long = sorted((a, b), key=len)
    if not short:
        return 0.0 if long else 1.0
    s, length = len(short), len(long)
    common = list(accumulate(_new_in_common(short, long)))
    at_s, at_end = common[s - 1], common[-1]
    agreed = sum(x / d * p**d for d, x in enumerate(common, 1))
    agreed += sum(at_s * (d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
    return (1 - p) / p * agreed + ((at_end - at_s) / length + at_s / s) * p**length


def _new_in_common(short: Sequence[str], long: Sequence[str]) -> list[int]:
    """How many names both have at each depth of the longer list that they had not before."""
    found = []
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    for depth, name in enumerate(long):
        before = len(seen_short & seen_long)
        seen_long.add(name)
        seen_short.update(short[depth : depth + 1])
        found.append(len(seen_short & seen_long) - before)
    return found
