"""Negatives for the training questions, found by the product's own search over all passages.

    uv run python tools/cross_encoder/mine.py --pairs DIR [DIR]... --out FILE [--cache DIR]

DIR holds passages.jsonl {id, title, text, lang} and train.jsonl {query, kind, lang, positive, also,
hard_negatives?}. Every question is put to BM25, to the dense leg and to late interaction; what they find
and is not an answer is a negative. Three kinds are left out:

- `also`: translations and near copies of the positive, of any question on the same passage;
- what late interaction, the teacher, scores near the positive on the question of that passage which is
  easiest for it: probably an answer that nobody marked;
- passages that no question has as its answer. The model would learn by heart which passages never
  answer, and would hold it against them when one is asked for at last.

A line of FILE: {query, kind, lang, positive, negatives: [ids, the hardest first], sure: how many of
them are the given hard ones}.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from texts import read

from benchmarks.retrieval import build
from index.reader import GenerationReader
from kb.configure import load_settings
from kb.location import Location
from kb.models.load import load_embedder
from query.hits import Trail
from query.pipeline import Searcher

KEPT = 32  # negatives a question
EACH = 40  # of each way of searching
NEAR = 0.97  # of the teacher's score for the positive


def as_corpus(passages: list[dict], folder: Path) -> Path:
    """The passages in the layout that the benchmark's indexing reads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as out:
        for p in passages:
            record = {"_id": p["id"], "title": p["title"], "text": p["text"]}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return folder


def found(trail: Trail, ids: list[str]) -> tuple[list[str], dict[str, float]]:
    """Candidates of the three ways of searching in turn, and the teacher's scores."""
    assert trail.blend is not None
    pool = trail.fused.ranking.rows[: len(trail.blend.raw)]
    teacher = {ids[int(row)]: float(s) for row, s in zip(pool, trail.blend.raw, strict=True)}
    late = pool[np.argsort(-trail.blend.raw, kind="stable")]
    ways = (late, trail.legs["dense"].rows, trail.legs["sparse"].rows)
    turns = zip_longest(*(way[:EACH] for way in ways))
    names = dict.fromkeys(ids[int(row)] for turn in turns for row in turn if row is not None)
    return list(names), teacher


def unmarked_answers(searches: list[tuple[dict, list[str], dict[str, float]]]) -> set[str]:
    """What the teacher scores near the positive on the easiest of a passage's questions."""
    margins = []
    for record, _, teacher in searches:
        own = teacher.pop(record["positive"], None)
        if own is not None:
            others = sorted(teacher.values(), reverse=True)
            margins.append((own - (others[0] if others else 0), own, teacher))
    if not margins:
        return set()
    _, own, teacher = max(margins, key=lambda m: m[0])
    return {name for name, score in teacher.items() if score >= NEAR * own}


def mined(questions: list[dict], searcher: Searcher, ids: list[str]) -> Iterator[dict]:
    """The lines of the result, passage by passage."""
    groups: dict[str, list[dict]] = defaultdict(list)
    for record in questions:
        groups[record["positive"]].append(record)
    for done, (positive, records) in enumerate(groups.items()):
        searches = [
            (r, *found(searcher.trail(searcher.question(r["query"])), ids)) for r in records
        ]
        out = {positive}.union(*(r["also"] for r in records)) | unmarked_answers(searches)
        for record, candidates, _ in searches:
            sure = record.get("hard_negatives", [])
            hard = [c for c in candidates if c in groups and c not in out and c not in sure]
            yield {
                **{key: record[key] for key in ("query", "kind", "lang", "positive")},
                "negatives": (sure + hard)[:KEPT],
                "sure": len(sure),
            }
        if done % 100 == 0:
            print(
                f"{done} of {len(groups)} passages, {len(out) - 1} left out of the last", flush=True
            )


def main() -> None:
    """Index the passages, search, write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--pairs", type=Path, nargs="+", required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--cache", type=Path, default=Path(".benchmark-cache/pairs"))
    options = arguments.parse_args()
    settings = load_settings(flags={}, environment={})
    embedder = load_embedder(settings.embed)
    location = Location((options.cache / ".tesela").absolute())
    build(
        as_corpus(read(options.pairs, "passages.jsonl"), options.cache),
        location,
        settings,
        embedder,
    )
    reader = GenerationReader.open(location, settings.bm25)
    query = replace(settings.query, rerank="maxsim", operators=False, rerank_depth=100)
    searcher = Searcher(reader, query, lambda: embedder)
    ids = [document.path for document in reader.chunks.documents]
    with options.out.open("w", encoding="utf-8") as out:
        for line in mined(read(options.pairs, "train.jsonl"), searcher, ids):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
