"""Writes a lexical index: plain arrays and one JSON, the same bytes for the same chunks."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from index.lexical.analyzer import VERSION as ANALYSIS
from index.lexical.analyzer import Analyzer
from index.lexical.merge import Part, merge_postings
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
    before: Part | None = None,
) -> None:
    """Index chunks; row r of the index is the r-th of them.

    Memory is one block and the vocabulary; `documents` is read once. With `before` only the chunks
    that are in no part of it are analysed; the bytes are the same without.

    Args:
        folder: where the files go; made if it is not there.
        documents: text and ISO 639-1 language (``""`` when unknown) of each chunk.
        settings: how terms are made; kept with the index.
        block: postings held in memory before they go to disk; changes no byte of the result.
        before: an index made with these settings (see `can_take_over`), and which row each of its
            chunks has now.
    """
    folder.mkdir(parents=True, exist_ok=True)
    languages: Counter[str] = Counter()

    def counted() -> Iterator[tuple[str, str]]:
        for text, language in documents:
            languages[language] += 1
            yield text, language

    if before is None:
        count, length = _write(folder, counted(), settings, block)
    else:
        count, length = _update(folder, counted(), settings, block, before)
    meta = Meta(
        version=VERSION,
        analysis=ANALYSIS,
        documents=count,
        length=length,
        languages=tuple(sorted(languages)),
        settings=settings,
    )
    (folder / META).write_bytes(msgspec.json.format(msgspec.json.encode(meta), indent=1))


def can_take_over(folder: Path, settings: Bm25Settings) -> bool:
    """Whether an index was made by this code and gives the terms that `settings` ask for."""
    try:
        meta = msgspec.json.decode((folder / META).read_bytes(), type=Meta)
    except (OSError, msgspec.DecodeError):
        return False
    rules = ("stop_words", "stem", "fold_enye")
    return (meta.version, meta.analysis) == (VERSION, ANALYSIS) and all(
        getattr(meta.settings, rule) == getattr(settings, rule) for rule in rules
    )


def _write(
    folder: Path, documents: Iterable[tuple[str, str]], settings: Bm25Settings, block: int
) -> tuple[int, int]:
    analyzer = Analyzer(settings)
    writer = PostingsWriter(folder, block)
    try:
        for text, language in documents:
            writer.add(analyzer.index_terms(text, language))
        return writer.finish()
    finally:
        writer.close()


def _update(
    folder: Path,
    documents: Iterable[tuple[str, str]],
    settings: Bm25Settings,
    block: int,
    before: Part,
) -> tuple[int, int]:
    known = set(before.target[before.target >= 0].tolist())
    added: list[int] = []
    total = 0

    def fresh() -> Iterator[tuple[str, str]]:
        nonlocal total
        for row, document in enumerate(documents):
            total = row + 1
            if row not in known:
                added.append(row)
                yield document

    with tempfile.TemporaryDirectory(dir=folder) as beside:
        _write(Path(beside), fresh(), settings, block)
        part = Part(Path(beside), np.asarray(added, np.int64))
        return merge_postings(folder, [before, part], total, block)
