"""Writes a lexical index: plain arrays and one JSON, the same bytes for the same chunks."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from index.lexical.analyzer import VERSION as ANALYSIS
from index.lexical.analyzer import Analyzer
from index.lexical.postings import BLOCK, PostingsWriter
from kb.settings import Bm25Settings

VERSION = 1  # raised when old files can no longer be read
META = "lexical.json"


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """What the arrays do not say."""

    version: int
    analysis: int
    documents: int
    length: int  # terms of all chunks together
    languages: tuple[str, ...]  # of the chunks, sorted
    settings: Bm25Settings


def build_bm25(
    folder: Path,
    documents: Iterable[tuple[str, str]],
    settings: Bm25Settings,
    block: int = BLOCK,
) -> None:
    """Index chunks; row r of the index is the r-th of them.

    Memory is one block and the vocabulary; `documents` is read once.

    Args:
        folder: where the files go; made if it is not there.
        documents: text and ISO 639-1 language (``""`` when unknown) of each chunk.
        settings: how terms are made; kept with the index.
        block: postings held in memory before they go to disk; changes no byte of the result.
    """
    folder.mkdir(parents=True, exist_ok=True)
    analyzer = Analyzer(settings)
    languages: Counter[str] = Counter()
    writer = PostingsWriter(folder, block)
    try:
        for text, language in documents:
            languages[language] += 1
            writer.add(analyzer.index_terms(text, language))
        count, length = writer.finish()
    finally:
        writer.close()
    meta = Meta(
        version=VERSION,
        analysis=ANALYSIS,
        documents=count,
        length=length,
        languages=tuple(sorted(languages)),
        settings=settings,
    )
    (folder / META).write_bytes(msgspec.json.format(msgspec.json.encode(meta), indent=1))
