"""Text into index terms and into query words; the same rules on both sides."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from index.lexical.cognates import cognates
from index.lexical.folding import fold
from index.lexical.forms import Form, Kind, forms
from index.lexical.stems import stemmer
from index.lexical.stopwords import STOP_WORDS, guess_languages
from index.lexical.tokens import is_unspaced, surface_tokens
from kb.settings import Bm25Settings

VERSION = 1  # raised when the same text may give other terms
_CACHED = 1 << 16  # surface tokens a language


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query.

    ``terms`` are its stems under each language of the index and of the query, and its likely
    cognates: spellings of one word, so they are scored together, as one term. ``text`` is the folded
    word before stemming. ``weight`` says how often the query holds it.
    """

    text: str
    terms: tuple[str, ...]
    weight: float = 1.0
    note: str = ""


class Analyzer:
    """Cuts, folds, stops and stems. Deterministic; holds caches, so share one."""

    def __init__(self, settings: Bm25Settings) -> None:
        self._settings = settings
        self._terms: dict[str, dict[str, tuple[str, ...]]] = {}

    def index_terms(self, text: str, language: str) -> list[str]:
        """Terms of a chunk, in order, repeats included.

        Args:
            text: any string.
            language: ISO 639-1 code that picks stemmer and stop words; ``""`` or unknown: neither.
        """
        known = self._terms.setdefault(language, {})
        if len(known) > _CACHED:
            known.clear()
        terms: list[str] = []
        for surface in surface_tokens(text):
            found = known.get(surface)
            if found is None:
                found = known[surface] = self._token_terms(surface, language)
            terms += found
        return terms

    def query_words(self, text: str, languages: Iterable[str]) -> tuple[QueryWord, ...]:
        """The words of a query that can be looked up, each once, in order of first use.

        Stop words of the language guessed for the query are left out, so the result is empty for
        ``"de la que el"`` as for ``"???"``. Only where nothing else is left are stop words with an
        accent or an apostrophe looked up (``¿qué?``, ``don't``).

        Args:
            text: any string.
            languages: those of the chunks in the index.
        """
        surfaces = surface_tokens(text)
        guessed = guess_languages(s.casefold() for s in surfaces)
        stop = self._stop_words(guessed)
        indexed = frozenset(languages)
        words: dict[str, QueryWord] = {}
        last_resort: dict[str, QueryWord] = {}
        for surface in surfaces:
            kept, aside = _sift(surface, stop, query=True)
            for form in kept:
                text = fold(form.text, self._settings.fold_enye)
                _count(words, text, self._spellings(text, form.kind, guessed, indexed))
            for text in aside:
                # In a chunk of another language it is a word like any other.
                _count(last_resort, text, (text, fold(text)))
        return tuple((words or last_resort).values())

    def _spellings(
        self, text: str, kind: Kind, guessed: frozenset[str], indexed: frozenset[str]
    ) -> Iterator[str]:
        spoken = guessed or frozenset(STOP_WORDS)
        # Stems of the query's own language too: información → inform ← information.
        for code in sorted(spoken | indexed):
            yield self._stem(text, kind, code)
        if kind == "whole" or not self._settings.cognates:
            return
        for source in sorted(spoken):
            for target in sorted(indexed):
                for spelling in cognates(text, source, target):
                    yield self._stem(spelling, kind, target)

    def stems(self, text: str, languages: Iterable[str]) -> tuple[str, ...]:
        """The distinct stems of a folded word under each language."""
        return tuple(dict.fromkeys(self._stem(text, "word", code) for code in languages))

    def is_stop_word(self, folded: str, languages: Iterable[str]) -> bool:
        """Whether chunks of one of the languages leave the word out of the index."""
        enye = self._settings.fold_enye
        return any(folded == fold(word, enye) for word in self._stop_words(languages))

    def _token_terms(self, surface: str, language: str) -> tuple[str, ...]:
        kept, aside = _sift(surface, self._stop_words((language,)), query=False)
        enye = self._settings.fold_enye
        stems = (self._stem(fold(form.text, enye), form.kind, language) for form in kept)
        return (*stems, *aside)

    def _stop_words(self, languages: Iterable[str]) -> frozenset[str]:
        if not self._settings.stop_words:
            return frozenset()
        return frozenset().union(*(STOP_WORDS.get(code, frozenset()) for code in languages))

    def _stem(self, text: str, kind: Kind, language: str) -> str:
        # Folded before it is stemmed: whoever types without accents meets the same term.
        if kind == "whole" or not self._settings.stem or not text.isalpha():
            return text
        return stemmer(language)(text)


def _sift(surface: str, stop: frozenset[str], query: bool) -> tuple[list[Form], list[str]]:
    """The forms to index or look up, and the stop words that are kept aside as they are written.

    Kept aside are those with an accent or an apostrophe (``qué``, ``don't``): few enough to index,
    and all that a query of nothing else can be answered by.
    """
    if "'" in surface and surface.casefold() in stop:
        return [], [surface.casefold()]
    kept: list[Form] = []
    aside: list[str] = []
    for form in _grams(surface, query) or forms(surface):
        if form.kind == "whole" or form.text not in stop:
            kept.append(form)
        elif not form.text.isascii():
            aside.append(form.text)
    return kept, aside


def _count(words: dict[str, QueryWord], text: str, terms: Iterable[str]) -> None:
    seen = words.get(text, QueryWord(text, (), 0.0))
    merged = tuple(dict.fromkeys((*seen.terms, *terms)))
    words[text] = QueryWord(text, merged, seen.weight + 1.0)


def _grams(surface: str, query: bool) -> list[Form]:
    """Character pairs of an unspaced script, [] for other tokens.

    The index also holds the single characters, so that a query of one finds them.
    """
    if not is_unspaced(surface):
        return []
    pairs = [Form(surface[i : i + 2], "whole") for i in range(len(surface) - 1)]
    if query and pairs:
        return pairs
    return [*(Form(c, "whole") for c in surface), *pairs]
