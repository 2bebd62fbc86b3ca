"""Which hits are what was asked for: judgements by document, by chunk, or by span of characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from kb.errors import UsageError
from kb.records import Chunk, Hit
from query.evaluate.metrics import gains_mrr, gains_ndcg

_SHARE = 0.5  # of a span, that a hit has to cover


class Target(Struct, frozen=True, forbid_unknown_fields=True):
    """What a good answer holds: a document, a chunk, or the characters ``span[0]:span[1]`` of a document."""

    path: str = ""
    chunk: str = ""  # an id
    span: tuple[int, int] | None = None
    grade: Annotated[int, Meta(ge=1)] = 1

    def is_met(self, chunk: Chunk) -> bool:
        """Whether a hit holds it; of a span, at least half."""
        if self.chunk:
            return chunk.id == self.chunk
        if chunk.path != self.path:
            return False
        if self.span is None:
            return True
        start, end = self.span
        return min(end, chunk.end) - max(start, chunk.start) >= _SHARE * (end - start)


def read_targets(value: Any) -> tuple[Target, ...]:
    """The judgements of one question.

    Args:
        value: of JSON: a list of paths, or of objects ``{"path"}``, ``{"path", "span"}`` or
            ``{"chunk"}``, each with a ``grade`` (1 by default); or grades by path. Grades under 1
            are left out.

    Raises:
        UsageError: it is something else.
    """
    given = value
    if isinstance(value, dict):
        given = [{"path": path, "grade": grade} for path, grade in value.items() if grade != 0]
    if not isinstance(given, list):
        raise UsageError(f"relevant is a list, or grades by path, not {value!r}")
    return tuple(_target(item) for item in given)


def _target(item: Any) -> Target:
    try:
        target = msgspec.convert({"path": item} if isinstance(item, str) else item, Target)
    except msgspec.ValidationError as error:
        raise UsageError(f"relevant: {str(error).replace('`$.', '`')}, in {item!r}") from error
    if bool(target.path) == bool(target.chunk) or (target.span and not target.path):
        raise UsageError(
            f"relevant: write a path, a path and a span of characters, or a chunk, not {item!r}"
        )
    if target.span and not 0 <= target.span[0] < target.span[1]:
        raise UsageError(f"relevant: a span is [first, one behind the last], not {item!r}")
    return target


@dataclass(frozen=True, slots=True)
class Measures:
    """Of one question, on its first k hits; each from 0 to 1."""

    ndcg: float
    mrr: float
    recall: float
    success: float  # 1: there is a hit that holds something relevant


@dataclass(frozen=True, slots=True)
class Found:
    """What a ranking holds of what is relevant."""

    gains: tuple[float, ...]  # that each rank brings
    ranks: tuple[
        int | None, ...
    ]  # of the first one that holds each target, from 1; None: none does


def find(chunks: Sequence[Chunk], targets: Sequence[Target]) -> Found:
    """Where targets stand in a ranking, best first. Each counts once, at the first rank that holds it."""
    ranks: list[int | None] = [None] * len(targets)
    gains = [0.0] * len(chunks)
    for place, chunk in enumerate(chunks):
        for number, target in enumerate(targets):
            if ranks[number] is None and target.is_met(chunk):
                ranks[number] = place + 1
                gains[place] += target.grade
        if None not in ranks:
            break
    return Found(tuple(gains), tuple(ranks))


def of_documents(targets: Sequence[Target]) -> bool:
    """Whether ranks count documents: no target is less than one."""
    return all(target.path and not target.span for target in targets)


def best_of_documents(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The first chunk of each document, in order."""
    first: dict[str, Chunk] = {}
    for chunk in chunks:
        first.setdefault(chunk.path, chunk)
    return list(first.values())


def measure(hits: Sequence[Hit], targets: Sequence[Target], k: int) -> Measures:
    """How well hits, best first, answer a question with at least one judgement.

    Where all targets are documents, ranks count documents.
    """
    chunks = [hit.chunk for hit in hits]
    if of_documents(targets):
        chunks = best_of_documents(chunks)
    found = find(chunks[:k], targets)
    return Measures(
        ndcg=gains_ndcg(found.gains, [target.grade for target in targets], k),
        mrr=gains_mrr(found.gains),
        recall=sum(rank is not None for rank in found.ranks) / len(targets),
        success=float(any(found.gains)),
    )
