"""What a model server's failure means: whether to try again, and what to tell the user."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

if TYPE_CHECKING:
    import httpx

# 408 and 425 ask for a repeat; 429 is the rate limit; 529 is "overloaded" at some providers
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
# sent with status 429, but waiting does not help
# from a gateway, behind which the work may have been done, and charged
GATEWAY = frozenset({502, 504})
# about what was sent, not about the service: another request may well be answered
OF_REQUEST = frozenset({400, 413, 422})
SPENT = ("insufficient_quota", "billing_hard_limit_reached")
LONGEST_WORDS = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed call: what to tell the user, and whether to try again."""

    words: str
    transient: bool
    retry_after: float | None = None  # seconds the server asked for
    hint: str = ""
    status: int = 0  # 0: no answer
    perhaps_billed: bool = False  # the server may have done, and charged, the work

    @property
    def of_request(self) -> bool:
        """Whether it is about this one request, not about the service."""
        return self.status in OF_REQUEST


def of_response(response: "httpx.Response", secret: str = "") -> Failure | None:
    """The failure an answer stands for, None when it is a success."""
    if response.is_success:
        return None
    said = server_words(response.content, secret)
    words = f"HTTP {response.status_code}: {said}" if said else f"HTTP {response.status_code}"
    spent = any(code in response.text for code in SPENT)
    return Failure(
        words,
        response.status_code in TRANSIENT and not spent,
        retry_after(response.headers),
        _hint(response.status_code),
        response.status_code,
        perhaps_billed=response.status_code in GATEWAY,
    )


def of_exception(error: "httpx.TransportError", secret: str = "") -> Failure:
    """The failure of a call that got no answer: time-outs and broken connections may pass."""
    import httpx

    reached = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    if isinstance(error, httpx.TimeoutException):
        return Failure("no answer in time", transient=True, perhaps_billed=reached)
    words = bounded(str(error) or type(error).__name__, secret)
    passing = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError | httpx.ProxyError)
    hint = "" if reached else "see whether its server runs, and that this is its address"
    return Failure(words, transient=passing, hint=hint, perhaps_billed=reached and passing)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` asks for, given as a number or as a date (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def server_words(body: bytes, secret: str = "") -> str:
    """The server's own message, out of the JSON shapes in use, bounded and without the key."""
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return bounded(body.decode("utf-8", "replace"), secret)
    for key in ("error", "message", "detail"):
        if isinstance(answer, dict) and key in answer:
            answer = answer[key]
    if isinstance(answer, dict) and "message" in answer:
        answer = answer["message"]
    text = answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()
    return bounded(text, secret)


def bounded(text: str, secret: str = "") -> str:
    """One line of at most 300 characters in which the secret is masked."""
    if secret:
        text = text.replace(secret, "***")
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_WORDS else text[:LONGEST_WORDS] + " …"


def safe_url(url: str) -> str:
    """The URL without user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _hint(status: int) -> str:
    return {
        401: "check the key",
        403: "the key may not use this model",
        404: "check the address and the model's name",
    }.get(status, "")
