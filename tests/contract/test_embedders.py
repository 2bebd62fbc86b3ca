"""What `kb.models.embedder.Embedder` promises, for every embedder in the registry."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from kb.models.embedder import Embedder
from kb.models.load import load_embedder, supports_tokens
from kb.registry import names
from kb.settings import EmbedSettings
from tests.tiny_onnx import write_model, write_tokenizer

WORDS = ["sol", "mar", "luz"]
TEXTS = ["sol mar", "luz", "mar luz sol", "sol"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    write_model(tmp_path / "model.onnx", table, ("input_ids", "attention_mask"))
    write_tokenizer(tmp_path / "tokenizer.json", WORDS)
    return tmp_path


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            vectors = [[float(t.count(w)) + 0.1 for w in WORDS] for t in body["input"]]
            data = [{"index": i, "embedding": v} for i, v in enumerate(vectors)]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"data": data}).encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture(params=names("embedder"))
def embedder(
    request: pytest.FixtureRequest, folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> Embedder:
    name: str = request.param
    if name == "hub":
        hub = pytest.importorskip("huggingface_hub")
        monkeypatch.setattr(hub, "snapshot_download", lambda *a, **k: str(folder))
    own = {
        "bundled": {"model": "encoder-6"},
        "onnx": {"model": str(folder)},
        "openai": {"model": "m", "url": address, "key_env": ""},
        "hub": {"model": "owner/name"},
    }
    return load_embedder(EmbedSettings(embedder=name, **own[name]))


@pytest.mark.parametrize("role", ["query", "passage"])
def test_unit_float32_rows_in_order(embedder: Embedder, role: str) -> None:
    rows = embedder.embed(TEXTS, role)  # type: ignore[arg-type]
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    backwards = embedder.embed(TEXTS[::-1], role)  # type: ignore[arg-type]
    np.testing.assert_array_equal(rows, backwards[::-1])
    for i, text in enumerate(TEXTS):
        alone = embedder.embed([text], role)  # type: ignore[arg-type]
        np.testing.assert_array_equal(alone[0], rows[i])
    assert len({row.tobytes() for row in rows}) == len(TEXTS)


def test_no_texts(embedder: Embedder) -> None:
    rows = embedder.embed([], "passage")
    assert (rows.shape, rows.dtype) == ((0, embedder.dimension), np.float32)


def test_names_limits_and_fingerprints(embedder: Embedder) -> None:
    assert embedder.name.split("/")[0] in names("embedder")
    assert 0 < embedder.max_tokens <= 512
    assert len(embedder.fingerprint) == 32
    assert embedder.fingerprint != embedder.tokenizer.fingerprint
    text = "sol  mar\n</s> luz"
    assert embedder.tokenizer.count(text) == len(embedder.tokenizer.offsets(text)) > 0


def test_token_vectors_where_there_are_any(embedder: Embedder) -> None:
    if not supports_tokens(embedder):
        return
    rows, tokens = embedder.embed_with_tokens(TEXTS, "passage")
    np.testing.assert_array_equal(rows, embedder.embed(TEXTS, "passage"))
    assert [len(t) for t in tokens] == [embedder.tokenizer.count(t) for t in TEXTS]
    assert all(t.dtype == np.float32 and t.shape[1] == embedder.dimension for t in tokens)
    assert embedder.token_mean.shape == (embedder.dimension,)
