"""What the graph is worth: on the recorded texts by rules and by an LLM, and on questions of two steps.

    python benchmarks/graph.py --data DIR [--llm URL] [--faults SPEC] [--json FILE] [--chunks 5000]
        [--only rules,llm,hotpot100,size]

DIR/recorded/NAME (cinderella, dulce) holds text.txt, aliases.json and questions.jsonl; the LLM is --llm, or
DIR/../tools/recorded_llm.py, which is started with DIR/recorded. DIR/beir/hotpot100 is in BEIR layout.
All goes through the product's own index and query code with its default settings.

resolution_f1: of pairs of names, as benchmarks/graph_resolution.py measures it.
multi-hop: share of the evidence in the first ten passages that fit into 1,500 tokens, --mode graph
(local) against hybrid without a graph. global: share of what must be mentioned in the same number of
tokens, --mode graph (global) against hybrid. hotpot100: share of the questions whose gold documents are
all in the first ten, hybrid with and without the graph.
"""

import argparse
import contextlib
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import graph_resolution
import numpy as np
import retrieval
from msgspec.structs import replace
from numpy.typing import NDArray
from recorded_questions import BUDGET, evidenced, mentioned, questions, shown
from recording import recorded

from index.build import publish_chunks
from index.builder import Deriving, token_embedder
from index.derived.report import DerivedReport
from index.files import IndexedFile
from index.graph.reader import FoldedGraph
from index.plan import component_keys
from index.reader import GenerationReader
from index.sync import sync
from kb.configure import load_settings
from kb.digest import sha256_file
from kb.location import at
from kb.models.embedder import Embedder
from kb.models.load import load_embedder
from kb.records import Chunk
from kb.settings import Settings
from kb.store import Store
from query.pipeline import Searcher

TEXTS = ("cinderella", "dulce")
WAYS = ("rules", "llm")
PARTS = (*WAYS, "hotpot100", "size")
_KINDS = {"multi-hop": "local", "global": "global"}
_FIRST = 10


def settings_of(way: str, url: str, model: str) -> Settings:
    """Defaults with a graph, by rules or by an LLM."""
    flags: dict[str, Any] = {"graph.enabled": True, "graph.extractor": way}
    if way == "llm":
        flags |= {"graph.reports": "llm", "llm.url": url, "llm.model": model}
    return load_settings(flags=flags, environment={})


