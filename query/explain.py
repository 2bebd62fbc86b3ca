"""Why a chunk is where it is: parts that add up to its scores."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from index.lexical.reader import Bm25Index, TermPart
from index.reader import GenerationReader
from kb.records import Hit
from query.question import Question


def explain(
    hit: Hit,
    reader: GenerationReader,
    question: Question,
    row: int,
    pruned: Mapping[str, object] | None = None,
    linked: Mapping[str, str] | None = None,
) -> Hit:
    """The hit with its trail.

    Each word's part of BM25 (they sum to the sparse score), cosine and language gap (they sum to the
    dense score), and the fused score that the legs' shares in `Hit.fusion` sum to.
    """
    parts: dict[str, object] = {"context": hit.chunk.context}
    if "sparse" in hit.legs:
        parts["sparse"] = msgspec.to_builtins(_words(reader.bm25, question, row))
    if "dense" in hit.legs:
        foreign = question.foreign(reader)
        gap = question.language_gap if foreign is not None and foreign[row] else 0.0
        parts["dense"] = {
            "cosine": hit.legs["dense"].score - gap,
            "language_gap": gap,
            "model": reader.manifest.embedder,
        }
    parts["fused_score"] = sum(hit.fusion.values())
    if linked:
        parts["links"] = linked
    if pruned is not None:
        parts["prune"] = pruned
    return replace(hit, explain=parts | _asked(question))


def _words(bm25: Bm25Index, question: Question, row: int) -> list[TermPart]:
    parts = bm25.explain(question.asked.lexical, row)
    if parts or question.held is None:
        return parts
    return [bm25.explain_row(" ".join(question.asked.phrases), row, len(question.held))]


def _asked(question: Question) -> dict[str, object]:
    asked = question.asked
    parts: dict[str, object] = {}
    if question.route is not None and question.route.reason:
        parts["route"] = {"mode": question.route.mode, "reason": question.route.reason}
    if asked.phrases or asked.excluded:
        parts["operators"] = {
            "phrases": list(asked.phrases),
            "excluded": list(asked.excluded),
            "phrases_bind": asked.binding,
        }
    if question.further:
        parts["further"] = {sub.name: sub.says for sub in question.further}
    if asked.subqueries:
        parts["read"] = {"sparse": asked.lexical, "dense": asked.semantic, "rerank": asked.text}
    return parts
