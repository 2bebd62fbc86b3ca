"""How much of what is shown is evidence: what a reader, or an LLM that is billed by the token, gets."""

from collections.abc import Sequence

from kb.records import Chunk
from query.evaluate.judge import Target


def context_precision(shown: Sequence[Chunk], targets: Sequence[Target]) -> float:
    """Share of the shown tokens that carry evidence, 0 where nothing is shown.

    A chunk's tokens are spread evenly over its characters. Of a span the characters inside it count, of
    a judged chunk or document all of it; what two targets name counts once.
    """
    total = sum(_tokens(chunk) for chunk in shown)
    if not total:
        return 0.0
    return sum(_tokens(chunk) * _evidence(chunk, targets) for chunk in shown) / total


def _tokens(chunk: Chunk) -> int:
    return chunk.tokens or len(chunk.text)


def _evidence(chunk: Chunk, targets: Sequence[Target]) -> float:
    """Share of a chunk's characters."""
    spans = []
    for target in targets:
        if target.span is None:
            if target.is_met(chunk):
                return 1.0
        elif target.path == chunk.path:
            start, end = max(target.span[0], chunk.start), min(target.span[1], chunk.end)
            if start < end:
                spans.append((start, end))
    covered, reached = 0, chunk.start
    for start, end in sorted(spans):
        covered += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return covered / max(chunk.end - chunk.start, 1)