def build(folder: Path, home: Path, settings: Settings) -> DerivedReport:
    """A KB of one recorded text."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "text.txt").write_bytes((folder / "text.txt").read_bytes())
    location = at(home)
    location.folder.mkdir(exist_ok=True)
    embedder = load_embedder(settings.embed)
    with Store(location) as store:
        return sync(location, store, settings, embedder, lambda *_: None, [home]).build.derived


def graph_of(home: Path) -> FoldedGraph:
    """The graph of a KB."""
    return FoldedGraph(GenerationReader.open(at(home)).folder / "graph")


def aliases(folder: Path) -> dict[str, Any]:
    """Which names of a recorded text mean the same."""
    found: dict[str, Any] = json.loads((folder / "aliases.json").read_text(encoding="utf-8"))
    return found


def served(home: Path, folder: Path, settings: Settings, kind: str, **query: Any) -> float:
    """How well the questions of a kind are served: evidence for multi-hop, mentions for global."""
    embedder = load_embedder(settings.embed)
    reader = GenerationReader.open(at(home))
    searcher = Searcher(reader, replace(settings.query, k=50, **query), lambda: embedder)
    leaves = {chunk.id: chunk for chunk in reader.chunks}
    asked = [one for one in questions(folder) if one.kind == kind]
    total = 0.0
    for one in asked:
        seen = shown(searcher.search(one.text), embedder.tokenizer, BUDGET)
        if kind == "global":
            total += mentioned(one, [text for _, text in seen])
        else:
            passages = [hit.chunk for hit, _ in seen[:_FIRST]]
            total += evidenced(one, passages, leaves)
    return total / len(asked)


def of_texts(way: str, data: Path, cache: Path, url: str, model: str) -> dict[str, Any]:
    """All measures of one way to extract, means over the texts."""
    settings = settings_of(way, url, model)
    sums: dict[str, dict[str, float]] = {kind: {"hybrid": 0.0, "graph": 0.0} for kind in _KINDS}
    pairs = graph_resolution.Counts()
    for name in TEXTS:
        folder, home = data / "recorded" / name, cache / way / name
        began = time.monotonic()
        done = build(folder, home, settings)
        print(
            f"{way} {name}: {'; '.join(done.notes)} ({time.monotonic() - began:.0f} s)", flush=True
        )
        print(f"{way} {name}: {done.calls} calls, {len(done.failed)} failed", flush=True)
        pairs += graph_resolution.count(graph_of(home), aliases(folder))
        for kind, scope in _KINDS.items():
            flat = served(home, folder, settings, kind, mode="hybrid", links=0.0)
            graph = served(home, folder, settings, kind, mode="graph", graph=scope)
            print(
                f"{way} {name} {kind}: hybrid {100 * flat:.1f}, graph {100 * graph:.1f}", flush=True
            )
            sums[kind]["hybrid"] += flat / len(TEXTS)
            sums[kind]["graph"] += graph / len(TEXTS)
    for kind, means in sums.items():
        gain = 100 * (means["graph"] - means["hybrid"])
        shares = "  ".join(f"{name} {100 * value:.1f}" for name, value in means.items())
        print(f"{way:<10}{kind:<12}{shares}  ({gain:+.1f})", flush=True)
    scores = pairs.scores()
    print(
        f"{way:<10}resolution  F1 {scores['f1']:.3f}, of all names {scores['f1_all']:.3f}",
        flush=True,
    )
    return {
        "resolution_f1": scores["f1"],
        "resolution_f1_all": scores["f1_all"],
        **{kind: {n: round(v, 4) for n, v in means.items()} for kind, means in sums.items()},
    }


class NoCost:
    """An embedder that takes no time, to measure all else; it counts what it is given."""

    name = fingerprint = "no cost"
    dimension = 8
    max_tokens = 508
    language_gap = 0.0

    def __init__(self, settings: Settings) -> None:
        self.tokenizer = load_embedder(settings.embed).tokenizer
        self.embedded = 0

    def preload(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str], role: str) -> NDArray[np.float32]:
        """The same vector for any text."""
        self.embedded += len(texts)
        return np.full((len(texts), self.dimension), self.dimension**-0.5, np.float32)


def with_graph(
    home: Path, source: Path, chunks: Sequence[Chunk], settings: Settings, embedder: Embedder
) -> float:
    """Index chunks, and then once more with their graph; returns the seconds that the graph took."""
    location = at(home)
    location.folder.mkdir(parents=True, exist_ok=True)
    corpus = IndexedFile(source.name, "", 0, 0, 0, sha256=sha256_file(source))
    tokens = token_embedder(settings, embedder) is not None
    keys = component_keys([corpus], settings, embedder.fingerprint, tokens=tokens)
    plain = replace(settings, graph=replace(settings.graph, enabled=False))
    with Store(location) as store:
        for chosen in (plain, settings):
            began = time.monotonic()
            publish_chunks(
                location, chosen, embedder, lambda *_: None, keys, lambda: iter(chunks),
                deriving=Deriving(store),
            )  # fmt: skip
    return time.monotonic() - began


def of_hotpot(data: Path, cache: Path) -> dict[str, float]:
    """Share of the questions of which all gold documents are in the first ten."""
    folder, home = data / "beir" / "hotpot100", cache / "hotpot100"
    settings = settings_of("rules", "", "")
    embedder = load_embedder(settings.embed)
    chunks = list(retrieval.chunks(folder))
    with_graph(home, folder / "corpus.jsonl", chunks, settings, embedder)
    reader = GenerationReader.open(at(home))
    texts, grades = retrieval.questions(folder)
    found = {}
    for name, links in (("hybrid", 0.0), ("hybrid+graph", settings.query.links)):
        chosen = replace(settings.query, links=links, k=_FIRST)
        searcher = Searcher(reader, chosen, lambda: embedder)
        whole = 0
        for query, text in texts.items():
            gold = {document for document, grade in grades[query].items() if grade > 0}
            whole += gold <= {hit.chunk.path for hit in searcher.search(text)}
        found[name] = round(whole / len(texts), 4)
        print(f"hotpot100 {name}: {100 * found[name]:.1f}", flush=True)
    return found


def of_size(data: Path, cache: Path, count: int) -> dict[str, float]:
    """Seconds that the graph of so many chunks takes by rules, without embedding its reports."""
    folder = data / "beir" / "hotpot100"
    records = list(retrieval.chunks(folder))
    chunks = []
    for number in range(count):
        chunk, again = records[number % len(records)], number // len(records)
        # Later rounds tell of others: every seventh name is another one.
        text = re.sub(r"\b([A-Z]\w{5,6})\b", rf"\1{'x' * again}", chunk.text)
        name = f"{chunk.path}-{number}"
        chunks.append(Chunk(name, name, name, 0, len(text), text, language=chunk.language))
    settings = settings_of("rules", "", "")
    embedder = NoCost(settings)
    seconds = with_graph(cache / "size", folder / "corpus.jsonl", chunks, settings, embedder)
    reports = embedder.embedded - count
    print(f"graph of {count:,} chunks by rules: {seconds:.1f} s, {reports:,} reports", flush=True)
    return {"chunks": count, "seconds": round(seconds, 1), "reports": reports}


@contextlib.contextmanager
def llm(options: argparse.Namespace) -> Iterator[str]:
    """The address of the LLM: the one that is named, or a recorded one."""
    if options.llm:
        yield options.llm
        return
    with recorded(options.data, options.faults) as url:
        yield url


def main() -> None:
    """Run and print a line a measure."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--llm", default="", metavar="URL")
    arguments.add_argument("--llm-model", default="recorded", metavar="NAME")
    arguments.add_argument(
        "--faults", default="", help="of the recorded LLM, e.g. 429:7,cut:5,wrap:3"
    )
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--chunks", type=int, default=5000)
    arguments.add_argument("--only", default=",".join(PARTS))
    arguments.add_argument("--cache", type=Path, help="keep the knowledge bases here")
    options = arguments.parse_args()
    wanted = options.only.split(",")
    if unknown := set(wanted) - set(PARTS):
        sys.exit(f"--only {', '.join(sorted(unknown))}: choose of {', '.join(PARTS)}")
    results: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        cache = options.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for way in (one for one in WAYS if one in wanted):
            url = stack.enter_context(llm(options)) if way == "llm" else ""
            results[way] = of_texts(way, options.data, cache, url, options.llm_model)
        if "hotpot100" in wanted:
            results["hotpot100"] = of_hotpot(options.data, cache)
        if "size" in wanted:
            results["size"] = of_size(options.data, cache, options.chunks)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
