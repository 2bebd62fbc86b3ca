"""What chat clients of every kind do alike."""

from abc import ABC, abstractmethod
from typing import Any

from kb.models.http_errors import Failure, safe_url
from kb.models.llm.base import Call, Reply
from kb.models.llm.wire import Left, Wire
from kb.settings import LlmSettings


class Chat(ABC):
    """One call, one answer; a client adds what its API's requests and answers look like."""

    _settings: LlmSettings
    _wire: Wire

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

    def close(self) -> None:
        """Close connections."""
        self._wire.close()

    @abstractmethod
    def read(self, raw: bytes) -> Reply | Failure:
        """An answer of the endpoint."""

    @abstractmethod
    def _body(self, call: Call, left: Left) -> dict[str, Any]:
        """The request, without what the endpoint does not take."""
