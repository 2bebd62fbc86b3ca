"""Shared fixtures: the model is loaded once a session, the sample corpus is indexed once."""

import functools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.workers.worker import Place
from kb.models import load
from tests.running import ROOT, make_kb
from tests.warm import WarmWorkers


@pytest.fixture(scope="session", autouse=True)
def one_model_a_session() -> Iterator[None]:
    """Commands that run in this process share their embedder, which is what costs time."""
    patch = pytest.MonkeyPatch()
    patch.setattr(load, "load_embedder", functools.cache(load.load_embedder))
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def no_users_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The last query's hits go where no user's are."""
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def few_workers_a_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands that run in this process share the processes that read files, too."""
    home = str(tmp_path_factory.mktemp("workers"))
    workers = WarmWorkers(Place(home, writable=(str(tmp_path_factory.getbasetemp()),)))
    patch = pytest.MonkeyPatch()
    patch.setattr("ingest.workers.pool.Worker", workers)
    yield
    patch.undo()
    workers.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A KB of the sample corpus; tests must leave it as it is (`snapshot` tells)."""
    home = tmp_path_factory.mktemp("sample")
    shutil.copytree(ROOT / "sample_corpus" / "docs", home / "docs")
    return make_kb(home, {})


@pytest.fixture
def sample_copy(sample: Path, tmp_path: Path) -> Path:
    """A copy of that KB, free to be damaged."""
    return Path(shutil.copytree(sample, tmp_path / "sample"))
