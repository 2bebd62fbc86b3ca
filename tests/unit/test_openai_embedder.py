import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from kb.errors import Unavailable, UsageError
from kb.models.http_address import endpoint
from kb.models.http_post import Patience
from kb.models.openai_embedder import OpenAIEmbedder, batches
from kb.settings import EmbedSettings

KEY = "sk-very-secret-key"
Answer = tuple[int, dict[str, str], Any]


def rows(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Vector of a text: (its length, 1)."""
    return [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(body["input"])]


def good(body: dict[str, Any]) -> Answer:
    return 200, {}, {"data": rows(body)}


@dataclass
class Server:
    url: str = ""
    script: list[Callable[[dict[str, Any]], Answer]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def embedder(self, timeout: float = 10.0, **settings: Any) -> OpenAIEmbedder:
        patience = Patience(tries=3, sleep=self.waits.append, chance=lambda: 1.0)
        made = EmbedSettings(**{"model": "m", "url": self.url, "key_env": "TEST_KEY"} | settings)
        return OpenAIEmbedder(made, timeout=timeout, patience=patience)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TEST_KEY", raising=False)
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.bodies.append(body)
            state.headers.append(dict(self.headers))
            state.paths.append(self.path)
            answer = state.script.pop(0) if state.script else good
            status, headers, content = answer(body)
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            try:
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(raw))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client gave up

        def log_message(self, format: str, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def says(status: int, content: Any, **headers: str) -> Callable[[dict[str, Any]], Answer]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda body: (status, named, content)


def test_rows_are_unit_length_and_in_order(server: Server) -> None:
    server.script = [lambda b: (200, {}, {"data": rows(b)[::-1]})]
    got = server.embedder().embed(["abc", "", "a"], "passage")
    assert got.dtype == np.float32
    expected = np.array([[3, 1], [0, 1], [1, 1]]) / np.sqrt([[10], [1], [2]])
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert server.bodies == [{"model": "m", "input": ["abc", "", "a"]}]
    assert server.paths == ["/v1/embeddings"]


def test_prefixes_dimension_and_key_are_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", f"{KEY}\n")
    e = server.embedder(query_prefix="q: ", dimension=2, url=server.url + "/v1/")
    e.embed(["x"], "query")
    e.embed(["x"], "passage")
    assert [b["input"] for b in server.bodies] == [["q: x"], ["x"]]
    assert server.bodies[0]["dimensions"] == 2
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.paths == ["/v1/embeddings"] * 2


def test_without_a_key_none_is_sent(server: Server) -> None:
    server.embedder().embed(["x"], "query")
    assert "Authorization" not in server.headers[0]


def test_login_in_the_url_is_sent_but_not_shown(server: Server) -> None:
    e = server.embedder(url=server.url.replace("//", "//me:hidden@"))
    server.script = [says(403, {"error": {"message": "not you"}})]
    with pytest.raises(Unavailable) as caught:
        e.embed(["x"], "query")
    assert "hidden" not in str(caught.value)
    assert server.headers[0]["Authorization"].startswith("Basic ")
    assert e.fingerprint == server.embedder().fingerprint


def test_many_texts_go_in_batches(server: Server) -> None:
    texts = ["x" * (i % 7 + 1) for i in range(70)]
    got = server.embedder().embed(texts, "passage")
    assert [len(b["input"]) for b in server.bodies] == [32, 32, 6]
    ratio = got[:, 0] / got[:, 1]
    np.testing.assert_allclose(ratio, [len(t) for t in texts], rtol=1e-5)


def test_batches_are_bounded_in_characters() -> None:
    sizes = [60_000, 40_000, 1, 250_000, 5]
    assert [[len(t) for t in b] for b in batches(iter(["x" * n for n in sizes]))] == [
        [60_000, 40_000],
        [1],
        [250_000],
        [5],
    ]


def test_no_texts_ask_only_for_the_dimension(server: Server) -> None:
    assert server.embedder().embed([], "query").shape == (0, 2)
    assert server.embedder(dimension=5).embed([], "query").shape == (0, 5)
    assert len(server.bodies) == 1


def test_rate_limit_is_waited_for(server: Server) -> None:
    server.script = [says(429, {"error": {"message": "slow down"}}, Retry_After="7")]
    assert server.embedder().embed(["x"], "query").shape == (1, 2)
    assert server.waits == [7.0]


def test_server_errors_are_tried_again_with_growing_waits(server: Server) -> None:
    server.script = [says(500, b"oops"), says(503, b"")]
    server.embedder().embed(["x"], "query")
    assert server.waits == [0.5, 1.0]


def test_patience_ends(server: Server) -> None:
    server.script = [says(502, b"<html>bad gateway</html>")] * 9
    with pytest.raises(Unavailable, match=r"/v1/embeddings failed: HTTP 502: .*\(3 tries\)"):
        server.embedder().embed(["x"], "query")
    assert len(server.bodies) == 3


def test_a_wait_of_hours_is_not_sat_out(server: Server) -> None:
    server.script = [says(429, b"tomorrow", Retry_After="7200")]
    with pytest.raises(Unavailable, match="asks to wait 7200 s"):
        server.embedder().embed(["x"], "query")
    assert server.waits == []


@pytest.mark.parametrize(
    ("status", "content", "words"),
    [
        (400, {"error": {"message": "input too long"}}, "HTTP 400: input too long"),
        (401, {"error": {"message": f"bad key {KEY}"}}, r"bad key \*\*\*; check the key"),
        (403, {"detail": "forbidden"}, "HTTP 403: forbidden"),
        (404, {"message": "no model m"}, "no model m; check the address and the model's name"),
        (429, {"error": {"code": "insufficient_quota", "message": "pay"}}, "HTTP 429: pay"),
        (302, b"", "HTTP 302"),
    ],
)
def test_refusals_are_told_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int, content: Any, words: str
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    server.script = [says(status, content)]
    with pytest.raises(Unavailable, match=words) as caught:
        server.embedder().embed(["x"], "query")
    assert len(server.bodies) == 1
    assert KEY not in str(caught.value)


def test_long_words_of_a_server_are_bounded(server: Server) -> None:
    server.script = [says(400, b"x" * 5000)]
    with pytest.raises(Unavailable) as caught:
        server.embedder().embed(["x"], "query")
    assert len(str(caught.value)) < 450


def test_a_silent_server_times_out(server: Server) -> None:
    def slow(body: dict[str, Any]) -> Answer:
        time.sleep(0.4)
        return good(body)

    server.script = [slow] * 3
    with pytest.raises(Unavailable, match=r"no answer in time \(3 tries\)"):
        server.embedder(timeout=0.1).embed(["x"], "query")


def test_nobody_there(server: Server) -> None:
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9/v1/embeddings failed: .*3 tries"):
        server.embedder(url="http://127.0.0.1:9").embed(["x"], "query")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"data": []}, "has 0 rows"),
        ({"data": [{"index": 0, "embedding": [1.0]}]}, "has 1 rows .* for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 2}, r"indices \[0, 0\]"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2]}]}, "vectors of 1, 2 numbers"),
        ({"data": [{"embedding": []}, {"embedding": []}]}, "vectors of 0 numbers"),
        ({"data": [{"embedding": [0.0]}, {"embedding": [1.0]}]}, "zero or not finite"),
        ({"data": [{"embedding": "AAAA"}] * 2}, "not an embeddings answer"),
        (b"<html>login</html>", "not an embeddings answer .*login"),
        ({"object": "list"}, "not an embeddings answer"),
    ],
)
def test_wrong_answers_are_refused(server: Server, content: Any, words: str) -> None:
    server.script = [says(200, content)]
    with pytest.raises(Unavailable, match=words):
        server.embedder().embed(["a", "b"], "query")


def test_dimension_is_asked_once_and_then_kept(server: Server) -> None:
    e = server.embedder()
    assert (e.dimension, e.dimension) == (2, 2)
    assert len(server.bodies) == 1
    server.script = [says(200, {"data": [{"embedding": [1.0, 2.0, 3.0]}]})]
    with pytest.raises(Unavailable, match="vectors of 3 numbers where 2 were expected"):
        e.embed(["x"], "query")
    with pytest.raises(Unavailable, match="vectors of 2 numbers where 768 were expected"):
        server.embedder(dimension=768).embed(["x"], "query")


def test_fingerprint_needs_no_server_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(**settings: Any) -> str:
        return OpenAIEmbedder(
            EmbedSettings(**{"url": "http://h", "model": "m"} | settings)
        ).fingerprint

    base = of()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert of() == of(url="http://h/v1/") == base
    others = [of(model="n"), of(url="http://i"), of(dimension=3), of(passage_prefix="p")]
    assert len({base, *others}) == 5


def test_a_key_no_header_can_carry_is_not_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("sk-\nsecret", "sk-señal", "sk secret"):
        monkeypatch.setenv("TEST_KEY", key)
        with pytest.raises(UsageError, match="TEST_KEY") as caught:
            OpenAIEmbedder(EmbedSettings(url="http://h", key_env="TEST_KEY"))
        assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "full"),
    [
        ("http://h:8080", "http://h:8080/v1/embeddings"),
        ("https://h/api/v3/", "https://h/api/v3/embeddings"),
        ("https://h/v1beta2", "https://h/v1beta2/embeddings"),
        ("https://h/openai/embeddings?api-version=1", "https://h/openai/embeddings?api-version=1"),
    ],
)
def test_endpoint(url: str, full: str) -> None:
    assert endpoint(url, "/embeddings", "embed.url") == (full, None)


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://h", "http://"])
def test_an_unusable_address_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError, match=r"embed\.url .*http://localhost:8080/v1"):
        OpenAIEmbedder(EmbedSettings(url=url))


def test_margin_for_another_tokenizer(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    e = server.embedder(max_tokens=512, passage_prefix="passage: ")
    assert e.max_tokens == 256 - 2
    caplog.set_level(logging.WARNING)
    e.embed(["sol " * 512], "query")
    assert not caplog.records
    e.embed(["sol " * 513], "query")
    assert "1 texts have more than the 512 tokens" in caplog.text


def test_unknown_characters_count_one_by_one() -> None:
    tokenizer = OpenAIEmbedder(EmbedSettings(url="http://h")).tokenizer
    text = "sol 知识库"
    assert tokenizer.count(text) == len(tokenizer.offsets(text)) == 5  # ▁sol, ▁, 知, 识, 库
    assert tokenizer.offsets(text)[-3:].tolist() == [[4, 5], [5, 6], [6, 7]]
    assert tokenizer.count("") == 0
    assert tokenizer.fingerprint
