"""The parts of a message: the body that is read, and what is attached."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message

from ingest.parse.decode import decode
from ingest.parse.mail.headers import decoded

MAX_PARTS = 500
MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Part:
    """One leaf of a message."""

    kind: str  # as "text/plain"
    data: bytes
    charset: str = ""
    name: str = ""  # file name, "" without one
    message: "Message[str, str] | None" = None  # a whole message inside
    flowed: bool = False  # lines that end in a blank go on (RFC 3676)

    @property
    def text(self) -> str:
        """The decoded text."""
        return decode(self.data, self.charset)


def split(message: "Message[str, str]") -> tuple[list[Part], list[Part]]:
    """Bodies in order, and attachments.

    Of alternatives plain text is taken where it says something, else HTML. Pictures that a page
    shows within itself are no attachments.
    """
    bodies: list[Part] = []
    attached: list[Part] = []
    for part, inline in _leaves(message, 0):
        if inline and part.message is None and part.kind in ("text/plain", "text/html"):
            bodies.append(part)
        elif part.message is not None or part.name or not part.kind.startswith("image/"):
            attached.append(part)
    return bodies, attached[:MAX_PARTS]


def _leaves(message: "Message[str, str]", depth: int) -> Iterator[tuple[Part, bool]]:
    """Leaves in order, each with whether it is part of the text."""
    kind = message.get_content_type()
    name = _file_name(message)
    inline = (message.get_content_disposition() or "inline") != "attachment" and not name
    inner = message.get_payload()
    children = [m for m in inner if isinstance(m, Message)] if isinstance(inner, list) else []
    if kind == "message/rfc822" and children:
        yield Part(kind, b"", name=name, message=children[0]), False
    elif not children:
        yield _leaf(message, kind, name), inline
    elif depth < MAX_DEPTH:
        if kind == "multipart/alternative":
            children = _best(children)
        for child in children[:MAX_PARTS]:
            yield from _leaves(child, depth + 1)


def _leaf(message: "Message[str, str]", kind: str, name: str) -> Part:
    payload = message.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = message.get_param("charset") or ""
    flowed = str(message.get_param("format") or "").lower() == "flowed"
    return Part(kind, data, charset if isinstance(charset, str) else "", name, flowed=flowed)


def _best(choices: "list[Message[str, str]]") -> "list[Message[str, str]]":
    """The plain text of several versions of one text, else the last, which is the richest."""
    for choice in choices:
        if choice.get_content_type() == "text/plain":
            payload = choice.get_payload(decode=True)
            if isinstance(payload, bytes) and payload.strip():
                return [choice, *_calendars(choices)]
    return choices[-1:]


def _calendars(choices: "list[Message[str, str]]") -> "list[Message[str, str]]":
    return [choice for choice in choices if choice.get_content_type() == "text/calendar"]


def _file_name(message: "Message[str, str]") -> str:
    try:
        return decoded(message.get_filename() or "")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
