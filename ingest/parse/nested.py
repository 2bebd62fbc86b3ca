"""Documents inside documents: a mail's attachments, a notebook's cells."""

from dataclasses import dataclass, field
from typing import Any

from ingest.parse.extracted import ExtractedText
from kb.records import Document


@dataclass(slots=True)
class Rights:
    """The ``acl`` of the parts of a document: what one part closes, the whole does not open."""

    found: list[Any] = field(default_factory=list)

    def note(self, metadata: dict[str, Any]) -> None:
        """Look at the metadata of one part."""
        self.found += [v for k, v in metadata.items() if k.strip().casefold() == "acl"]

    def metadata(self) -> dict[str, Any]:
        """What the whole has to say: the only list there is, nobody where there are several."""
        if not self.found:
            return {}
        same = all(value == self.found[0] for value in self.found)
        return {"acl": self.found[0] if same else []}


def append(
    built: ExtractedText, part: Document, below: int, lines: tuple[int, int] | None = None
) -> None:
    """Append all elements of `part`, its headings `below` levels deeper.

    Pages and boxes of a part mean nothing in the whole; `lines` are those of the part in it.
    """
    for element in part.elements:
        level = element.level + below if element.kind == "heading" else 0
        text = part.text[element.start : element.end]
        title = element.heading[-1] if element.heading else ""
        built.add(element.kind, text, level=level, title=title, lines=lines)
