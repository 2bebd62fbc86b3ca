"""Any OpenAI-compatible ``/chat/completions``: OpenAI, Ollama, vLLM, llama.cpp and others."""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from kb.models.http_address import endpoint, key_in
from kb.models.http_errors import Failure
from kb.models.llm.base import Call, Reply, Tell, Usage
from kb.models.llm.chat import Chat
from kb.models.llm.events import BROKE_OFF
from kb.models.llm.wire import Left, Wire, system_text
from kb.settings import LlmSettings

HOST = "api.openai.com"


class _Part(msgspec.Struct):
    text: str = ""


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class _Piece(msgspec.Struct):
    delta: _Message = msgspec.field(default_factory=_Message)
    finish_reason: str | None = None


class _Event(msgspec.Struct):
    choices: list[_Piece] = []
    usage: _Usage | None = None
    error: Any = None


class _Streamed:
    """What the events so far come to."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.text = self.refusal = ""
        self.finish: str | None = None
        self.usage: _Usage | None = None
        self.error: Any = None

    def take(self, data: str) -> bool:
        event = msgspec.json.decode(data, type=_Event)
        self.usage = event.usage or self.usage
        self.error = event.error
        for piece in event.choices[:1]:
            self.refusal += piece.delta.refusal or ""
            more = _plain(piece.delta.content)
            self.text += more
            self.finish = piece.finish_reason or self.finish
            if more:
                self._tell(self.text)
        return bool(self.error)


class OpenAIChat(Chat):
    """See `kb.models.llm.base.LlmClient`.

    The key is read from the variable that ``llm.key_env`` names; without one OPENAI_API_KEY is
    sent, and to that provider only.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        url, login = endpoint(settings.url, "/chat/completions", "llm.url")
        self.host = urlsplit(url).hostname or ""
        key = key_in(settings.key_env or ("OPENAI_API_KEY" if self.host == HOST else ""))
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._wire = Wire(
            url, headers, None if key else login, key, settings.timeout, settings.concurrency
        )

    def read(self, raw: bytes) -> Reply | Failure:
        """An answer of the endpoint."""
        try:
            answer = msgspec.json.decode(raw, type=_Answer)
            return self._reply(answer.choices[0], answer.usage)
        except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as error:
            return self._wire.wrong(raw, error)

    def stream(self, call: Call, tell: Tell) -> Reply | Failure:
        """See `LlmClient.stream`."""
        made = _Streamed(lambda text: tell(self._wire.masked(text)))
        try:
            raw = self._wire.stream(call, self._streaming, made.take)
            if made.error is not None:
                return self._wire.wrong(msgspec.json.encode(made.error), ValueError("an error"))
            if raw and isinstance(raw, bytes):  # it does not stream
                answer = msgspec.json.decode(raw, type=_Answer)
                return self._reply(answer.choices[0], answer.usage)
        except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as error:
            return self._wire.wrong(made.text.encode(), error)
        # the closing mark is no event: what has a reason to end has ended
        if isinstance(raw, Failure) and not (raw is BROKE_OFF and made.finish):
            return raw
        said = _Message(made.text, made.refusal or None)
        return self._reply(_Choice(said, made.finish), made.usage)

    def _streaming(self, call: Call, left: Left) -> dict[str, Any]:
        body = self._body(call, left) | {"stream": True}
        if "stream_options" not in left:
            body["stream_options"] = {"include_usage": True}
        return body

    def _body(self, call: Call, left: Left) -> dict[str, Any]:
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [
                {"role": "system", "content": system_text(call, left)},
                {"role": "user", "content": _content(call)},
            ],
            # the models that reason take the second name only
            "max_completion_tokens" if "max_tokens" in left else "max_tokens": call.max_output,
        }
        if settings.temperature is not None and "temperature" not in left:
            body["temperature"] = settings.temperature
        if settings.seed is not None and "seed" not in left:
            body["seed"] = settings.seed
        if call.schema is not None and "schema" not in left:
            named = {"name": "answer", "strict": True, "schema": call.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body

    def _reply(self, choice: _Choice, usage: _Usage | None) -> Reply:
        text = self._wire.masked(_plain(choice.message.content))
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Reply(choice.message.refusal or text, "refused", _counted(usage))
        cut = choice.finish_reason == "length"
        return Reply(text, "length" if cut else "stop", _counted(usage))


def _content(call: Call) -> str | list[dict[str, Any]]:
    """Plain text where there are no pictures: not every server takes parts."""
    texts = [block.text for block in call.prompt.blocks]
    text = "\n\n".join([*texts, call.extra] if call.extra else texts)
    if not call.prompt.pictures:
        return text
    urls = [f"data:{p.media};base64,{p.base64}" for p in call.prompt.pictures]
    return [
        *({"type": "image_url", "image_url": {"url": url}} for url in urls),
        {"type": "text", "text": text},
    ]


def _plain(content: str | list[_Part] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part.text for part in content)


def _counted(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens or 0) if details else 0
    return Usage(usage.prompt_tokens, usage.completion_tokens, min(cached, usage.prompt_tokens))
