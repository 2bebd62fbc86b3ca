"""POST with patience: what may pass is tried again, the rest is told at once."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kb.errors import Unavailable
from kb.models.http_errors import Failure, of_exception, of_response, safe_url

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long: waits of 0.5, 1, 2, 4 s, each between half of it and all of it."""

    tries: int = 5
    first: float = 0.5  # seconds
    longest: float = 60.0  # seconds; a server that asks for more is not waited for
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def wait(self, tried: int, failure: Failure) -> float:
        """Seconds before the next try; `tried` counts from 1."""
        if failure.retry_after is not None:
            return failure.retry_after
        full = min(self.longest, self.first * 2.0 ** (tried - 1))
        return full * (0.5 + 0.5 * self.chance())


class CallFailed(Unavailable):
    """A call that was refused, or went on failing."""

    def __init__(self, message: str, failure: Failure) -> None:
        super().__init__(message)
        self.failure = failure


def post(
    client: "httpx.Client", url: str, body: bytes, *, secret: str = "", patience: Patience
) -> bytes:
    """The body of the server's answer to a JSON `body`.

    Args:
        client: has time-outs and headers set.
        url: the full address.
        body: JSON.
        secret: the key, masked in messages.
        patience: how failures that may pass are tried again.

    Raises:
        CallFailed: the server refused, or went on failing; with its own words and the bare URL.
    """
    return patiently(lambda: post_once(client, url, body, secret), url, patience)


def patiently(once: Callable[[], T | Failure], url: str, patience: Patience) -> T:
    """What `once` returns, called again for as long as its failures may pass.

    Raises:
        CallFailed: the last failure, in words, with the bare URL.
    """
    tried = 0
    while True:
        tried += 1
        answer = once()
        if not isinstance(answer, Failure):
            return answer
        wait = patience.wait(tried, answer)
        if not answer.transient or tried >= patience.tries or wait > patience.longest:
            raise CallFailed(_message(url, answer, tried, wait > patience.longest), answer)
        patience.sleep(wait)


def post_once(client: "httpx.Client", url: str, body: bytes, secret: str) -> bytes | Failure:
    """One try. See `post`."""
    import httpx

    try:
        response = client.post(url, content=body, headers={"Content-Type": "application/json"})
    except httpx.TransportError as error:
        return of_exception(error, secret)
    return of_response(response, secret) or response.content


def _message(url: str, failure: Failure, tried: int, too_long: bool) -> str:
    message = f"{safe_url(url)} failed: {failure.words}"
    if too_long and failure.transient:
        message += f" (it asks to wait {failure.retry_after:.0f} s)"
    elif tried > 1:
        message += f" ({tried} tries)"
    return f"{message}; {failure.hint}" if failure.hint else message
