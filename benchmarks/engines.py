"""What our engines lose against the bare libraries: the same vectors, questions and parameters.

    python benchmarks/engines.py --cache .benchmark-cache --data DIR [--engine NAME]...
    python benchmarks/engines.py --vectors V.npy --queries Q.npy
    python benchmarks/engines.py --random 100000,384

--cache is where benchmarks/retrieval.py keeps what it built: the vectors of all its collections are
stacked, and the questions of DIR/NAME/queries.jsonl asked. Both sides take turns at all questions, one
at a time, and each question's quickest time counts. With --cpu the time that the thread itself works is
measured, which other work on the machine changes less; set OMP_NUM_THREADS=1 and
OPENBLAS_NUM_THREADS=1 with it. recall@10 is against exact search; ours gives exact scores besides, the
lower row first where they tie, and never fewer rows than there are.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from index.bench import subjects
from index.bench.material import K, made_up
from index.bench.timing import timed_side_by_side
from index.engines.base import Engine, Floats, Rows
from index.engines.faiss_ivf import plan_lists, plan_probes
from index.engines.scoring import exact_scores, search_exact
from index.vectors import open_vectors, write_vectors
from kb.configure import load_settings, parse_value
from kb.models.load import load_embedder
from kb.registry import load
from kb.settings import EngineSettings

Search = Callable[[Floats], Rows]


def bare_exact(vectors: Floats, settings: EngineSettings) -> Search:
    """numpy: the products of all rows, and the greatest of them."""
    k = min(K, len(vectors))

    def search(query: Floats) -> Rows:
        products = vectors @ query[0]
        best = np.argpartition(products, -k)[-k:]
        return best[np.argsort(-products[best])]

    return search


def bare_hnsw(vectors: Floats, settings: EngineSettings) -> Search:
    """The library hnswlib."""
    import hnswlib

    index = hnswlib.Index("ip", vectors.shape[1])
    index.init_index(
        len(vectors),
        M=settings.hnsw_m,
        ef_construction=settings.hnsw_ef_construction,
        random_seed=settings.seed,
    )
    index.add_items(vectors, num_threads=1)
    index.set_ef(settings.hnsw_ef_search)
    return lambda query: index.knn_query(query, K)[0][0]


def bare_annoy(vectors: Floats, settings: EngineSettings) -> Search:
    """The library annoy."""
    from annoy import AnnoyIndex

    from index.engines.annoy import plan_search

    index = AnnoyIndex(vectors.shape[1], "angular")
    index.set_seed(settings.seed)
    for row, vector in enumerate(vectors):
        index.add_item(row, vector)
    index.build(settings.annoy_trees, n_jobs=1)
    effort = plan_search(settings.annoy_search_k, len(vectors))
    return lambda query: np.array(index.get_nns_by_vector(query[0], K, effort))


def bare_faiss_flat(vectors: Floats, settings: EngineSettings) -> Search:
    """The library's IndexFlatIP."""
    import faiss

    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return lambda query: index.search(query, K)[1][0]


def bare_faiss_ivf(vectors: Floats, settings: EngineSettings) -> Search:
    """The library's IndexIVFFlat."""
    import faiss

    lists, _ = plan_lists(settings.faiss_nlist, len(vectors))
    dimension = vectors.shape[1]
    coarse = faiss.IndexFlatIP(dimension)
    index = faiss.IndexIVFFlat(coarse, dimension, lists, faiss.METRIC_INNER_PRODUCT)
    index.cp.seed, index.cp.spherical = settings.seed, True
    index.train(vectors)
    index.add(vectors)
    index.nprobe = plan_probes(settings.faiss_nprobe, lists)
    return lambda query: (index.search(query, K), coarse)[0][1][0]


def bare_faiss_hnsw(vectors: Floats, settings: EngineSettings) -> Search:
    """The library's IndexHNSWFlat."""
    import faiss

    index = faiss.IndexHNSWFlat(vectors.shape[1], settings.hnsw_m)
    index.hnsw.efConstruction = settings.hnsw_ef_construction
    index.hnsw.rng = faiss.RandomGenerator(settings.seed)
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # the same graph as ours, so that both find the same
    index.add(vectors)
    faiss.omp_set_num_threads(threads)
    index.hnsw.efSearch = settings.hnsw_ef_search
    return lambda query: index.search(query, K)[1][0]


BARE: dict[str, Callable[[Floats, EngineSettings], Search]] = {
    "exact": bare_exact,
    "hnsw": bare_hnsw,
    "annoy": bare_annoy,
    "faiss-flat": bare_faiss_flat,
    "faiss-ivf": bare_faiss_ivf,
    "faiss-hnsw": bare_faiss_hnsw,
}


def ours(vectors: Floats, settings: EngineSettings) -> Search:
    """The engine as a reader has it: built, saved, loaded."""
    with tempfile.TemporaryDirectory() as place:
        made: Engine = load("engine", settings.name)(settings)
        made.build(vectors)
        made.save(Path(place))
        engine: Engine = load("engine", settings.name)(settings)
        engine.load(Path(place), vectors)
    return lambda query: engine.search(query, K)[0][0]


