"""Ranks chunks by BM25 and says how each score came about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.lexical.analyzer import VERSION as ANALYSIS
from index.lexical.analyzer import Analyzer, QueryWord
from index.lexical.build import META, VERSION, Meta
from index.lexical.folding import enye_variants
from index.lexical.phrases import Phrase, plain_words, selects
from index.lexical.vocabulary import Vocabulary, map_array
from index.lexical.weighting import idf, saturation
from kb.errors import UsageError
from kb.settings import Bm25Settings

Rows = NDArray[np.int64]
Scores = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TermPart:
    """One query word's share of a chunk's score: ``weight · idf · saturation(tf, length)``."""

    word: str  # folded, as asked
    terms: tuple[str, ...]  # what was looked up for it
    tf: int  # in the chunk
    df: int  # chunks that hold it
    length: int  # of the chunk, in terms
    idf: float
    weight: float  # how often the query says it
    contribution: float
    note: str = ""


class Bm25Index:
    """A lexical index on disk, read through memory maps; `build_bm25` writes it."""

    def __init__(self, folder: Path, meta: Meta, settings: Bm25Settings) -> None:
        self._meta = meta
        self._settings = settings
        self._analyzer = Analyzer(settings)
        self._vocabulary = Vocabulary(folder)
        self._starts: Rows = map_array(folder / "indptr.npy")
        self._rows: NDArray[np.int32] = map_array(folder / "rows.npy")
        self._tf: NDArray[np.uint16] = map_array(folder / "tf.npy")
        self._lengths: NDArray[np.int32] = map_array(folder / "lengths.npy")
        self._documents = meta.documents
        self._mean = meta.length / meta.documents if meta.length else 1.0

    @classmethod
    def open(cls, folder: Path, settings: Bm25Settings | None = None) -> "Bm25Index":
        """Open an index.

        Args:
            folder: written by `build_bm25`.
            settings: k1, b and idf may differ from the build's; None: as built.

        Raises:
            UsageError: the index was made by other code or with other rules for its terms.
            OSError | ValueError | msgspec.DecodeError: the files are missing or damaged.
        """
        meta = msgspec.json.decode((folder / META).read_bytes(), type=Meta)
        if (meta.version, meta.analysis) != (VERSION, ANALYSIS):
            raise UsageError(
                f"the lexical index is of version {meta.version}.{meta.analysis}, this program "
                f"reads {VERSION}.{ANALYSIS}: run `tesela index` to rebuild it"
            )
        settings = settings or meta.settings
        for key in ("stop_words", "stem", "fold_enye"):
            built, asked = getattr(meta.settings, key), getattr(settings, key)
            if built != asked:
                raise UsageError(
                    f"the lexical index was built with bm25.{key} = {built}, the settings say "
                    f"{asked}: run `tesela index` to rebuild it"
                )
        return cls(folder, meta, settings)

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the chunks, sorted."""
        return self._meta.languages

    def words(self, query: str) -> tuple[QueryWord, ...]:
        """The words of a query, stop words gone, with those of their terms that the index holds.

        A word of five letters or more that no chunk holds is tried with ñ for n, and the other way
        round; `QueryWord.note` says so.
        """
        asked = self._analyzer.query_words(query, self._meta.languages)
        return tuple(self._known(self._with_enye(word)) for word in asked)

    def terms(self, text: str, language: str) -> list[str]:
        """The terms that a text in a language would be indexed by."""
        return self._analyzer.index_terms(text, language)

    def scores(self, terms: Sequence[str | QueryWord]) -> NDArray[np.float32]:
        """BM25 of every chunk, shape (n,); 0 where no term occurs. A repeated term counts again."""
        return self._totals(_as_words(terms)).astype(np.float32)

    def search(self, query: str, k: int, live: Mask | None = None) -> tuple[Rows, Scores]:
        """The k best chunks that hold a word of the query.

        Args:
            query: any string; words only, no operators.
            k: most rows wanted.
            live: bool (n,); rows that are False are left out.

        Returns:
            Rows and scores, best first, ties by the lower row; fewer than k when fewer match.
        """
        return self.search_words(self.words(query), k, live)

    def search_words(
        self, words: Sequence[QueryWord], k: int, live: Mask | None = None
    ) -> tuple[Rows, Scores]:
        """As `search`, for words that are already analysed."""
        totals = self._totals(words)
        found = totals > 0 if live is None else (totals > 0) & live
        return _best(np.flatnonzero(found), totals, k)

    def ceiling(self, words: Sequence[QueryWord]) -> float:
        """The score that no chunk can pass: every word there, as often as can be."""
        most = 1.0 if self._settings.idf == "lucene" else self._settings.k1 + 1
        return sum(
            word.weight * most * self._idf(self._df(self._postings(word)[0])) for word in words
        )

    def importance(self, text: str) -> float:
        """How telling a word is, 0 (a stop word) to 1 (in one chunk or none)."""
        highest = self._idf(1)
        found = (max(self._df(self._postings(word)[0]), 1) for word in self.words(text))
        return max((self._idf(df) / highest for df in found), default=0.0)

    def phrase(self, text: str) -> Phrase:
        """A phrase to look for; a long word that no chunk holds is also tried with ñ for n."""
        enye = self._settings.fold_enye
        spelled = (self._spelled(word) for word in plain_words(text, enye))
        return Phrase(tuple(spelled), enye)

    def rows_with(self, spellings: Sequence[str]) -> Rows | None:
        """Rising rows of all chunks that can hold one of the spellings, and of some that do not.

        None where the index cannot tell: stop words, signs, single letters.
        """
        languages = self._meta.languages
        if any(not selects(w) or self._analyzer.is_stop_word(w, languages) for w in spellings):
            return None
        bare = [word.replace("_", "") for word in spellings]
        terms = [term for w in bare for term in (w, *self._analyzer.stems(w, languages))]
        return self._postings(QueryWord("", tuple(terms)))[0]

    def search_rows(self, rows: Rows, df: int, k: int) -> tuple[Rows, Scores]:
        """The k best of `rows`, all of which hold one thing (once) that `df` chunks hold.

        For what has no terms of its own: a phrase of stop words.
        """
        totals = np.zeros(len(self), np.float64)
        totals[rows] = self._single(rows, df)
        return _best(rows, totals, k)

    def explain_row(self, word: str, row: int, df: int) -> TermPart:
        """The score of `search_rows`, explained."""
        rows = np.asarray([row], np.int64)
        return TermPart(
            word=word,
            terms=(),
            tf=1,
            df=df,
            length=int(self._lengths[row]),
            idf=self._idf(df),
            weight=1.0,
            contribution=float(self._single(rows, df)[0]),
        )

    def explain(self, query: str, row: int) -> list[TermPart]:
        """What each query word that the chunk holds adds; the contributions sum to its score."""
        parts = []
        for word in self.words(query):
            rows, tf = self._postings(word)
            place = int(np.searchsorted(rows, row))
            if place == len(rows) or rows[place] != row:
                continue
            part = TermPart(
                word=word.text,
                terms=word.terms,
                tf=int(tf[place]),
                df=self._df(rows),
                length=int(self._lengths[row]),
                idf=self._idf(self._df(rows)),
                weight=word.weight,
                contribution=float(self._shares(word, rows, tf)[place]),
                note=word.note,
            )
            parts.append(part)
        return parts

    def _single(self, rows: Rows, df: int) -> Scores:
        share = saturation(self._settings, np.ones(len(rows)), self._lengths[rows], self._mean)
        return np.asarray(self._idf(df) * share, np.float64)

    def _spelled(self, word: str) -> tuple[str, ...]:
        rows = self.rows_with((word,))
        if self._settings.fold_enye or rows is None or len(rows):
            return (word,)
        return (word, *enye_variants(word))

    def _with_enye(self, word: QueryWord) -> QueryWord:
        if self._settings.fold_enye or self._holds(word.terms):
            return word
        found: dict[str, tuple[str, ...]] = {}
        for spelling in enye_variants(word.text):
            terms = self._analyzer.stems(spelling, self._meta.languages)
            if self._holds(terms):
                found[spelling] = terms
        if not found:
            return word
        merged = tuple(dict.fromkeys(term for terms in found.values() for term in terms))
        note = f"no chunk holds {word.text}; looked up instead: {', '.join(found)}"
        return replace(word, terms=merged, note=note)

    def _known(self, word: QueryWord) -> QueryWord:
        return replace(word, terms=tuple(term for term in word.terms if self._has(term)))

    def _holds(self, terms: Sequence[str]) -> bool:
        return any(self._has(term) for term in terms)

    def _has(self, term: str) -> bool:
        return self._vocabulary.find(term) >= 0

    def _idf(self, df: int) -> float:
        return idf(self._settings.idf, self._documents, df)

    def _df(self, rows: Rows) -> int:
        """How many of the chunks that statistics are of are in `rows`, which rise."""
        return len(rows)

    def _totals(self, words: Sequence[QueryWord]) -> Scores:
        totals = np.zeros(len(self), np.float64)
        for word in words:
            rows, tf = self._postings(word)
            totals[rows] += self._shares(word, rows, tf)  # a row is in `rows` once
        return totals

    def _shares(self, word: QueryWord, rows: Rows, tf: Scores) -> Scores:
        weight = word.weight * self._idf(self._df(rows))
        return weight * saturation(self._settings, tf, self._lengths[rows], self._mean)

    def _postings(self, word: QueryWord) -> tuple[Rows, Scores]:
        """Rows, rising, and term frequencies of all spellings of a word taken together."""
        slices = []
        for term in dict.fromkeys(word.terms):
            place = self._vocabulary.find(term)
            if place >= 0:
                span = slice(self._starts[place], self._starts[place + 1])
                slices.append((self._rows[span], self._tf[span]))
        if not slices:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        if len(slices) == 1:
            return slices[0][0].astype(np.int64), slices[0][1].astype(np.float64)
        every_row = np.concatenate([r for r, _ in slices]).astype(np.int64)
        rows, inverse = np.unique(every_row, return_inverse=True)
        counts = np.concatenate([t for _, t in slices]).astype(np.float64)
        return rows, np.asarray(np.bincount(inverse, weights=counts), np.float64)


def _as_words(terms: Sequence[str | QueryWord]) -> list[QueryWord]:
    return [QueryWord(t, (t,)) if isinstance(t, str) else t for t in terms]


def _best(rows: Rows, totals: Scores, k: int) -> tuple[Rows, Scores]:
    scores = totals[rows]
    if 0 < k < len(rows):
        # All rows that tie with the k-th stay until the lower row decides.
        kept = scores >= np.partition(scores, -k)[-k]
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))[: max(k, 0)]
    return rows[order], scores[order]
