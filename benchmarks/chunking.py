"""What chunker, size and overlap do to the answers, on long documents with known evidence.

    python benchmarks/chunking.py --data DIR [--json FILE] [--variants recursive:256:0,fixed:256:15%]

DIR/spans/anthropic_code holds files, queries.jsonl and evidence.tsv (path and character span);
DIR/beir/xquad_en and xquad_es are joined into articles, a paragraph being the evidence. Each variant is
synced and asked through the product's own code with default settings. A question counts as answered
when the hits shown first, up to a budget of tokens, cover at least half of a piece of its evidence: so
large chunks pay for their size.
"""

import argparse
import csv
import json
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from index.reader import GenerationReader
from index.sync import sync
from kb.configure import load_settings
from kb.location import at
from kb.models.load import load_embedder
from kb.records import Hit
from kb.store import Store
from query.pipeline import Searcher

VARIANTS = (
    "recursive:128:0,recursive:192:0,recursive:256:0,recursive:256:15%,recursive:384:0,"
    "recursive:500:0,fixed:256:0,fixed:256:15%,semantic:256:0"
)
BUDGETS = (500, 1000, 2000)
Spans = list[tuple[str, int, int]]


@dataclass
class Collection:
    """Files by name, and for each question its text and evidence."""

    files: dict[str, str]
    questions: list[tuple[str, Spans]]


def code(folder: Path) -> Collection:
    """The source files with spans."""
    files = {
        p.relative_to(folder / "files").as_posix(): p.read_bytes().decode("utf-8")
        for p in sorted((folder / "files").rglob("*"))
        if p.is_file()
    }
    evidence: dict[str, Spans] = defaultdict(list)
    with (folder / "evidence.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            evidence[row["query-id"]].append((row["path"], int(row["start"]), int(row["end"])))
    return Collection(files, [(text, evidence[i]) for i, text in _queries(folder)])


def articles(folder: Path) -> Collection:
    """Paragraphs a00p0, a00p1 … joined into article a00."""
    files: dict[str, str] = {}
    spans: dict[str, tuple[str, int, int]] = {}
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            name = record["_id"].partition("p")[0] + ".txt"
            before = files.get(name, "")
            start = len(before) + 2 if before else 0
            files[name] = f"{before}\n\n{record['text']}" if before else record["text"]
            spans[record["_id"]] = (name, start, len(files[name]))
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as lines:
        grades = {
            row["query-id"]: row["corpus-id"] for row in csv.DictReader(lines, delimiter="\t")
        }
    asked = [(text, [spans[grades[i]]]) for i, text in _queries(folder) if i in grades]
    return Collection(files, asked[::3])


def _queries(folder: Path) -> list[tuple[str, str]]:
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        return [(r["_id"], r["text"]) for r in map(json.loads, lines)]


def measure(collection: Collection, variant: str, cache: Path) -> dict[str, float]:
    """Share of the questions answered within each budget, and what the chunks are like."""
    strategy, size, overlap = variant.split(":")
    flags = {"chunk.strategy": strategy, "chunk.size": int(size), "chunk.overlap": overlap}
    flags["query.k"] = 50
    settings = load_settings(flags=flags, environment={})
    embedder = load_embedder(settings.embed)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        home = Path(folder)
        for name, text in collection.files.items():
            (home / name).write_text(text, encoding="utf-8", newline="")
        location = at(home)
        location.folder.mkdir()
        started = time.monotonic()
        with Store(location) as store:
            sync(location, store, settings, embedder, lambda *_: None, [home])
        seconds = time.monotonic() - started
        reader = GenerationReader.open(location)
        searcher = Searcher(reader, settings.query, lambda: embedder)
        answered = dict.fromkeys(BUDGETS, 0)
        for text, evidence in collection.questions:
            hits = searcher.search(text)
            for budget in BUDGETS:
                answered[budget] += covered(hits, evidence, budget)
        tokens = [chunk.tokens for chunk in reader.chunks]
    shares = {f"answered@{b}": n / len(collection.questions) for b, n in answered.items()}
    return {**shares, "chunks": len(tokens), "tokens": sum(tokens) / len(tokens), "s": seconds}


def covered(hits: list[Hit], evidence: Spans, budget: int) -> bool:
    """Whether the hits that fit into `budget` tokens cover half of a piece of evidence."""
    shown: dict[str, set[int]] = defaultdict(set)
    for hit in hits:
        budget -= hit.chunk.tokens
        if budget < 0:
            break
        shown[hit.chunk.path].update(range(hit.chunk.start, hit.chunk.end))
    return any(
        2 * len(shown[path].intersection(range(start, end))) >= end - start
        for path, start, end in evidence
    )


def main() -> None:
    """Run and print a line a collection and variant."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--variants", default=VARIANTS)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    collections = {
        "anthropic_code": code(options.data / "spans" / "anthropic_code"),
        "xquad_en": articles(options.data / "beir" / "xquad_en"),
        "xquad_es": articles(options.data / "beir" / "xquad_es"),
    }
    results: dict[str, dict[str, dict[str, float]]] = {name: {} for name in collections}
    with tempfile.TemporaryDirectory() as cache:
        for variant in options.variants.split(","):
            for name, collection in collections.items():
                found = results[name][variant] = measure(collection, variant, Path(cache))
                shown = "  ".join(f"{k} {v:.3f}" for k, v in found.items())
                print(f"{name:<16}{variant:<20}{shown}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
