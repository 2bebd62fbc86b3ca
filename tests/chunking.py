"""What the chunking tests share: documents, a cheap embedder, the promises of `Chunker`."""

import zlib
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import regex

from ingest.chunk.base import Chunker
from kb.models.bundled_files import TOKENIZER
from kb.models.embedder import Floats
from kb.models.hf_tokenizer import HfTokenizer
from kb.records import Document, Element, ElementKind, Span
from kb.registry import load
from kb.settings import ChunkSettings


@cache
def tokenizer() -> HfTokenizer:
    return HfTokenizer(TOKENIZER)


def bag_of_words(texts: Sequence[str]) -> Floats:
    """Unit rows, one hashed word a column."""
    rows = np.zeros((len(texts), 64), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            row[zlib.crc32(word.strip(".,").encode()) % 64] += 1
        row[0] += 1e-3
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def make_chunker(name: str, **settings: object) -> Chunker:
    made = ChunkSettings(strategy=name, **settings)  # type: ignore[arg-type]
    chunker: Chunker = load("chunker", name)(made, tokenizer(), bag_of_words)
    return chunker


def document(*blocks: tuple[ElementKind, str] | tuple[ElementKind, str, int]) -> Document:
    """Blocks a blank line apart; a third value is a heading's level."""
    text, elements, path = "", [], []
    for kind, body, *rest in blocks:
        level = rest[0] if rest else 0
        if kind == "heading":
            path = [*path[: level - 1], body.lstrip("# ")]
        elements.append(Element(kind, len(text), len(text) + len(body), tuple(path), level))
        text += body + "\n\n"
    return Document(text, tuple(elements))


def plain(text: str) -> Document:
    return Document(text, ())


def slices(doc: Document, spans: Sequence[Span]) -> list[str]:
    return [doc.text[span.start : span.end] for span in spans]


def check(doc: Document, spans: Sequence[Span], size: int) -> None:
    """All that `Chunker` promises."""
    text = doc.text
    starts = [span.start for span in spans]
    assert all(a < b for a, b in pairwise(starts)), starts
    bounds = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    for span in spans:
        piece = text[span.start : span.end]
        assert piece.strip()
        assert {span.start, span.end} <= bounds
        one_cluster = regex.fullmatch(r"\X", piece)
        assert one_cluster or tokenizer().count(piece) <= size, tokenizer().count(piece)
        assert one_cluster or not regex.match(r"\s\P{M}", piece), "a blank at the start"
        assert not piece[-1].isspace() or one_cluster
    covered = np.zeros(len(text) + 1, bool)
    for span in spans:
        covered[span.start : span.end] = True
    elements = doc.elements or (Element("paragraph", 0, len(text)),)
    for element in elements:
        for at in range(element.start, min(element.end, len(text))):
            assert covered[at] or text[at].isspace(), (at, text[at - 9 : at + 9])
