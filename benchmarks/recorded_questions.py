"""Questions on the recorded texts, and how well what is shown for them serves."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.models.embedder import Tokenizer
from kb.records import Chunk, Hit

BUDGET = 1500  # tokens shown for a question
Span = tuple[int, int]


@dataclass(frozen=True)
class Asked:
    """A question with what an answer needs."""

    text: str
    kind: str  # local, multi-hop, global
    must_mention: list[list[str]]  # of each item its alternatives, folded
    evidence: list[list[Span]]  # of each item its places; a passage may stand twice


def questions(folder: Path) -> list[Asked]:
    """The answerable questions of a recorded text."""
    text = (folder / "text.txt").read_text(encoding="utf-8")
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [
        Asked(
            record["question"],
            record["kind"],
            [[one.casefold() for one in item.split("|")] for item in record["must_mention"]],
            _alike(text, record["evidence"]),
        )
        for record in records
        if record["evidence"]
    ]


def _alike(text: str, spans: Sequence[Sequence[int]]) -> list[list[Span]]:
    groups: dict[str, list[Span]] = defaultdict(list)
    for start, end in spans:
        groups[" ".join(text[start:end].split())].append((start, end))
    return list(groups.values())


def shown(hits: Sequence[Hit], tokenizer: Tokenizer, budget: int = BUDGET) -> list[tuple[Hit, str]]:
    """The hits that fit into a budget of tokens, with their texts; the last one is cut where it ends."""
    found, left = [], budget
    for hit in hits:
        bounds = tokenizer.offsets(hit.chunk.text)
        if left <= 0:
            break
        text = hit.chunk.text if len(bounds) <= left else hit.chunk.text[: int(bounds[left - 1][1])]
        left -= len(bounds)
        found.append((hit, text))
    return found


def mentioned(asked: Asked, texts: Sequence[str]) -> float:
    """Share of what must be mentioned that is, by any alternative and without regard to case."""
    whole = "\n".join(texts).casefold()
    items = asked.must_mention
    return sum(any(one in whole for one in item) for item in items) / len(items) if items else 1.0


def evidenced(asked: Asked, chunks: Sequence[Chunk], leaves: dict[str, Chunk]) -> float:
    """Share of the evidence of which at least half is in a chunk, or in a leaf that one stands on."""
    spans = [
        (leaf.start, leaf.end)
        for chunk in chunks
        for leaf in ([chunk] if chunk.kind == "text" else [leaves[i] for i in chunk.leaves])
    ]
    found = sum(
        any(2 * (min(end, e) - max(start, s)) >= e - s for start, end in spans for s, e in places)
        for places in asked.evidence
    )
    return found / len(asked.evidence)