def compare(
    name: str, vectors: Floats, queries: Floats, base: EngineSettings, clock: Callable[[], float]
) -> dict[str, object]:
    """One engine on both sides."""
    settings = subjects.settings_for(subjects.KINDS[name], base)
    times, found = timed_side_by_side(
        [ours(vectors, settings), BARE[name](vectors, settings)], queries, enough=60.0, clock=clock
    )
    floors = search_exact(vectors, queries, min(K, len(vectors)), None)[1][:, -1]
    own, bare = len(queries) / times.sum(axis=1)
    return {
        "engine": name,
        "recall": recall(vectors, queries, floors, found[0]),
        "bare_recall": recall(vectors, queries, floors, found[1]),
        "qps": round(own),
        "bare_qps": round(bare),
        "share": round(own / bare, 3),
    }


def recall(vectors: Floats, queries: Floats, floors: Floats, found: list[Rows]) -> float:
    """Share of the K best that were found, by exact scores; of rows that tie any will do."""
    hits = sum(
        int((exact_scores(vectors, np.asarray(rows, np.int64), query) >= floor).sum())
        for rows, query, floor in zip(found, queries, floors, strict=True)
    )
    return round(hits / (len(queries) * min(K, len(vectors))), 4)


def collections(cache: Path, data: Path, model: str, questions: int) -> tuple[Floats, Floats]:
    """All vectors that benchmarks/retrieval.py built, and questions of those collections."""
    blocks, texts = [], []
    for folder in sorted((cache / model).iterdir()):
        newest = sorted((folder / ".tesela" / "generations").glob("[0-9]*"))[-1:]
        blocks += [open_vectors(path / "vectors" / "vectors.npy") for path in newest]
        texts += list(questions_of(data / folder.name / "queries.jsonl"))
    some = np.random.default_rng(0).permutation(len(texts))[:questions]
    embedder = load_embedder(load_settings(flags={"embed.model": model}, environment={}).embed)
    vectors = np.concatenate(blocks)
    _, first = np.unique(vectors, axis=0, return_index=True)  # some collections share passages
    return vectors[np.sort(first)], embedder.embed([texts[i] for i in sorted(some)], "query")


def questions_of(path: Path) -> Iterator[str]:
    """The texts of a queries.jsonl, none where it is not there."""
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines)


def material(options: argparse.Namespace, folder: Path) -> tuple[Floats, Floats]:
    """Vectors, mapped from a file as a reader has them, and questions."""
    if options.random:
        made = made_up(*map(int, options.random.split(",")), options.questions, folder)
        return open_vectors(made.vectors), np.load(made.queries)
    if options.vectors:
        vectors, queries = np.load(options.vectors), np.load(options.queries)
        some = np.random.default_rng(0).permutation(len(queries))[: options.questions]
        queries = queries[some]
    else:
        vectors, queries = collections(
            options.cache, options.data, options.model, options.questions
        )
    write_vectors(folder / "v.npy", [vectors], *vectors.shape)
    return open_vectors(folder / "v.npy"), queries


def main() -> None:
    """Print a line an engine; exit 1 where one keeps less than --least of the bare library's speed."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--engine", action="append", choices=list(BARE))
    arguments.add_argument("--random", default="", metavar="N,D")
    arguments.add_argument("--vectors", type=Path)
    arguments.add_argument("--queries", type=Path)
    arguments.add_argument("--cache", type=Path, default=Path(".benchmark-cache"))
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--model", default="encoder-12")
    arguments.add_argument("--questions", type=int, default=300)
    arguments.add_argument("--set", action="append", default=[], help="KEY=VALUE of [engine]")
    arguments.add_argument("--cpu", action="store_true")
    arguments.add_argument("--least", type=float, default=0.9)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    if not (options.random or options.data or (options.vectors and options.queries)):
        sys.exit("say what to measure: --data DIR, --vectors and --queries, or --random N,D")
    pairs = (pair.partition("=") for pair in options.set)
    flags = {f"engine.{key}": parse_value(value) for key, _, value in pairs}
    base = load_settings(flags=flags, environment={}).engine
    clock = time.thread_time if options.cpu else time.perf_counter
    done = []
    with tempfile.TemporaryDirectory() as place:
        vectors, queries = material(options, Path(place))
        print(f"{len(vectors):,} vectors of {vectors.shape[1]}, {len(queries)} questions")
        for name in options.engine or BARE:
            began = time.monotonic()
            line = compare(name, vectors, queries, base, clock)
            done.append(line)
            shown = "  ".join(f"{key} {value}" for key, value in line.items() if key != "engine")
            print(f"{name:<12}{shown}  ({time.monotonic() - began:.0f} s)", flush=True)
    if options.json:
        options.json.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    if any(float(str(line["share"])) < options.least for line in done):
        sys.exit(f"less than {options.least:.0%} of a bare library's speed")


if __name__ == "__main__":
    main()
