"""Builds and searches one engine in a process of its own, whose memory is that engine's alone."""

import sys
import time
from pathlib import Path

import msgspec
import numpy as np

from index.bench.material import K
from index.bench.task import Build, Built, Point, Search, Searched
from index.bench.timing import timed_side_by_side
from index.engines.base import Engine, Floats
from index.facts import bytes_under
from index.vectors import open_vectors
from kb.registry import load
from kb.settings import EngineSettings


def main() -> None:
    """Do the task on stdin, write what it comes to to stdout."""
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=Build | Search)
    done = build(task) if isinstance(task, Build) else search(task)
    sys.stdout.buffer.write(msgspec.json.encode(done))


def build(task: Build) -> Built:
    """Build and save."""
    vectors = open_vectors(Path(task.vectors))
    _warm_up(task.settings)
    folder = Path(task.folder)
    engine = _new(task.settings)
    began = time.perf_counter()
    engine.build(vectors)
    seconds = time.perf_counter() - began
    engine.save(folder)
    return Built(seconds, bytes_under(folder), engine.note)


def search(task: Search) -> Searched:
    """Load and search."""
    vectors = open_vectors(Path(task.vectors))
    queries: Floats = np.load(task.queries)
    floors: Floats = np.load(task.floors)
    k = min(K, len(vectors))
    _warm_up(task.settings[0])
    folder = Path(task.folder)
    before = _own_memory()
    began = time.perf_counter()
    engine = _new(task.settings[0])
    engine.load(folder, vectors)
    loaded = time.perf_counter() - began
    engine.search(queries[:1], k)
    after = _own_memory()
    points = []
    for settings in task.settings:
        engine = _new(settings)
        engine.load(folder, vectors)
        points.append(_point(engine, queries, floors, k))
    held = None if before is None or after is None else max(after - before, 0)
    return Searched(loaded, held, tuple(points))


def _new(settings: EngineSettings) -> Engine:
    engine: Engine = load("engine", settings.name)(settings)
    return engine


def _warm_up(settings: EngineSettings) -> None:
    """Have the library imported and BLAS' memory taken before anything is measured."""
    engine = _new(settings)
    some = np.eye(400, dtype=np.float32)
    engine.build(some)
    engine.search(some[:2], 1)


def _point(engine: Engine, queries: Floats, floors: Floats, k: int) -> Point:
    times, found = timed_side_by_side([lambda query: engine.search(query, k)[1]], queries)
    scores = np.concatenate(found[0])
    return Point(
        recall=recall(scores, floors),
        qps=len(queries) / float(times.sum()),
        p95_ms=float(np.quantile(times, 0.95)) * 1000,
        batch_qps=len(queries) / min(_batch(engine, queries, k) for _ in range(3)),
    )


def recall(scores: Floats, floors: Floats) -> float:
    """Share of the k best that were found.

    A row counts if its score reaches the k-th best, so that of rows that tie any will do.

    Args:
        scores: exact scores of what was found, (q, k).
        floors: the k-th best score of each query, (q,).
    """
    return float((scores >= floors[:, None]).mean())


def _batch(engine: Engine, queries: Floats, k: int) -> float:
    began = time.perf_counter()
    engine.search(queries, k)
    return time.perf_counter() - began


def _own_memory() -> int | None:
    """Bytes that are this process's alone, mapped files left out; None where it does not show."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    line = next((line for line in status.splitlines() if line.startswith("RssAnon:")), None)
    return None if line is None else int(line.split()[1]) * 1024
