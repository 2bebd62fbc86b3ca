"""What tells a message and a mailbox from other text, and where the messages of a mailbox are."""

import re

_FROM_LINE = re.compile(
    rb"(?m)^From (?:[^\r\n]*\b\d\d:\d\d[^\r\n]*|-|\S+)\r?\n(?=>?[A-Za-z][\w-]{0,60}:|From )"
)
_HEADER = re.compile(rb"([!-9;-~]{1,60}):")
_TELLING = frozenset(
    (b"received", b"message-id", b"mime-version", b"return-path", b"delivered-to", b"date", b"to")
)
_USUAL = _TELLING | frozenset((b"from", b"subject", b"content-type", b"reply-to", b"cc"))


def messages(data: bytes) -> list[tuple[int, int]]:
    """Start and end of each message; a file that is no mailbox is one."""
    if not data.startswith(b"From "):
        return [(0, len(data))]
    marks = list(_FROM_LINE.finditer(data))
    if not marks:
        return [(0, len(data))]
    ends = [mark.start() for mark in marks[1:]]
    return [(mark.end(), end) for mark, end in zip(marks, [*ends, len(data)], strict=True)]


def looks_like_mail(head: bytes) -> bool:
    """Whether `head` begins with the header lines of a message, or with a mailbox's first line."""
    if _FROM_LINE.match(head):
        return True
    top = re.split(rb"\r?\n\r?\n", head[:16384], maxsplit=1)[0]
    lines = [line for line in top.splitlines() if line[:1] not in (b" ", b"\t", b"")]
    found = [match[1].lower() for line in lines if (match := _HEADER.match(line))]
    names = frozenset(found)
    telling = len(names & _TELLING) >= 2 or (names & _TELLING and b"from" in names)
    return bool(telling) and len(names & _USUAL) >= 3 and len(found) >= len(lines) - 1
