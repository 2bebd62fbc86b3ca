"""Whether names of one thing meet in one node of the graph, and of two things stay apart.

    python benchmarks/graph_resolution.py --data DIR [--llm URL] [--faults SPEC] [--json FILE]

DIR/recorded/NAME holds text.txt and aliases.json (NAME: cinderella, dulce). Each text is made a knowledge
base by the product's own commands, with the graph by rules and by an LLM: --llm, or DIR/../tools/
recorded_llm.py, which is started with DIR/recorded and answers what a strong model once wrote. With
--faults it fails now and then; the graph is to come out the same.

A pair of names is right when both are in one cluster of aliases.json and in one node. It is wrong when it
is in one node and the names are of two clusters, or listed as different; pairs of two clusters that the
file calls doubtful do not count, nor do names that depend on the passage. F1 is that of pairs: `f1` of the
names that the graph holds, `f1_all` of all names in the file, those that nothing extracted being missed.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from recording import recorded

from index.graph.reader import FoldedGraph
from index.sync import sync
from kb import generations
from kb.configure import load_settings
from kb.digest import sha256_file
from kb.location import at
from kb.models.load import load_embedder
from kb.settings import Settings
from kb.store import Store

TEXTS = ("cinderella", "dulce")


@dataclass
class Counts:
    """Pairs of names; adding up texts gives the pooled score."""

    right: int = 0
    wrong: int = 0
    missed: int = 0  # both names are in the graph
    absent: int = 0  # one is not

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.right + other.right,
            self.wrong + other.wrong,
            self.missed + other.missed,
            self.absent + other.absent,
        )

    def scores(self) -> dict[str, Any]:
        """F1 and what it is made of."""
        found = self.right + self.wrong
        return {
            "f1": _f1(self.right, self.wrong, self.missed),
            "f1_all": _f1(self.right, self.wrong, self.missed + self.absent),
            "precision": round(self.right / found, 4) if found else 0.0,
            **self.__dict__,
        }


def _f1(right: int, wrong: int, missed: int) -> float:
    pairs = 2 * right + wrong + missed
    return round(2 * right / pairs, 4) if pairs else 0.0


def node_of(graph: FoldedGraph, name: str) -> int | None:
    """The node that a name stands for: of several that bear it the most named one that is written so."""
    named = graph.named(name)
    written = [node for node in named if name in graph.node(node).aliases] or named
    return max(written, key=lambda node: (len(graph.mentions(node)), -node), default=None)


def count(graph: FoldedGraph, gold: dict[str, Any]) -> Counts:
    """Compare a graph with aliases.json."""
    cluster = {name: i for i, c in enumerate(gold["clusters"]) for name in c["names"]}
    doubtful = {
        frozenset((cluster[pair["a"]], cluster[pair["b"]]))
        for pair in gold["doubtful"]
        if pair["a"] in cluster and pair["b"] in cluster
    }
    counts = Counts()
    for one, other in combinations(cluster, 2):
        nodes = node_of(graph, one), node_of(graph, other)
        both, same = None not in nodes, nodes[0] == nodes[1]
        if cluster[one] == cluster[other]:
            counts.right += both and same
            counts.missed += both and not same
            counts.absent += not both
        elif frozenset((cluster[one], cluster[other])) not in doubtful:
            counts.wrong += both and same
    for pair in gold["different"]:
        if "a_window" in pair or "b_window" in pair:
            continue  # depends on the passage
        nodes = node_of(graph, pair["a"]), node_of(graph, pair["b"])
        if frozenset((pair["a"], pair["b"])) <= cluster.keys():
            continue  # counted above
        counts.wrong += nodes[0] is not None and nodes[0] == nodes[1]
    return counts


def build(text: Path, home: Path, settings: Settings) -> tuple[Path, dict[str, Any]]:
    """A knowledge base of one text; the folder of its graph, and what it took."""
    home.mkdir(parents=True)
    (home / "text.txt").write_bytes(text.read_bytes())
    location = at(home)
    location.folder.mkdir()
    started = time.monotonic()
    with Store(location) as store:
        done = sync(location, store, settings, load_embedder(settings.embed), _quiet, [home])
    derived = done.build.derived
    for note in (*derived.notes, *(f"{p}: {why}" for p, why in derived.failed.items())):
        print(f"  {note}", flush=True)
    if derived.stopped:
        sys.exit(f"not all is there: {derived.stopped}")
    current = generations.current_folder(location)
    assert current is not None
    took = {
        "calls": derived.calls,
        "failed": len(derived.failed),
        "seconds": round(time.monotonic() - started, 1),
    }
    return current / "graph", took


def digest_of(folder: Path) -> str:
    """Of the files of the graph itself."""
    names = ("nodes.jsonl", "edges.jsonl", "node_spans.npy", "edge_spans.npy")
    return "".join(sha256_file(folder / name)[:16] for name in names)


def measure(data: Path, extractor: str, flags: dict[str, Any], home: Path) -> dict[str, Any]:
    """The scores of each text and of all pairs together."""
    total, results, digests = Counts(), {}, []
    for name in TEXTS:
        given = {"graph.enabled": True, "graph.extractor": extractor, **flags}
        settings = load_settings(flags=given, environment={})
        folder, took = build(
            data / "recorded" / name / "text.txt", home / extractor / name, settings
        )
        gold = json.loads((data / "recorded" / name / "aliases.json").read_text("utf-8"))
        graph = FoldedGraph(folder)
        counts = count(graph, gold)
        total += counts
        digests.append(digest_of(folder))
        results[name] = {**counts.scores(), **took, "nodes": len(graph)}
        print(f"{extractor:<8}{name:<12}{json.dumps(results[name])}", flush=True)
    results["pooled"] = total.scores()
    results["digest"] = "".join(digests)
    print(f"{extractor:<8}{'pooled':<12}{json.dumps(results['pooled'])}", flush=True)
    return results


def _quiet(_stage: str, _done: int) -> None:
    pass


def main() -> None:
    """Run and print a line an extractor and text."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--llm", default="", metavar="URL")
    arguments.add_argument("--llm-model", default="recorded", metavar="NAME")
    arguments.add_argument(
        "--faults", default="", metavar="SPEC", help="e.g. 429:7,cut:5,wrap:3,empty:11"
    )
    arguments.add_argument("--extractors", default="rules,llm")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    results: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for extractor in options.extractors.split(","):
            flags: dict[str, Any] = {}
            if extractor == "llm":
                url = options.llm or stack.enter_context(recorded(options.data, ""))
                flags = {"llm.url": url, "llm.model": options.llm_model}
            results[extractor] = measure(options.data, extractor, flags, home)
            if extractor == "llm" and options.faults:
                url = stack.enter_context(recorded(options.data, options.faults))
                flags = {"llm.url": url, "llm.model": options.llm_model}
                again = measure(options.data, extractor, flags, home / "faults")
                same = again["digest"] == results[extractor]["digest"]
                print(
                    f"with faults {options.faults}: the graph is {'the same' if same else 'another'}"
                )
                results["llm with faults"] = {**again, "same": same}
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
