"""Anthropic's ``/v1/messages``, with its prompt cache."""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from kb.models.http_address import endpoint, key_in
from kb.models.http_errors import Failure, safe_url
from kb.models.llm.base import Call, Reply, Usage
from kb.models.llm.wire import Left, Wire, system_text
from kb.settings import LlmSettings

HOST = "api.anthropic.com"
_VERSION = "2023-06-01"


class _Block(msgspec.Struct):
    type: str
    text: str = ""


class _Usage(msgspec.Struct):
    input_tokens: int
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Answer(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


class AnthropicChat:
    """See `kb.models.llm.base.LlmClient`.

    The key is read from the variable that ``llm.key_env`` names; without one ANTHROPIC_API_KEY is
    sent, and to that provider only.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        url, login = endpoint(settings.url, "/messages", "llm.url")
        self.host = urlsplit(url).hostname or ""
        key = key_in(settings.key_env or ("ANTHROPIC_API_KEY" if self.host == HOST else ""))
        headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
        self._wire = Wire(url, headers, login, key, settings.timeout, settings.concurrency)

    @property
    def url(self) -> str:
        """The endpoint's full address, without credentials."""
        return self._wire.url

    @property
    def wire(self) -> Wire:
        """Its connections."""
        return self._wire

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self._settings.model} at {safe_url(self.url)}"

    def send(self, call: Call) -> Reply | Failure:
        """See `LlmClient.send`."""
        raw = self._wire.exchange(call, self._body)
        return raw if isinstance(raw, Failure) else self.read(raw)

    def body(self, call: Call) -> dict[str, Any]:
        """What `send` sends, for a batch."""
        return self._body(call, frozenset())

    def read(self, raw: bytes) -> Reply | Failure:
        """An answer of the endpoint."""
        try:
            return self._reply(msgspec.json.decode(raw, type=_Answer))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return self._wire.wrong(raw, error)

    def close(self) -> None:
        """Close connections."""
        self._wire.close()

    def _body(self, call: Call, left: Left) -> dict[str, Any]:
        settings = self._settings
        content = [_content(block.text, block.lasting) for block in call.prompt.blocks]
        if call.extra:
            content.append(_content(call.extra, lasting=False))
        body: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": call.max_output,
            "system": system_text(call, left),
            "messages": [{"role": "user", "content": content}],
        }
        if settings.temperature is not None and "temperature" not in left:
            body["temperature"] = settings.temperature
        if call.schema is not None and "schema" not in left:
            body["output_config"] = {"format": {"type": "json_schema", "schema": call.schema}}
        return body

    def _reply(self, answer: _Answer) -> Reply:
        text = "".join(block.text for block in answer.content if block.type == "text")
        usage = _counted(answer.usage)
        if answer.stop_reason == "refusal":
            return Reply(self._wire.masked(text), "refused", usage)
        cut = answer.stop_reason in ("max_tokens", "model_context_window_exceeded")
        return Reply(self._wire.masked(text), "length" if cut else "stop", usage)


def _content(text: str, lasting: bool) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if lasting:
        block["cache_control"] = {"type": "ephemeral"}
    return block


def _counted(usage: _Usage | None) -> Usage | None:
    """Here ``input_tokens`` are only those that the cache had no part in."""
    if usage is None:
        return None
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return Usage(usage.input_tokens + read + written, usage.output_tokens, read, written)
