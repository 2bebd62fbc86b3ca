"""What contexts do to retrieval: none, structural and an LLM's, each dense, hybrid and reranked.

    python benchmarks/contextual.py --data DIR [--llm URL] [--json FILE] [--providers none,llm]

DIR/spans/anthropic_code holds files, queries.jsonl and evidence.tsv (path and character span). The LLM's
contexts come from --llm, or from DIR/../tools/recorded_llm.py, which is started with DIR/recorded and
answers what a strong model once wrote. Everything goes through the product's own index and query code
with its default settings, the same for all; dense, hybrid and reranked differ in query.mode and
query.rerank alone.

An evidence span is found at k when one of the first k hits covers at least half of it. pass@k is the mean
over the questions of the share of their spans that are found, as in the measurements that made
contextual retrieval known (Anthropic, 2024), so that the figures can be compared; any@k is the share of
questions with at least one span found.
"""

import argparse
import contextlib
import csv
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from recording import recorded

from index.reader import GenerationReader
from index.sync import sync
from kb.configure import load_settings, parse_value
from kb.location import at
from kb.models.embedder import Embedder
from kb.models.load import load_embedder
from kb.records import Hit
from kb.settings import Settings
from kb.store import Store
from query.pipeline import Searcher

PROVIDERS = ("none", "structural", "llm")
METHODS = {
    "dense": {"query.mode": "dense", "query.rerank": "none"},
    "hybrid": {"query.rerank": "none"},
    "reranked": {},
}
DEPTHS = (5, 10, 20)
Span = tuple[str, int, int]


def questions(folder: Path) -> list[tuple[str, list[Span]]]:
    """The text of each question and where it is answered."""
    evidence: dict[str, list[Span]] = defaultdict(list)
    with (folder / "evidence.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            evidence[row["query-id"]].append((row["path"], int(row["start"]), int(row["end"])))
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        return [(r["text"], evidence[r["_id"]]) for r in map(json.loads, lines)]


def covers(hit: Hit, span: Span) -> bool:
    """Whether a hit covers at least half of a span."""
    path, start, end = span
    chunk = hit.chunk
    shared = min(chunk.end, end) - max(chunk.start, start)
    return chunk.path == path and 2 * shared >= end - start


def build(folder: Path, home: Path, settings: Settings, embedder: Embedder) -> GenerationReader:
    """Follow the files into a KB, where they are not there already."""
    for source in sorted((folder / "files").iterdir()):
        target = home / source.name
        if not target.exists():
            target.write_bytes(source.read_bytes())
    location = at(home)
    location.folder.mkdir(exist_ok=True)
    with Store(location) as store:
        done = sync(location, store, settings, embedder, lambda *_: None, [home])
    contexts = done.build.contexts
    if contexts.stopped:
        sys.exit(f"not all contexts are there: {contexts.stopped}")
    for note in (*contexts.notes, *(f"{p}: {why}" for p, why in contexts.failed.items())):
        print(f"  {note}", flush=True)
    return GenerationReader.open(location)


def measure(
    reader: GenerationReader,
    settings: Settings,
    embedder: Embedder,
    asked: list[tuple[str, list[Span]]],
) -> dict[str, float]:
    """The shares, each from 0 to 1."""
    searcher = Searcher(reader, settings.query, lambda: embedder)
    sums = {f"{name}@{depth}": 0.0 for name in ("pass", "any") for depth in DEPTHS}
    for text, spans in asked:
        hits = searcher.search(text)
        for depth in DEPTHS:
            found = sum(any(covers(hit, span) for hit in hits[:depth]) for span in spans)
            sums[f"pass@{depth}"] += found / len(spans)
            sums[f"any@{depth}"] += found > 0
    return {name: round(total / len(asked), 4) for name, total in sums.items()}


def main() -> None:
    """Run and print a line a provider and method."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--llm", default="", metavar="URL")
    arguments.add_argument("--llm-model", default="recorded", metavar="NAME")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--providers", default=",".join(PROVIDERS))
    arguments.add_argument("--cache", type=Path, help="keep the knowledge bases here")
    arguments.add_argument("--set", action="append", default=[], help="SECTION.KEY=VALUE")
    options = arguments.parse_args()
    own = dict(pair.partition("=")[::2] for pair in options.set)
    flags = {key: parse_value(value) for key, value in own.items()} | {"query.k": max(DEPTHS)}
    folder = options.data / "spans" / "anthropic_code"
    asked = questions(folder)
    results: dict[str, dict[str, dict[str, float]]] = {}
    with contextlib.ExitStack() as stack:
        cache = options.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for provider in options.providers.split(","):
            given = flags | {"context.provider": provider}
            if provider == "llm":
                url = options.llm or stack.enter_context(recorded(options.data))
                given |= {"llm.url": url, "llm.model": options.llm_model}
            settings = load_settings(flags=given, environment={})
            embedder = load_embedder(settings.embed)
            home = cache / provider
            home.mkdir(parents=True, exist_ok=True)
            started = time.monotonic()
            reader = build(folder, home, settings, embedder)
            print(
                f"{provider}: {len(reader)} chunks, {time.monotonic() - started:.0f} s", flush=True
            )
            results[provider] = {}
            for method, changes in METHODS.items():
                chosen = load_settings(flags=given | changes, environment={})
                found = results[provider][method] = measure(reader, chosen, embedder, asked)
                shown = "  ".join(f"{name} {100 * value:5.2f}" for name, value in found.items())
                failed = 100 * (1 - found[f"pass@{max(DEPTHS)}"])
                print(f"{provider:<12}{method:<10}{shown}  1-pass@20 {failed:.2f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
