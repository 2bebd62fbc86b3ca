"""What a cross-encoder brings, by kind of question, and what it costs.

    uv run python tools/cross_encoder/evaluate.py --data DIR --cache DIR [--model FOLDER] [--every N]

DIR is a collection in BEIR layout (benchmarks/retrieval.py) whose queries have a `kind`. Shown are nDCG@10
of hybrid without rerank, of the defaults, and of the defaults with the cross-encoder after them; how
often its probabilities are right; and its time beside what the 6-layer encoder takes for the same tokens.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from benchmarks.retrieval import build, kinds_of, questions
from index.reader import GenerationReader
from kb.configure import load_settings, parse_value
from kb.location import Location
from kb.models.bundled_files import TOKENIZER
from kb.models.cross_encoder_load import load_cross_encoder
from kb.models.hf_tokenizer import HfTokenizer
from kb.models.load import load_embedder
from kb.settings import EmbedSettings, Settings
from query.evaluate.metrics import ndcg
from query.hits import Trail
from query.pipeline import Searcher

WAYS = ("hybrid", "default", "cross-encoder")
_TIMES = 6


def searchers(reader: GenerationReader, settings: Settings) -> list[Searcher]:
    """One for each of `WAYS`."""
    embedder = load_embedder(settings.embed)
    plain = {"fusion": "rrf", "rerank": "none", "language_gap": False, "operators": False}
    own = settings.query
    asked = [replace(own, **plain), own, replace(own, rerank="cross-encoder")]
    return [Searcher(reader, query, lambda: embedder) for query in asked]


def table(figures: dict[str, dict[str, list[float]]]) -> None:
    """A line a way, a column a kind."""
    kinds = list(next(iter(figures.values())))
    print(f"{'':16}" + "".join(f"{kind[-14:]:>16}" for kind in kinds))
    for way, values in figures.items():
        print(f"{way:16}" + "".join(f"{np.mean(values[kind]):16.4f}" for kind in kinds))


def calibration(chances: np.ndarray, right: np.ndarray) -> None:
    """Mean probability and share of answers in tenths, and the expected calibration error."""
    error = 0.0
    for low in np.arange(10) / 10:
        inside = (chances >= low) & ((chances < low + 0.1) | (low == 0.9))
        if inside.any():
            said, was = chances[inside].mean(), right[inside].mean()
            error += abs(said - was) * inside.mean()
            print(f"  {low:.1f}: {inside.sum():6} said {said:.3f} were {was:.3f}")
    print(f"expected calibration error {error:.4f}")


def costs(model: str, texts: list[str], question: str) -> None:
    """Wall time of 20 passages of 200 tokens, and of the encoder alone for the same tokens."""
    encoder = load_embedder(EmbedSettings(model="encoder-6"))
    tokens = HfTokenizer(TOKENIZER).raw
    ids = tokens.encode(" ".join(texts), add_special_tokens=False).ids
    passages = [tokens.decode(ids[i * 200 : i * 200 + 200]) for i in range(20)]
    reading = load_cross_encoder(model, 512)
    works = {
        "cross-encoder": lambda: reading.probabilities(question, passages),
        "encoder": lambda: encoder.embed([f"{question} {p}" for p in passages], "passage"),
    }
    taken: dict[str, list[float]] = defaultdict(list)
    for _ in range(_TIMES):
        for name, work in works.items():
            started = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - started)
    best = {name: min(values) for name, values in taken.items()}
    ratio = best["cross-encoder"] / best["encoder"]
    print(f"20 passages of 200 tokens: {best['cross-encoder']:.3f} s, {ratio:.2f} of the encoder's")


class Tally:
    """What is gathered over the questions."""

    def __init__(self) -> None:
        self.figures: dict[str, dict[str, list[float]]] = {way: defaultdict(list) for way in WAYS}
        self.chances: list[float] = []
        self.right: list[bool] = []

    def add(
        self, way: str, kind: str, trail: Trail, names: list[str], grades: dict[str, int]
    ) -> None:
        """One question, answered in one way; `names` by row."""
        score = ndcg([names[row] for row in trail.final.rows[:10]], grades, 10)
        for column in ("all", kind):
            self.figures[way][column].append(score)
        if way != WAYS[-1] or trail.blend is None:
            return
        raw = trail.blend.raw
        read = np.flatnonzero(~np.isnan(raw))
        self.chances += raw[read].tolist()
        self.right += [names[row] in grades for row in trail.fused.ranking.rows[read]]


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument(
        "--cache", type=Path, required=True, help="the index, made where missing"
    )
    arguments.add_argument("--model", default="", help="a folder; else the one in the box")
    arguments.add_argument("--every", type=int, default=1, help="only each n-th question")
    arguments.add_argument("--set", action="append", default=[], help="SECTION.KEY=VALUE")
    options = arguments.parse_args()
    flags = {"query.rerank_model": options.model}
    for pair in options.set:
        key, _, value = pair.partition("=")
        flags[key] = parse_value(value)
    settings = load_settings(flags=flags, environment={})
    location = Location(options.cache.absolute())
    build(options.data, location, settings, load_embedder(settings.embed))
    reader = GenerationReader.open(location, settings.bm25)
    names = [document.path for document in reader.chunks.documents]
    texts, grades = questions(options.data)
    kinds = kinds_of(options.data)
    tally = Tally()
    for way, searcher in zip(WAYS, searchers(reader, settings), strict=True):
        for name, text in list(texts.items())[:: options.every]:
            trail = searcher.trail(searcher.question(text))
            tally.add(way, kinds.get(name, ""), trail, names, grades[name])
    table(tally.figures)
    calibration(np.asarray(tally.chances), np.asarray(tally.right))
    costs(options.model, [reader.chunks[i].text for i in range(100)], next(iter(texts.values())))


if __name__ == "__main__":
    main()
