"""A provider's batch service of the tests' own, in both wire formats."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.context_llm import context_of, encoded
from tests.llm_server import anthropic, openai, text_of

_CHUNK = re.compile(r"<chunk>\n(.*?)\n</chunk>", re.DOTALL)
Requests = list[dict[str, Any]]


@dataclass
class Service:
    """Batches by id; they are done when `done` says so."""

    url: str = ""
    done: bool = False
    drops: bool = False  # the next batch is taken, and the connection lost
    fails: str = ""  # a chunk with this word is not answered
    files: dict[str, Requests] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def asked(self) -> list[str]:
        """Names of all calls that were left."""
        return [r["custom_id"] for made in self.batches.values() for r in self.requests(made)]

    def requests(self, made: dict[str, Any]) -> Requests:
        return self.files[made["input_file_id"]]

    def make(self, requests: Requests, metadata: dict[str, str]) -> dict[str, Any]:
        name = f"b{len(self.batches)}"
        self.files.setdefault(f"in-{name}", requests)
        made = {"id": name, "input_file_id": f"in-{name}", "metadata": metadata}
        self.batches[name] = made
        return self.shown(made)

    def shown(self, made: dict[str, Any]) -> dict[str, Any]:
        count = len(self.requests(made))
        return made | {
            "status": "completed" if self.done else "in_progress",
            "processing_status": "ended" if self.done else "in_progress",
            "output_file_id": f"out-{made['id']}" if self.done else None,
            "request_counts": {"processing": count},
        }

    def said(self, body: dict[str, Any]) -> str | None:
        chunk = _CHUNK.findall(text_of(body))[-1]
        return None if self.fails and self.fails in chunk else context_of(chunk)

    def openai_lines(self, name: str) -> bytes:
        lines = []
        for request in self.requests(self.batches[name]):
            said = self.said(request["body"])
            failed = {"status_code": 500, "body": {"error": {"message": "overloaded"}}}
            answer = failed if said is None else {"status_code": 200, "body": openai(said)}
            lines.append({"custom_id": request["custom_id"], "response": answer, "error": None})
        return encoded(lines)

    def anthropic_lines(self, name: str) -> bytes:
        lines = []
        for request in self.requests(self.batches[name]):
            said = self.said(request["params"])
            failed = {"type": "errored", "error": {"type": "overloaded"}}
            result = failed if said is None else {"type": "succeeded", "message": anthropic(said)}
            lines.append({"custom_id": request["custom_id"], "result": result})
        return encoded(lines)


def _posted(service: Service, path: str, raw: bytes) -> Any:
    if path == "/v1/files":
        assert b'name="purpose"' in raw
        lines = [json.loads(line) for line in raw.splitlines() if line.startswith(b'{"custom_id"')]
        name = f"f{len(service.files)}"
        service.files[name] = lines
        return {"id": name}
    body = json.loads(raw)
    if path == "/v1/batches":
        assert body["endpoint"] == "/v1/chat/completions"
        return service.make(service.files[body["input_file_id"]], body["metadata"])
    assert path == "/v1/messages/batches", path
    return service.make(body["requests"], {})


def _got(service: Service, path: str) -> Any:
    route, _, query = path.partition("?")
    if query:
        return {"data": [service.shown(made) for made in service.batches.values()]}
    parts = route.split("/")
    if parts[-1] == "content":
        return service.openai_lines(parts[-2].removeprefix("out-"))
    if parts[-1] == "results":
        return service.anthropic_lines(parts[-2])
    return service.shown(service.batches[parts[-1]])


@contextmanager
def batching() -> Iterator[Service]:
    """A service for as long as the block runs."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            answer = _posted(service, self.path, raw)
            if service.drops and "batches" in self.path:
                service.drops = False
                self.close_connection = True
                return
            self._say(lambda: answer)

        def do_GET(self) -> None:
            self._say(lambda: _got(service, self.path))

        def _say(self, make: Callable[[], Any]) -> None:
            answer = make()
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield service
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
