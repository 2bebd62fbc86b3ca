"""Markdown: blocks by markdown-it-py's token stream, text as it stands in the file."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from ingest import about, language
from ingest.parse import front_matter
from ingest.parse.decode import decode
from ingest.parse.source_lines import Block, SourceLines
from ingest.parse.titles import first_title
from kb.records import Document, ElementKind
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

KINDS: dict[str, ElementKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "html_block": "paragraph",
}
MAX_SOURCE = 1000  # characters of a heading that are read for its title
_ANCHOR = re.compile(r"\s*\{[:#.][^{}]*\}\s*$|\s*\{\s+[#.][^{}]*\}\s*$")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?|///|:::)\s*\w")


class MarkdownParser:
    """CommonMark with tables and YAML front matter.

    ``Document.text`` is the decoded file, markup and all. Every character that is not blank lies in
    an element, except front matter that was read: it is in ``metadata`` only.
    """

    version: ClassVar[int] = 3

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises: all text is Markdown."""
        text = decode(data)
        front = front_matter.split(text)
        lines = SourceLines.of(text, front.end)
        blocks = _blocks(lines)
        elements = lines.elements(blocks)
        h1 = next(
            (block.title for block in blocks if block.kind == "heading" and block.level == 1), ""
        )
        return Document(
            text=text,
            elements=elements,
            title=first_title([front.metadata.get("title"), h1], name),
            language=language.declared(front.metadata) or language.detect(text[front.end :]),
            metadata=front.metadata,
            warnings=(
                *front.warnings,
                *about.oddities(front.metadata),
                *(() if elements else ("no text in it",)),
            ),
        )


@lru_cache(maxsize=1)
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark").enable("table")
    # Only headings need their inline markup read; the rest stays as it is in the file.
    reader.core.ruler.disable(["inline", "text_join"])
    return reader


def _blocks(lines: SourceLines) -> list[Block]:
    # The parser's lines are ours: it, too, ends them at CRLF, CR and LF.
    tokens = _reader().parse("\n".join(lines.all()))
    blocks: list[Block] = []
    for i, token in enumerate(tokens):
        if token.level == 0 and token.map is not None and token.type in KINDS:
            blocks.append(_block(tokens, i, token.map, lines))
    return blocks


def _block(tokens: Sequence["Token"], i: int, span: Sequence[int], lines: SourceLines) -> Block:
    kind = KINDS[tokens[i].type]
    if kind == "heading":
        title = plain_title(tokens[i + 1].content[:MAX_SOURCE])
        return Block(kind, span[0], span[1], int(tokens[i].tag[1:]), title)
    if kind == "paragraph" and _ADMONITION.match(lines[span[0]]):
        kind = "note"
    return Block(kind, span[0], span[1])


def plain_title(source: str) -> str:
    """A heading's words without its inline markup and without an attribute block at its end."""
    inline = _inline_text(_reader(), _ANCHOR.sub("", source))
    return " ".join(inline.split())


def _inline_text(reader: "MarkdownIt", source: str) -> str:
    tokens: list[Token] = []
    reader.inline.parse(source, reader, {}, tokens)
    pieces: list[str] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
        elif token.type != "html_inline":
            pieces.append(token.content)
    return "".join(pieces)
