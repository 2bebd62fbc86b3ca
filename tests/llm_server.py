"""A chat endpoint of the tests' own, on a real socket, with faults on order."""

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Said = tuple[int, dict[str, str], Any]
Step = Callable[[dict[str, Any]], Said]
USAGE = {"prompt_tokens": 100, "completion_tokens": 20}


def openai(text: str, finish: str = "stop", **usage: Any) -> dict[str, Any]:
    """An answer of ``/chat/completions``."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return {"choices": [choice], "usage": USAGE | usage}


def anthropic(text: str, stop: str = "end_turn", **usage: Any) -> dict[str, Any]:
    """An answer of ``/messages``."""
    counted = {"input_tokens": 100, "output_tokens": 20} | usage
    return {"content": [{"type": "text", "text": text}], "stop_reason": stop, "usage": counted}


WIRES = {"openai": openai, "anthropic": anthropic}  # by kind of client


def says(status: int, content: Any, **headers: str) -> Step:
    """A step that answers the same to anything."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda body: (status, named, content)


def text_of(body: dict[str, Any]) -> str:
    """All that was sent, in either wire format."""
    parts = [body.get("system", "")]
    for message in body["messages"]:
        content = message["content"]
        parts += (
            [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        )
    return "\n".join(parts)


def images_of(body: dict[str, Any]) -> list[bytes]:
    """The images that were sent, in either wire format."""
    found: list[str] = []
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                head, _, data = part["image_url"]["url"].partition(",")
                assert head == "data:image/jpeg;base64"
                found.append(data)
            elif part["type"] == "image":
                assert part["source"]["type"] == "base64"
                assert part["source"]["media_type"] == "image/jpeg"
                found.append(part["source"]["data"])
    return [base64.b64decode(data, validate=True) for data in found]


@dataclass
class Server:
    """Answers with the next step of the script, and with `usual` when that is used up."""

    usual: Step
    url: str = ""
    script: list[Step] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    seconds: float = 0.0  # before each answer
    most_at_once: int = 0
    _now: int = 0
    _lock: Any = field(default_factory=threading.Lock)

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Said:
        with self._lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.bodies.append(body)
            step = self.script.pop(0) if self.script else self.usual
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            time.sleep(self.seconds)
            return step(body)
        finally:
            with self._lock:
                self._now -= 1


@contextmanager
def serving(usual: Step) -> Iterator[Server]:
    """A server for as long as the block runs."""
    server = Server(usual)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, content = server.answer(self.path, dict(self.headers), body)
            if content is None:  # drop the connection
                self.close_connection = True
                return
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            try:
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(raw))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)
                if headers.get("Content-Length", str(len(raw))) != str(len(raw)):
                    self.close_connection = True
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # the client gave up

    httpd = Quiet(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
