"""One HTTP exchange with a chat endpoint, which may not know all that could be asked of it."""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from kb.models.http_address import Login
from kb.models.http_errors import Failure, bounded, of_exception, of_response
from kb.models.http_post import post_once
from kb.models.llm.base import Call
from kb.models.llm.events import Take, post_for_events

if TYPE_CHECKING:
    import httpx

Left = frozenset[str]  # what an endpoint did not take
# What can be left out, and how a refusal names it.
_NAMED = {
    "temperature": ("temperature",),
    "seed": ("seed",),
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    "stream_options": ("stream_options",),
    "schema": ("response_format", "json_schema", "output_config", "schema", "grammar"),
}
_UNKNOWN = frozenset({400, 422, 501})
_TOO_LONG = ("context size", "context length")


class Wire:
    """Connections to one address; opened when first needed."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        login: Login | None,
        secret: str,
        timeout: float,
        connections: int,
    ) -> None:
        self.url = url
        self._headers = headers
        self._login = login
        self._secret = secret
        self._timeout = timeout
        self._connections = connections
        self._left: Left = frozenset()
        self._lock = Lock()
        self._client: httpx.Client | None = None

    def exchange(
        self, call: Call, body: Callable[[Call, Left], Mapping[str, Any]]
    ) -> bytes | Failure:
        """The server's answer; `body` gives what to send, without what the endpoint does not take."""
        return self._taken(
            call, body, lambda raw: post_once(self._open(), self.url, raw, self._secret)
        )

    def stream(
        self, call: Call, body: Callable[[Call, Left], Mapping[str, Any]], take: Take
    ) -> bytes | Failure:
        """As `exchange`, each event given to `take`; b"" where the answer came as events."""
        return self._taken(
            call, body, lambda raw: post_for_events(self._open(), self.url, raw, self._secret, take)
        )

    def _taken(
        self,
        call: Call,
        body: Callable[[Call, Left], Mapping[str, Any]],
        send: Callable[[bytes], bytes | Failure],
    ) -> bytes | Failure:
        left = self._left
        while True:
            answer = send(msgspec.json.encode(body(call, left)))
            if isinstance(answer, bytes):
                self._left = left
                return answer
            refused = _refused(answer, call, left)
            if not refused:
                return answer
            left |= {refused}

    def request(self, method: str, url: str, **sent: Any) -> bytes | Failure:
        """Any other exchange with the server; one try. `sent` is what httpx takes."""
        import httpx

        try:
            response = self._open().request(method, url, **sent)
        except httpx.TransportError as error:
            return of_exception(error, self._secret)
        return of_response(response, self._secret) or response.content

    def wrong(self, raw: bytes, error: Exception) -> Failure:
        """The failure that an answer of another form is; the work was done."""
        said = bounded(raw[:2000].decode("utf-8", "replace"), self._secret)
        words = f"the answer is of another form ({error}): {said}"
        return Failure(words, transient=True, perhaps_billed=True)

    def masked(self, text: str) -> str:
        """Text of the server without the key, should it repeat it."""
        return text.replace(self._secret, "***") if self._secret else text

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _open(self) -> "httpx.Client":
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    headers=self._headers,
                    timeout=httpx.Timeout(self._timeout, connect=min(10.0, self._timeout)),
                    auth=self._login,
                    limits=httpx.Limits(max_connections=self._connections),
                )
            return self._client


def system_text(call: Call, left: Left) -> str:
    """The system message; where the endpoint takes no schema, with the form that is wanted."""
    if call.schema is None or "schema" not in left:
        return call.prompt.system
    form = msgspec.json.encode(call.schema).decode()
    return f"{call.prompt.system}\n\nAnswer with JSON alone, of this JSON Schema:\n{form}"


def _refused(failure: Failure, call: Call, left: Left) -> str:
    """What the endpoint seems not to take; "" where that is not the reason."""
    if failure.status not in _UNKNOWN:
        return ""
    words = failure.words.casefold()
    for name, marks in _NAMED.items():
        if name not in left and any(mark in words for mark in marks):
            return name
    if any(mark in words for mark in _TOO_LONG):
        return ""
    plain = failure.status != 422 and call.schema is not None and "schema" not in left
    return "schema" if plain else ""
