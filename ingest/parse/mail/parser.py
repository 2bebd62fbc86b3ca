"""E-mail messages (eml, mht) and mailboxes (mbox)."""

from email import message_from_bytes
from email.message import Message
from typing import Any, ClassVar

from ingest import about, language
from ingest.parse.decode import decode
from ingest.parse.extracted import ExtractedText
from ingest.parse.mail.body import paragraphs
from ingest.parse.mail.headers import SHOWN, header, iso_date
from ingest.parse.mail.mbox import messages
from ingest.parse.mail.parts import Part, split
from ingest.parse.nested import Rights, append
from ingest.parse.sniff import choose_parser
from ingest.parse.titles import first_title
from kb.errors import ParseError, Unavailable
from kb.records import Document
from kb.registry import load
from kb.settings import ParseSettings

MAX_NESTED = 5  # messages inside messages
MAX_CHILD_BYTES = 1 << 26  # of one attachment
MAX_CHILDREN = 200  # attachments of a message or mailbox, nested ones counted


class MailParser:
    """The subject is a heading, then who wrote to whom and when, the body, and each attachment.

    ``Document.text`` is extracted. Plain text is taken where a message has it and HTML. Attachments are
    read by the parser of their own type, below a heading with their name; one that cannot be read is
    named in a warning.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`."""
        reading = _Reading(self.settings)
        metadata: dict[str, Any] = {}
        spans = messages(data)
        try:
            for start, end in spans:
                message = message_from_bytes(data[start:end])
                if len(spans) == 1:
                    metadata = _metadata(message)
                reading.message(message, 1, 0)
        except (RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:
            raise ParseError(f"not a readable e-mail message: {type(error).__name__}") from error
        return reading.document(metadata, first_title([metadata.get("subject")], name))


class _Reading:
    """One file being read."""

    def __init__(self, settings: ParseSettings) -> None:
        self._settings = settings
        self._built = ExtractedText()
        self._rights = Rights()
        self._warnings: list[str] = []
        self._said: list[str] = []  # what people wrote, without headers: it has the language
        self._children = 0

    def document(self, metadata: dict[str, Any], title: str) -> Document:
        """What was read."""
        text = self._built.text
        metadata = {**metadata, **self._rights.metadata()}
        if not text:
            self._warnings.append("no text in it")
        return Document(
            text=text,
            elements=tuple(self._built.elements),
            title=title,
            language=language.detect("\n\n".join(self._said)),
            metadata=metadata,
            warnings=(*about.oddities(metadata), *dict.fromkeys(self._warnings)),
            verbatim=False,
        )

    def message(self, message: "Message[str, str]", level: int, depth: int) -> None:
        """A message, its subject a heading of `level`."""
        subject = header(message, "Subject")
        self._said.append(subject)
        # what has no subject must not stand below the message before it
        alone = not self._built.elements
        self._built.add(
            "heading", subject or ("" if alone else header(message, "From") or "-"), level=level
        )
        shown = ((name, header(message, name)) for name in SHOWN)
        self._built.add("paragraph", "\n".join(f"{n}: {value}" for n, value in shown if value))
        bodies, attached = split(message)
        for body in bodies:
            self._body(body, level)
        for part in attached:
            self._attachment(part, level + 1, depth + 1)

    def _body(self, body: Part, level: int) -> None:
        if body.kind == "text/html":
            page = load("parser", "html")(self._settings).parse(_page(body), "")
            self._note(page, "")
            append(self._built, page, below=level)
            self._said.append(page.text)
            return
        self._said.append(body.text)
        for kind, text in paragraphs(body.text, body.flowed):
            self._built.add(kind, text)

    def _attachment(self, part: Part, level: int, depth: int) -> None:
        if part.message is None and not part.data:
            return
        self._children += 1
        if depth > MAX_NESTED or self._children > MAX_CHILDREN:
            self._warnings.append(
                "attachments inside attachments go too deep: the rest was left out"
            )
            return
        if part.message is not None:
            self.message(part.message, level, depth)
            return
        shown = part.name or part.kind
        if len(part.data) > MAX_CHILD_BYTES:
            self._warnings.append(f"attachment {shown}: too large to be read inside a message")
            return
        try:
            child = self._child(part, level, depth)
        except (ParseError, Unavailable) as error:
            self._built.add("heading", shown, level=level)
            self._warnings.append(f"attachment {shown}: {error}")
            return
        if child is not None:
            self._built.add("heading", shown, level=level)
            self._note(child, shown)
            self._said.append(child.text)
            append(self._built, child, below=level)

    def _child(self, part: Part, level: int, depth: int) -> Document | None:
        """The document in an attachment, None where it was a message and is read already."""
        name = part.name or _NAMES.get(part.kind, "")
        parser = choose_parser(name, part.data[:65536])
        if parser == "mail":
            self.message(message_from_bytes(part.data), level, depth)
            return None
        data = part.data
        if part.kind.startswith("text/") and part.charset:
            data = decode(data, part.charset).encode()
        child: Document = load("parser", parser)(self._settings).parse(data, "")
        return child

    def _note(self, child: Document, name: str) -> None:
        self._rights.note(child.metadata)
        where = f"attachment {name}: " if name else ""
        self._warnings += [where + w for w in child.warnings if name or w != "no text in it"]


_NAMES = {"text/html": "a.html", "text/calendar": "a.ics", "text/csv": "a.csv"}


def _page(body: Part) -> bytes:
    """An HTML part whose charset the mail declares, as UTF-8."""
    return decode(body.data, body.charset).encode() if body.charset else body.data


def _metadata(message: "Message[str, str]") -> dict[str, Any]:
    """From, To, Cc, Subject and Message-ID as written, the date as an ISO date."""
    found = {name: header(message, name) for name in ("From", "To", "Cc", "Subject", "Message-ID")}
    metadata = {name.lower().replace("-", "_"): value for name, value in found.items() if value}
    if date := iso_date(header(message, "Date")):
        metadata["date"] = date
    return metadata
