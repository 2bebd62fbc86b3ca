"""Anthropic's ``/v1/messages``, with its prompt cache."""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from kb.models.http_address import endpoint, key_in
from kb.models.http_errors import Failure
from kb.models.llm.base import Call, Picture, Reply, Tell, Usage
from kb.models.llm.chat import Chat
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


class _Delta(msgspec.Struct):
    text: str = ""
    stop_reason: str | None = None


class _Begun(msgspec.Struct):
    usage: _Usage | None = None


class _Written(msgspec.Struct):
    output_tokens: int = 0


class _Event(msgspec.Struct):
    type: str = ""
    message: _Begun | None = None
    delta: _Delta | None = None
    usage: _Written | None = None
    error: Any = None


class _Streamed:
    """What the events so far come to."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.text = ""
        self.stop: str | None = None
        self.usage: _Usage | None = None
        self.error: Any = None

    def take(self, data: str) -> bool:
        event = msgspec.json.decode(data, type=_Event)
        self.error = event.error
        if event.message is not None:
            self.usage = event.message.usage
        if event.delta is not None:
            self._add(event.delta)
        if event.usage is not None and self.usage is not None:
            self.usage.output_tokens = event.usage.output_tokens
        return event.type == "message_stop" or self.error is not None

    def _add(self, delta: _Delta) -> None:
        self.stop = delta.stop_reason or self.stop
        self.text += delta.text
        if delta.text:
            self._tell(self.text)


class AnthropicChat(Chat):
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

    def read(self, raw: bytes) -> Reply | Failure:
        """An answer of the endpoint."""
        try:
            return self._reply(msgspec.json.decode(raw, type=_Answer))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return self._wire.wrong(raw, error)

    def stream(self, call: Call, tell: Tell) -> Reply | Failure:
        """See `LlmClient.stream`."""
        made = _Streamed(lambda text: tell(self._wire.masked(text)))
        try:
            raw = self._wire.stream(
                call, lambda c, left: self._body(c, left) | {"stream": True}, made.take
            )
            if made.error is not None:
                return self._wire.wrong(msgspec.json.encode(made.error), ValueError("an error"))
            if raw and isinstance(raw, bytes):  # it does not stream
                return self._reply(msgspec.json.decode(raw, type=_Answer))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return self._wire.wrong(made.text.encode(), error)
        if isinstance(raw, Failure):
            return raw
        return self._reply(_Answer([_Block("text", made.text)], made.stop, made.usage))

    def _body(self, call: Call, left: Left) -> dict[str, Any]:
        settings = self._settings
        content = [_image(picture) for picture in call.prompt.pictures]
        content += [_content(block.text, block.lasting) for block in call.prompt.blocks]
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


def _image(picture: Picture) -> dict[str, Any]:
    source = {"type": "base64", "media_type": picture.media, "data": picture.base64}
    return {"type": "image", "source": source}


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
