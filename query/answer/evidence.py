"""How much of a question a piece of text meets: by meaning, token by token, and by words.

meaning = late interaction (see `query.rerank.maxsim`) of the question with the token codes that the
index keeps of the piece; words = the share of the question's words that the piece holds, each counted
by how telling it is. No model reads the pieces anew.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.lexical.reader import Bm25Index
from index.lexical.stems import LANGUAGES
from index.reader import GenerationReader
from kb.models.embedder import Embedder, Floats, Tokenizer
from kb.models.load import supports_tokens
from kb.models.token_bits import best_matches
from kb.records import Chunk
from query.question import Question
from query.rerank.maxsim import token_weights

Span = tuple[int, int]  # in the chunk's text
# What another language takes off: of XQuAD's Spanish questions, on English in place of Spanish text where
# neither answers, .044.
_FOREIGN = 0.05


@dataclass(frozen=True, slots=True)
class Meaning:
    """The question's side of the late interaction."""

    tokens: Floats  # float32 (q, d), less the mean
    weights: Floats  # float32 (q,), sum 1
    tokenizer: Tokenizer  # of the passages
    vector: Floats  # of the question, float32 (d,)
    language: str = ""  # of the question; "": not known
    language_gap: float = 0.0  # see `Embedder.language_gap`


def meaning_of(
    question: Question, reader: GenerationReader, embedder: Embedder | None
) -> Meaning | None:
    """The question's side, where embedder and generation have token vectors."""
    if embedder is None or reader.tokens is None or not supports_tokens(embedder):
        return None
    asked = question.with_tokens()
    weights = token_weights(asked, reader)
    weights /= max(float(weights.sum()), 1e-9)
    return Meaning(
        asked.tokens,
        weights,
        embedder.tokenizer,
        asked.vector,
        question.language,
        embedder.language_gap,
    )


class Evidence:
    """Judges pieces of one generation's chunks against one question."""

    def __init__(self, reader: GenerationReader, text: str, meaning: Meaning | None) -> None:
        self._reader = reader
        self._meaning = meaning
        self._words = _Words(reader.bm25, text)

    @property
    def has_meaning(self) -> bool:
        """Whether meaning is judged at all."""
        return self._meaning is not None and self._reader.tokens is not None

    def meaning(
        self, chunk: Chunk, spans: Sequence[Span], row: int | None = None
    ) -> NDArray[np.float64]:
        """About -.2 (unrelated) to .6 (the same words), float64 (len(spans),).

        `row` is the chunk's, where it is known.
        """
        meaning, table = self._meaning, self._reader.tokens
        if meaning is None or table is None:
            return np.zeros(len(spans))
        row = _row(self._reader, chunk) if row is None else row
        codes, _ = table.take(np.asarray([row]))
        bounds = meaning.tokenizer.offsets(chunk.embedded_text)[: len(codes)]
        codes = codes[len(codes) - len(bounds) :]  # at the seam of a prefix one may be missing
        before = len(chunk.embedded_text) - len(chunk.text)
        pieces, offsets = [codes[:0]], [0]
        for start, end in spans:
            inside = (bounds[:, 1] > start + before) & (bounds[:, 0] < end + before)
            pieces.append(codes[inside])
            offsets.append(offsets[-1] + int(inside.sum()))
        matches = best_matches(meaning.tokens, np.concatenate(pieces), np.asarray(offsets))
        scores = np.asarray(meaning.weights @ matches, np.float64)
        return scores + _FOREIGN if _is_foreign(meaning.language, chunk.language) else scores

    def cosine(self, chunk: Chunk) -> float:
        """Of the whole passage, without the handicap of another language; 0 without meaning."""
        meaning = self._meaning
        if meaning is None:
            return 0.0
        row = _row(self._reader, chunk)
        found = float(self._reader.vectors_of(np.asarray([row]))[0] @ meaning.vector)
        foreign = _is_foreign(meaning.language, chunk.language)
        return found + meaning.language_gap if foreign else found

    def words(self, chunk: Chunk, spans: Sequence[Span]) -> NDArray[np.float64]:
        """Share of the question's words, 0 to 1, float64 (len(spans),)."""
        return np.asarray([self._words.share(chunk.text[a:b], chunk.language) for a, b in spans])


def _is_foreign(asked: str, written: str) -> bool:
    return bool(asked) and written in LANGUAGES and written != asked


def _row(reader: GenerationReader, chunk: Chunk) -> int:
    """The chunk's row: those of a document are in the order of their starts."""
    table = reader.chunks
    number = next(n for n, d in enumerate(table.documents) if d.path == chunk.path)
    first, end = table.rows(number)
    row = first + bisect_left(range(first, end), chunk.start, key=lambda r: table[r].start)
    return next(r for r in range(row, end) if table[r].id == chunk.id)


class _Words:
    def __init__(self, bm25: Bm25Index, text: str) -> None:
        self._bm25 = bm25
        self._asked = [(frozenset(w.terms), bm25.importance(w.text)) for w in bm25.words(text)]
        self._total = sum(weight for _, weight in self._asked)

    def share(self, text: str, language: str) -> float:
        if not self._total:
            return 0.0
        terms = frozenset(self._bm25.terms(text, language))
        return sum(w for asked, w in self._asked if not asked.isdisjoint(terms)) / self._total
