import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("huggingface_hub")

from kb.errors import Unavailable, UsageError
from kb.models.hub_embedder import FILES, HubEmbedder
from kb.settings import EmbedSettings
from tests.tiny_onnx import write_model, write_tokenizer

SETTINGS = EmbedSettings(embedder="hub", model="owner/name")


class Hub:
    """Stands in for `snapshot_download`."""

    def __init__(self, folder: Path, cached: bool, error: Exception | None = None) -> None:
        self.folder, self.cached, self.error = folder, cached, error
        self.calls: list[dict[str, Any]] = []

    def __call__(self, model: str, **options: Any) -> str:
        from huggingface_hub.errors import LocalEntryNotFoundError

        self.calls.append(options)
        if options.get("local_files_only"):
            if not self.cached:
                raise LocalEntryNotFoundError("not here")
        elif self.error:
            raise self.error
        return str(self.folder)


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    (tmp_path / "onnx").mkdir()
    write_model(tmp_path / "onnx" / "model.onnx", np.eye(4, dtype=np.float32), ("input_ids",))
    write_tokenizer(tmp_path / "tokenizer.json", ["sol"])
    return tmp_path


def use(monkeypatch: pytest.MonkeyPatch, hub: Hub) -> Hub:
    monkeypatch.setattr("huggingface_hub.snapshot_download", hub)
    return hub


def test_a_cached_copy_needs_no_network(monkeypatch: pytest.MonkeyPatch, snapshot: Path) -> None:
    hub = use(monkeypatch, Hub(snapshot, cached=True))
    e = HubEmbedder(SETTINGS)
    assert e.name == "hub/owner/name"
    assert e.embed(["sol"], "query").shape == (1, 4)
    assert [c["allow_patterns"] for c in hub.calls] == [FILES]


def test_else_it_is_downloaded(monkeypatch: pytest.MonkeyPatch, snapshot: Path) -> None:
    hub = use(monkeypatch, Hub(snapshot, cached=False))
    assert HubEmbedder(SETTINGS).dimension == 4
    assert len(hub.calls) == 2


def test_a_model_without_onnx_files(monkeypatch: pytest.MonkeyPatch, snapshot: Path) -> None:
    (snapshot / "onnx" / "model.onnx").unlink()
    use(monkeypatch, Hub(snapshot, cached=True))
    with pytest.raises(Unavailable, match=r"has no model\.onnx"):
        HubEmbedder(SETTINGS)


def test_a_broken_network(monkeypatch: pytest.MonkeyPatch, snapshot: Path) -> None:
    use(monkeypatch, Hub(snapshot, cached=False, error=OSError("cable cut\nmore")))
    with pytest.raises(Unavailable, match=r"owner/name .*\(cable cut\): try again with a network"):
        HubEmbedder(SETTINGS)


def test_an_id_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        HubEmbedder(EmbedSettings(model="a/b/c"))


@pytest.mark.parametrize("offline", ["0", "1"])
def test_the_real_client_without_a_network_gives_up_soon(tmp_path: Path, offline: str) -> None:
    code = (
        "from kb.settings import EmbedSettings\n"
        "from kb.errors import Unavailable\n"
        "from kb.models.hub_embedder import HubEmbedder\n"
        "try:\n    HubEmbedder(EmbedSettings(model='owner/name'))\n"
        "except Unavailable as e:\n    print(e.exit_code, e)\n"
    )
    environment = os.environ | {
        "HF_HOME": str(tmp_path),
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": offline,
        "NO_PROXY": "127.0.0.1",
    }
    root = Path(__file__).parents[2]
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True
    )
    assert done.stdout.startswith("6 owner/name is not in the hub's cache"), done.stderr
    assert time.monotonic() - start < 20
