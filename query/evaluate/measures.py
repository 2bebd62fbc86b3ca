"""The measures by their names: ``hit@10``, ``recall@10``, ``mrr@10``, ``ndcg@10``, ``failure@20``.

``hit@k`` asks whether any of what is relevant is among the first k, ``recall@k`` how much of it is.
``failure@k`` is 1 - ``hit@k``. ``context_precision`` is the share of the tokens of the hits shown that
carry evidence.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self, cast, get_args

from kb.errors import UsageError
from query.evaluate.judge import Found
from query.evaluate.metrics import gains_mrr, gains_ndcg

Name = Literal["hit", "recall", "mrr", "ndcg", "failure", "context_precision"]
FAILURE_AT = 20
DEEPEST = 10_000
_NAMES = get_args(Name)
_ALSO = {"success": "hit", "rr": "mrr", "r": "recall", "context-precision": "context_precision"}
_SHOWN = {"mrr": "MRR", "ndcg": "nDCG", "context_precision": "context precision"}


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """A measure and how many ranks it looks at."""

    name: Name
    k: int = 0  # 0: of those that are shown

    def __str__(self) -> str:
        return f"{self.name}@{self.k}" if self.k else self.name

    @property
    def shown(self) -> str:
        """As people write it: ``nDCG@10``."""
        name = _SHOWN.get(self.name, self.name)
        return f"{name}@{self.k}" if self.k else name

    @property
    def falls(self) -> bool:
        """Whether less of it is better."""
        return self.name == "failure"

    @classmethod
    def read(cls, text: str) -> Self:
        """``recall@10``; ``failure`` alone is at 20.

        Raises:
            UsageError: there is no such measure.
        """
        name, at, cutoff = text.strip().lower().partition("@")
        name = _ALSO.get(name, name)
        if name == "failure" and not at:
            cutoff = str(FAILURE_AT)
        alone = name == "context_precision"
        is_cutoff = cutoff.isascii() and cutoff.isdigit() and 0 < int(cutoff) <= DEEPEST
        if name not in _NAMES or (bool(at) if alone else not is_cutoff):
            raise UsageError(
                f"no measure {text!r}: there are hit@K, recall@K, mrr@K, ndcg@K, failure@K "
                "(e.g. recall@10) and context_precision"
            )
        return cls(cast("Name", name), 0 if alone else int(cutoff))

    def of(self, found: Found, grades: list[int]) -> float:
        """Its value, from 0 to 1, for one question with at least one judgement."""
        gains = found.gains[: self.k]
        match self.name:
            case "hit":
                return float(any(gains))
            case "failure":
                return 1.0 - float(any(gains))
            case "recall":
                return sum(rank is not None and rank <= self.k for rank in found.ranks) / len(
                    grades
                )
            case "mrr":
                return gains_mrr(gains)
            case "ndcg":
                return gains_ndcg(gains, grades, self.k)
            case "context_precision":
                raise ValueError("it needs the hits: see query.evaluate.precision")


def usual(cutoffs: Iterable[int]) -> list[Measure]:
    """What a run measures unless it is told otherwise."""
    ks = sorted(set(cutoffs))
    names: tuple[Name, ...] = ("hit", "recall", "mrr", "ndcg")
    found = [Measure(name, k) for name in names for k in ks]
    return [*found, Measure("failure", FAILURE_AT), Measure("context_precision")]


def depth(measures: Iterable[Measure]) -> int:
    """How many ranks they look at."""
    return max((measure.k for measure in measures), default=1)
