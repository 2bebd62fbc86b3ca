"""A document as a card: what a reader needs to know which page to look at, and no more."""

from collections import defaultdict

from ingest.parse.extracted import ExtractedText
from kb.records import Document, Element

OPENING = 160  # characters of a page's first paragraph
HEADINGS = 12  # of a page
WORDS = {
    "es": ("página", "tabla", "figura sin texto"),
    "en": ("page", "table", "picture without text"),
}


def card_of(document: Document, bare: tuple[int, ...] = ()) -> Document:
    """`document` with a summary in place of its text: its title, then a paragraph a page.

    Args:
        document: as it was read.
        bare: pages with something on them that is no text.
    """
    page_word, table_word, bare_word = WORDS["es" if document.language == "es" else "en"]
    built = ExtractedText()
    built.add("heading", document.title, level=1, page=1)
    built.add("paragraph", str(document.metadata.get("description") or ""), page=1)
    on_page: dict[int, list[Element]] = defaultdict(list)
    for element in document.elements:
        on_page[element.page or 1].append(element)
    for number in range(1, document.pages + 1):
        parts = _parts(document.text, on_page[number], table_word)
        if number in bare:
            parts.append(bare_word)
        if parts:
            built.add("paragraph", f"{page_word} {number}: {'; '.join(parts)}", page=number)
    return Document(
        text=built.text,
        elements=tuple(built.elements),
        title=document.title,
        language=document.language,
        metadata=document.metadata,
        warnings=document.warnings,
        verbatim=False,
        pages=document.pages,
    )


def _parts(text: str, elements: list[Element], table_word: str) -> list[str]:
    parts = [text[e.start : e.end] for e in elements if e.kind == "heading"][:HEADINGS]
    for element in elements:
        if element.kind == "table":
            header = text[element.start : element.end].partition("\n")[0]
            parts.append(f"{table_word}: {header}"[:OPENING])
    opening = next((e for e in elements if e.kind not in ("heading", "table")), None)
    if opening is not None:
        parts.append(shortened(" ".join(text[opening.start : opening.end].split())))
    return parts


def shortened(text: str) -> str:
    """The first sentence, or what fits of it."""
    sentence, stop, _ = text.partition(". ")
    if len(sentence) <= OPENING:
        return sentence + stop.strip()
    return text[:OPENING].rpartition(" ")[0] + " …"
