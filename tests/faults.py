"""Writers that die: a process that has all modules loaded forks one for each command and kills it.

A fork costs milliseconds where a fresh interpreter costs a second, so that a writer can be killed
at every boundary of its stages.
"""

import functools
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from tests import forked_worker
from tests.fake_embedder import FakeEmbedder, _bag, _unit
from tests.running import environment, run, write

# Before and after each of these a writer may be killed.
BOUNDARIES = (
    "kb.store.store:Store.put",
    "kb.store.store:Store.remove_files",
    "kb.store.store:Store.collect",
    "kb.store.store:Store.compact",
    "index.vector_cache:VectorCache.put",
    "index.vector_cache:VectorCache.collect",
    "index.builder:write_chunks",
    "index.builder:write_vectors",
    "index.builder:write_tokens",
    "index.builder:build_bm25",
    "index.engines.exact:ExactEngine.save",
    "kb.generations:start",
    "kb.generations:entries",
    "kb.generations:publish",
    "kb.generations:prune",
    "kb.generations:remove",
    "kb.history:record",
    "kb.pending:announce",
    "kb.pending:settle",
    "kb.configure:save_settings",
    "pathlib:Path.rename",
    "pathlib:Path.replace",
    "shutil:rmtree",
    "os:fsync",
)


class ByModel(FakeEmbedder):
    """Another model for each name in the settings; the words of one are the mirror of the other's."""

    def __init__(self, model: str) -> None:
        super().__init__()
        self.name = f"fake/{model}"
        self.fingerprint = f"fake-words-64-{model}"
        self._turn = 1 if model == "encoder-12" else -1

    def embed(self, texts: Any, role: Any) -> Any:
        rows = super().embed(texts, role)
        return rows[:, :: self._turn].copy()

    def embed_with_tokens(self, texts: Any, role: Any) -> Any:
        import numpy as np

        tokens = [_unit(np.stack([_bag(word) for word in text.split() or [""]])) for text in texts]
        return self.embed(texts, role), tokens


@functools.cache
def load_fake(settings: Any) -> ByModel:
    """Stands in for `kb.models.load.load_embedder`."""
    return ByModel(settings.model)


class Nursery:
    """The process that forks writers."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults"],
            env=environment({"TOKENIZERS_PARALLELISM": "false"}),
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(10)

    def writer(
        self,
        *args: object,
        kill_at: int = 0,
        after: float | None = None,
        room: int = 0,
        real_workers: bool = False,
    ) -> tuple[int, int, str]:
        """Run one command line in a fork.

        Args:
            args: of ``tesela``.
            kill_at: the boundary, from 1, where it is killed; 0 for none.
            after: seconds until it is killed; None for never.
            room: the most bytes a file of it may have; 0 for any.
            real_workers: its workers are fresh interpreters, as a user's are, not forks of it.

        Returns:
            Exit status (-9 where it was killed), boundaries crossed, what it said on stderr.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {
            "args": [str(a) for a in args],
            "at": kill_at,
            "after": after,
            "room": room,
            "real": real_workers,
        }
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["status"], answer["crossed"], answer["err"]


def _hook(target: str, cross: Callable[[], None]) -> None:
    module, _, name = target.partition(":")
    owner: Any = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    real = getattr(owner, last)

    @functools.wraps(real)
    def hooked(*args: Any, **kwargs: Any) -> Any:
        cross()
        result = real(*args, **kwargs)
        cross()
        return result

    setattr(owner, last, hooked)


def _child(order: dict[str, Any], said: str) -> None:
    import resource

    from cli import main
    from ingest.workers import worker

    crossed = 0
    writer = os.getpid()
    if not order["real"]:
        worker._start = forked_worker.start  # type: ignore[assignment]
    # what a command prints goes to the parent on its own line only
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123

    def cross() -> None:
        nonlocal crossed
        if os.getpid() != writer:  # a worker of it
            return
        crossed += 1
        if crossed == order["at"]:
            os.kill(os.getpid(), signal.SIGKILL)

    for target in BOUNDARIES:
        _hook(target, cross)
    sys.stderr = Path(said + ".err").open("w", encoding="utf-8")  # noqa: SIM115
    if order["room"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["room"], resource.RLIM_INFINITY))
    code = main.run(order["args"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    sys.stderr.close()
    Path(said).write_text(str(crossed))
    os._exit(code)


def _serve() -> None:
    from kb.models import load

    load.load_embedder = load_fake
    with tempfile.TemporaryDirectory() as scratch:
        _warm_up(Path(scratch) / "kb")
        said = str(Path(scratch) / "said")
        for line in sys.stdin:
            order = json.loads(line)
            for name in (said, said + ".err"):
                Path(name).unlink(missing_ok=True)
            child = os.fork()
            if child == 0:
                _child(order, said)
            if order["after"] is not None:
                time.sleep(order["after"])
                os.kill(child, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            crossed = int(Path(said).read_text()) if Path(said).exists() else 0
            err = Path(said + ".err")
            answer = {"status": status, "crossed": crossed, "err": err.exists() and err.read_text()}
            print(json.dumps(answer), flush=True)  # noqa: T201


def _warm_up(home: Path) -> None:
    """Whatever is loaded on first use is loaded before the fork."""
    forked_worker.load()
    write(
        home / "docs",
        {"a.md": "# Antiguo 1\n\nLa bomba número 1 gira.", "b.md": "The turbine turns."},
    )
    for line in (("init", home), ("sync", home / "docs", "--kb", home), ("gc", "--kb", home)):
        done = run(*line)
        assert done.code == 0, done.err


if __name__ == "__main__":
    _serve()
