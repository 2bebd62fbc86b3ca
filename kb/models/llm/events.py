"""An answer that comes piece by piece: server-sent events, as chat endpoints stream them."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from kb.models.http_errors import Failure, of_exception, of_response

if TYPE_CHECKING:
    import httpx

Take = Callable[[str], bool]  # is given an event's data; True: that was the last
_DONE = "[DONE]"
BROKE_OFF = Failure("the answer broke off", transient=True, perhaps_billed=True)


def post_for_events(
    client: "httpx.Client", url: str, body: bytes, secret: str, take: Take
) -> bytes | Failure:
    """POST JSON and give each event's data to `take`.

    Returns:
        b"" once `take` had the last event; all of the answer, where the server did not stream it.
    """
    import httpx

    try:
        with client.stream(
            "POST", url, content=body, headers={"Content-Type": "application/json"}
        ) as response:
            if "event-stream" not in response.headers.get("content-type", ""):
                response.read()
                return of_response(response, secret) or response.content
            if not response.is_success:
                response.read()
            failure = of_response(response, secret)
            if failure is not None:
                return failure
            ended = any(
                data.strip() == _DONE or take(data) for data in events(response.iter_lines())
            )
            return b"" if ended else BROKE_OFF
    except httpx.TransportError as error:
        return of_exception(error, secret)


def events(lines: Iterable[str]) -> Iterator[str]:
    """The data of each event; comments and names are left out."""
    data: list[str] = []
    for line in chain(lines, ("",)):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
