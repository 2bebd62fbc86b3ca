"""How long trees take to grow, and how well they keep up with edits; no LLM, nothing is embedded.

    python benchmarks/raptor_build.py [--chunks 5000] [--edits 200] [--vectors FILE.npy] [--json FILE]

Without --vectors the chunks are synthetic: topics in 384 dimensions, a tenth of the chunks about two of
them, each with 200 tokens of text. Summaries are the product's extractive ones; a summary lies where its
members do, as embedding is another stage's time. Then chunks are edited, 10 at a time: one half stays
on its topic, the other goes to another. Printed are seconds, memory, new summaries for each edit, and how
near leaves are to the middle of their clusters, kept up against grown anew.
"""

import argparse
import json
import resource
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.raptor.grow import Before, Grower, Grown
from index.raptor.leaves import Leaves, look_over
from index.raptor.members import Member, Summary
from index.raptor.summarize.extractive import ExtractiveSummarizer
from kb.records import Chunk
from kb.settings import RaptorSettings

Vectors = NDArray[np.float32]
DIMENSION = 384
AT_ONCE = 10


def synthetic(count: int, rng: np.random.Generator) -> tuple[Vectors, NDArray[np.int64]]:
    """Unit rows (count, 384), and the topic of each."""
    topics = max(2, count // 25)
    subjects = rng.normal(size=(max(2, topics // 12), DIMENSION))
    centres = subjects[rng.integers(len(subjects), size=topics)]
    centres = centres + 0.8 * rng.normal(size=centres.shape)
    topic = rng.integers(topics, size=count)
    points = centres[topic] + 0.6 * rng.normal(size=(count, DIMENSION))
    second = rng.random(count) < 0.1
    points[second] += centres[rng.integers(topics, size=int(second.sum()))]
    return unit(points), topic


def unit(points: NDArray[np.float64]) -> Vectors:
    """Rows of length 1."""
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True), np.float32)


def texts(topic: NDArray[np.int64], rng: np.random.Generator) -> list[str]:
    """Ten sentences each, of words of the topic and words of all."""
    made = []
    for one in topic.tolist():
        words = rng.integers(60, size=(10, 14))
        of_topic = rng.random((10, 14)) < 0.4
        made.append(
            " ".join(
                "W" + " ".join(
                    f"t{one}w{word % 20}" if own else f"word{word}"
                    for word, own in zip(line, owned, strict=True)
                ) + "."
                for line, owned in zip(words.tolist(), of_topic.tolist(), strict=True)
            )
        )  # fmt: skip
    return made


def as_leaves(names: Sequence[str], said: Sequence[str], vectors: Vectors) -> Leaves:
    """One document's chunks."""
    chunks = [
        Chunk(name, "d", "d.md", 0, len(text), text, language="en", tokens=200)
        for name, text in zip(names, said, strict=True)
    ]
    return look_over(chunks, chunks.__getitem__, vectors, "corpus")


class Placed:
    """The extractive summariser, and vectors for what it says."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inner = ExtractiveSummarizer()
        self.name, self.version = self._inner.name, self._inner.version
        self._vectors: dict[str, Vectors] = {}

    def summarize(self, clusters: Sequence[Sequence[Member]]) -> list[Summary]:
        """See `index.raptor.members.Summarizer`."""
        began = time.perf_counter()
        summaries = self._inner.summarize(clusters)
        self.seconds += time.perf_counter() - began
        for summary, cluster in zip(summaries, clusters, strict=True):
            mean = np.mean([member.vector for member in cluster], axis=0, dtype=np.float64)
            self._vectors[summary.text] = unit(np.atleast_2d(mean))[0]
        return summaries

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The means of their clusters."""
        return np.stack([self._vectors[text] for text in texts])


def grow(held: Leaves, said: Placed, before: tuple[Grown, Leaves] | None = None) -> Grown:
    """A forest, brought up to date from an earlier one where there is one."""
    earlier = Before()
    if before is not None:
        now = {key: row for row, key in enumerate(held.keys)}
        rows = {then: now[key] for then, key in enumerate(before[1].keys) if key in now}
        nodes = {node.key: node for *_, node in before[0].forest.each()}
        earlier = Before(before[0].forest, rows, nodes)
    settings = RaptorSettings(rebuild_if="")
    return Grower(
        held, settings, said, "extractive", said.embed, lambda text: len(text) // 4, earlier
    ).grow()


def nearness(found: Grown, vectors: Vectors) -> float:
    """Mean cosine of leaves to the middle of their homes."""
    total = 0.0
    for cluster in found.forest.trees[0].layers[0].clusters.values():
        home = vectors[cluster.rows[cluster.home]]
        total += float((home @ unit(home.mean(axis=0)[None])[0]).sum())
    return total / len(vectors)


def edited(names: list[str], vectors: Vectors, number: int, rng: np.random.Generator) -> Vectors:
    """`AT_ONCE` chunks changed: half a little, half to near where another chunk is."""
    vectors = vectors.copy()
    for place, row in enumerate(rng.choice(len(names), AT_ONCE, replace=False).tolist()):
        names[row] = f"edit{number}-{place}"
        base = vectors[row] if place % 2 else vectors[int(rng.integers(len(names)))]
        noise = 0.3 * rng.normal(size=vectors.shape[1]) / np.sqrt(vectors.shape[1])
        vectors[row] = unit((base + noise)[None])[0]
    return vectors


def main() -> None:
    """Grow, edit, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=5000)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    vectors, topic = synthetic(given.chunks, rng)
    if given.vectors:
        vectors = np.asarray(np.load(given.vectors)[: given.chunks], np.float32)
        topic = topic[: len(vectors)]
    said = texts(topic, rng)
    names = [f"leaf{row}" for row in range(len(vectors))]
    held = as_leaves(names, said, vectors)
    at_rest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    summarizer = Placed()
    began, began_cpu = time.perf_counter(), time.process_time()
    found = grow(held, summarizer)
    seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    numbers: dict[str, object] = {
        "chunks": len(vectors),
        "levels": found.summarised,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "summarising_seconds": round(summarizer.seconds, 1),
        "mb_before": round(at_rest),
        "mb_peak": round(peak),
    }
    new = []
    for number in range(given.edits // AT_ONCE):
        vectors = edited(names, vectors, number, rng)
        later = as_leaves(names, said, vectors)
        found, held = grow(later, summarizer, (found, held)), later
        new.append(sum(found.summarised))
    fresh = grow(held, summarizer)
    numbers |= {
        "edits": given.edits,
        "new_summaries_per_edit": round(sum(new) / max(given.edits, 1), 2),
        "drift": round(found.drift, 4),
        "nearness_kept_up": round(nearness(found, vectors), 4),
        "nearness_fresh": round(nearness(fresh, vectors), 4),
        "levels_kept_up": [len(layer.clusters) for layer in found.forest.trees[0].layers],
        "levels_fresh": [len(layer.clusters) for layer in fresh.forest.trees[0].layers],
    }
    for name, value in numbers.items():
        print(f"{name}: {value}")
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
