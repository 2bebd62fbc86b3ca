"""Providers' batch services: many calls left at once, answered within a day, at half the price."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from kb.errors import Unavailable, UsageError
from kb.models.http_errors import Failure
from kb.models.llm.anthropic import AnthropicChat
from kb.models.llm.base import Call, LlmClient, Reply
from kb.models.llm.openai import OpenAIChat
from kb.models.llm.wire import Wire

T = TypeVar("T")


class _Batch(msgspec.Struct):
    """A batch as either provider tells of it."""

    id: str
    status: str = ""  # OpenAI
    processing_status: str = ""  # Anthropic
    output_file_id: str | None = None
    error_file_id: str | None = None
    metadata: dict[str, str] | None = None
    request_counts: dict[str, int] | None = None
    created_at: int | str = 0


class _Listed(msgspec.Struct):
    data: list[_Batch]


class _File(msgspec.Struct):
    id: str


class _Response(msgspec.Struct):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class _OpenAILine(msgspec.Struct):
    custom_id: str
    response: _Response | None = None
    error: Any = None


class _Result(msgspec.Struct):
    type: str
    message: msgspec.Raw = msgspec.Raw(b"null")


class _AnthropicLine(msgspec.Struct):
    custom_id: str
    result: _Result


class BatchService(Protocol):
    """Leaves calls with a provider and fetches the answers. All raise Unavailable where it fails."""

    def send(self, calls: Mapping[str, Call], mark: str) -> str:
        """Leave calls, each under a name of its own; returns the batch's id."""
        ...

    def find(self, mark: str, calls: int) -> str | None:
        """The id of a batch that was sent under a mark, should sending have been cut off."""
        ...

    def done(self, batch: str) -> bool:
        """Whether its answers can be fetched; also where it expired or was cancelled."""
        ...

    def answers(self, batch: str) -> Iterator[tuple[str, Reply | Failure]]:
        """Each call's name and answer, in any order; those that were not made are left out."""
        ...


class OpenAIBatches:
    """``/files`` and ``/batches``. See `BatchService`."""

    def __init__(self, client: OpenAIChat) -> None:
        self._client = client
        self._wire = client.wire
        self._base = _base(client.url, "/chat/completions")

    def send(self, calls: Mapping[str, Call], mark: str) -> str:
        """See `BatchService.send`."""
        route = f"{urlsplit(self._base).path}/chat/completions"
        lines = [
            msgspec.json.encode(
                {
                    "custom_id": name,
                    "method": "POST",
                    "url": route,
                    "body": self._client.body(call),
                }
            )
            for name, call in calls.items()
        ]
        raw = _asked(
            self._wire,
            "POST",
            f"{self._base}/files",
            data={"purpose": "batch"},
            files={"file": (f"{mark}.jsonl", b"\n".join(lines) + b"\n", "application/jsonl")},
        )
        body = {
            "input_file_id": _read(raw, _File).id,
            "endpoint": route,
            "completion_window": "24h",
            "metadata": {"tesela": mark},
        }
        made = _asked(self._wire, "POST", f"{self._base}/batches", json=body)
        return _read(made, _Batch).id

    def find(self, mark: str, calls: int) -> str | None:
        """See `BatchService.find`."""
        listed = _read(_asked(self._wire, "GET", f"{self._base}/batches?limit=100"), _Listed)
        marked = (batch for batch in listed.data if (batch.metadata or {}).get("tesela") == mark)
        return next((batch.id for batch in marked), None)

    def done(self, batch: str) -> bool:
        """See `BatchService.done`."""
        return self._state(batch).status in ("completed", "failed", "expired", "cancelled")

    def answers(self, batch: str) -> Iterator[tuple[str, Reply | Failure]]:
        """See `BatchService.answers`."""
        state = self._state(batch)
        for file in (state.output_file_id, state.error_file_id):
            if not file:
                continue
            for line in _lines(_asked(self._wire, "GET", f"{self._base}/files/{file}/content")):
                one = _read(line, _OpenAILine)
                if one.response is not None and one.response.status_code == 200:
                    yield one.custom_id, self._client.read(bytes(one.response.body))
                else:
                    said = one.error if one.response is None else bytes(one.response.body)
                    yield one.custom_id, _failure(said)

    def _state(self, batch: str) -> _Batch:
        return _read(_asked(self._wire, "GET", f"{self._base}/batches/{batch}"), _Batch)


class AnthropicBatches:
    """``/messages/batches``. See `BatchService`."""

    def __init__(self, client: AnthropicChat) -> None:
        self._client = client
        self._wire = client.wire
        self._base = f"{_base(client.url, '/messages')}/messages/batches"

    def send(self, calls: Mapping[str, Call], mark: str) -> str:
        """See `BatchService.send`."""
        requests = [
            {"custom_id": name, "params": self._client.body(call)} for name, call in calls.items()
        ]
        made = _asked(self._wire, "POST", self._base, json={"requests": requests})
        return _read(made, _Batch).id

    def find(self, mark: str, calls: int) -> str | None:
        """See `BatchService.find`; batches have no mark here, so the newest of as many calls it is."""
        listed = _read(_asked(self._wire, "GET", f"{self._base}?limit=20"), _Listed)
        alike = (b for b in listed.data if sum((b.request_counts or {}).values()) == calls)
        return next((batch.id for batch in alike), None)

    def done(self, batch: str) -> bool:
        """See `BatchService.done`."""
        state = _read(_asked(self._wire, "GET", f"{self._base}/{batch}"), _Batch)
        return state.processing_status == "ended"

    def answers(self, batch: str) -> Iterator[tuple[str, Reply | Failure]]:
        """See `BatchService.answers`."""
        for line in _lines(_asked(self._wire, "GET", f"{self._base}/{batch}/results")):
            one = _read(line, _AnthropicLine)
            if one.result.type == "succeeded":
                yield one.custom_id, self._client.read(bytes(one.result.message))
            else:
                yield one.custom_id, _failure(one.result.type)


def batch_service(client: LlmClient) -> BatchService:
    """The batch service of a client's provider.

    Raises:
        UsageError: it is not known to have one.
    """
    if isinstance(client, OpenAIChat):
        return OpenAIBatches(client)
    if isinstance(client, AnthropicChat):
        return AnthropicBatches(client)
    raise UsageError(f"{client.name} has no batch service: leave --batch out")


def _base(url: str, route: str) -> str:
    return url.partition("?")[0].removesuffix(route)


def _asked(wire: Wire, method: str, url: str, **sent: Any) -> bytes:
    answer = wire.request(method, url, **sent)
    if isinstance(answer, Failure):
        hint = f"; {answer.hint}" if answer.hint else ""
        raise Unavailable(f"the LLM's batch service: {url} failed: {answer.words}{hint}")
    return answer


def _read(raw: bytes, form: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        said = raw[:200].decode("utf-8", "replace")
        raise Unavailable(f"the LLM's batch service answers in another form: {said}") from error


def _lines(raw: bytes) -> list[bytes]:
    return [line for line in raw.splitlines() if line.strip()]


def _failure(said: Any) -> Failure:
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return Failure(words[:300], transient=True)
