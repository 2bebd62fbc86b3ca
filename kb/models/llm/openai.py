"""Any OpenAI-compatible ``/chat/completions``: OpenAI, Ollama, vLLM, llama.cpp and others."""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from kb.models.http_address import endpoint, key_in
from kb.models.http_errors import Failure, safe_url
from kb.models.llm.base import Call, Reply, Usage
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


class OpenAIChat:
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
            answer = msgspec.json.decode(raw, type=_Answer)
            return self._reply(answer.choices[0], answer.usage)
        except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as error:
            return self._wire.wrong(raw, error)

    def close(self) -> None:
        """Close connections."""
        self._wire.close()

    def _body(self, call: Call, left: Left) -> dict[str, Any]:
        settings = self._settings
        texts = [block.text for block in call.prompt.blocks]
        if call.extra:
            texts.append(call.extra)
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [
                {"role": "system", "content": system_text(call, left)},
                {"role": "user", "content": "\n\n".join(texts)},
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
        content = choice.message.content or ""
        text = content if isinstance(content, str) else "".join(part.text for part in content)
        text = self._wire.masked(text)
        if choice.message.refusal or choice.finish_reason == "content_filter":
            return Reply(choice.message.refusal or text, "refused", _counted(usage))
        cut = choice.finish_reason == "length"
        return Reply(text, "length" if cut else "stop", _counted(usage))


def _counted(usage: _Usage | None) -> Usage | None:
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    cached = (details.cached_tokens or 0) if details else 0
    return Usage(usage.prompt_tokens, usage.completion_tokens, min(cached, usage.prompt_tokens))
