"""A question, embedded at most once whichever parts ask for its vectors."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from index.lexical.stems import LANGUAGES
from index.lexical.stopwords import guess_languages
from index.lexical.tokens import surface_tokens
from index.reader import GenerationReader
from kb.errors import Unavailable, UsageError
from kb.models.embedder import Embedder, Role
from kb.models.llm.base import NO_LLM
from kb.models.llm.budget import Allowance
from kb.models.load import supports_tokens
from query.asked import Asked, plain
from query.phrases import Mask, PhraseFinder, allowed
from query.route.base import Route

if TYPE_CHECKING:
    from kb.models.llm.llm import Llm
    from query.helpers.base import SubQuery

Floats = NDArray[np.float32]


class Question:
    """What the user asked.

    Args:
        asked: the user's words.
        embedder: called when a vector is first needed.
        with_tokens: token vectors will be asked for.
        gap_share: how much of the handicap of another language is taken off a chunk in it, 0 to 1.
        finder: looks phrases up; without one they bind nothing.
        llm: called when an LLM is first needed.
        max_calls: to it, for this question.

    Raises:
        UsageError: there is nothing in it.
    """

    def __init__(
        self,
        asked: Asked | str,
        embedder: Callable[[], Embedder],
        *,
        with_tokens: bool = False,
        gap_share: float = 1.0,
        finder: PhraseFinder | None = None,
        llm: "Callable[[], Llm] | None" = None,
        max_calls: int = 0,
    ) -> None:
        asked = plain(asked) if isinstance(asked, str) else asked
        if not asked.query.strip():
            raise UsageError("the question is empty: write what you look for, or - to read it")
        self.asked = asked
        self.text = asked.text
        self.held = finder.holding(asked.phrases) if finder else None
        self.kept = finder.without(asked.excluded) if finder else None
        self._embedder = embedder
        self._llm = llm
        self.allowance = Allowance(max_calls)
        self.llm_used = ""  # the name of the LLM that had a part in the answer
        self.notes: list[str] = []  # what was done other than asked
        self.further: tuple[SubQuery, ...] | None = None  # None: not made yet
        self.route: Route | None = None  # None: not chosen yet
        self._role: Role = "query"
        self._vector: Floats | None = None
        self._with_tokens = with_tokens
        self._gap_share = gap_share
        self._foreign: tuple[GenerationReader, NDArray[np.bool_] | None] | None = None

    @property
    def llm(self) -> "Llm":
        """The LLM.

        Raises:
            Unavailable: none is set.
        """
        if self._llm is None:
            raise Unavailable(NO_LLM)
        llm = self._llm()
        self.llm_used = llm.name
        return llm

    @property
    def has_llm(self) -> bool:
        """Whether there is one."""
        return self._llm is not None

    def reworded(self, text: str, role: Role = "query") -> "Question":
        """Another search on behalf of this question: what it excludes stays excluded.

        Args:
            text: what all legs read.
            role: what the text is to the embedder.
        """
        other = copy(self)
        for made in ("_semantic", "_embedded", "language"):
            other.__dict__.pop(made, None)
        other.asked = replace(self.asked, text=text, lexical=text, semantic=text)
        other.text = text
        other._with_tokens, other._role, other._foreign = False, role, None
        other._vector = None
        return other  # of the same route: a further search stays where the question is answered

    def with_tokens(self) -> "Question":
        """The same question, whose `tokens` can be asked for."""
        if self._with_tokens:
            return self
        other = copy(self)
        other.__dict__.pop("_embedded", None)
        other._with_tokens = True
        return other

    def moved(self, vector: Floats) -> "Question":
        """The same question with another vector for the dense leg."""
        other = copy(self)
        other._vector = vector
        return other

    def allowed(self, leg: str, live: Mask | None, count: int) -> Mask | None:
        """Which of the filters' rows may answer in a leg; see `query.phrases.allowed`."""
        binding = self.asked.binding
        held = None if binding == "sparse leg" and leg != "sparse" else self.held
        return allowed(held, self.kept, live, binding == "no other", count)

    @property
    def vector(self) -> Floats:
        """Unit vector of what the dense leg reads, float32 (d,)."""
        if self._vector is not None:
            return self._vector
        if self.asked.semantic != self.text:
            return self._semantic
        return self._embedded[0]

    @property
    def tokens(self) -> Floats:
        """Unit token vectors, float32 (t, d), centred on the model's mean token vector.

        Raises:
            UsageError: the embedder has none, or the question was made without them.
        """
        if self._embedded[1] is None:
            name = self._embedder().name
            raise UsageError(
                f"embedder {name} gives no token vectors, which --rerank maxsim compares: "
                "use --rerank none"
            )
        return self._embedded[1]

    @property
    def token_bounds(self) -> NDArray[np.int64]:
        """Where in the text each of `tokens` stands, int64 (t, 2)."""
        bounds = self._embedder().tokenizer.offsets(self.text)[: len(self.tokens)]
        # At the seam of prefix and text a token may be missing; it then stands nowhere.
        missing = len(self.tokens) - len(bounds)
        return np.concatenate([np.zeros((missing, 2), np.int64), bounds])

    @cached_property
    def language(self) -> str:
        """ISO 639-1, as its function words tell; "" where they do not."""
        guessed = guess_languages(token.casefold() for token in surface_tokens(self.text))
        return next(iter(guessed)) if len(guessed) == 1 else ""

    @property
    def language_gap(self) -> float:
        """See `Embedder.language_gap`; the question's share of it."""
        return self._gap_share * self._embedder().language_gap

    @property
    def token_language_gap(self) -> float:
        """See `TokenEmbedder.token_language_gap`."""
        embedder = self._embedder()
        return self._gap_share * embedder.token_language_gap if supports_tokens(embedder) else 0.0

    def foreign(self, reader: GenerationReader) -> NDArray[np.bool_] | None:
        """True for the chunks in another known language, bool (n,).

        None where that makes no difference: a question or chunks of one unknown language, all chunks
        on one side, a model without a gap, or none wanted.
        """
        if self._foreign is None or self._foreign[0] is not reader:
            self._foreign = (reader, self._find_foreign(reader))
        return self._foreign[1]

    def _find_foreign(self, reader: GenerationReader) -> NDArray[np.bool_] | None:
        # Only languages with a stemmer: rarer ones are mostly code or tables taken for a language.
        others = (set(reader.chunks.languages) & LANGUAGES) - {self.language}
        if not self._gap_share or not self.language or not others or not self.language_gap:
            return None
        rows = reader.chunks.written_in(others)
        return None if rows.all() else rows

    @cached_property
    def _semantic(self) -> Floats:
        vector: Floats = self._embedder().embed([self.asked.semantic], self._role)[0]
        return vector

    @cached_property
    def _embedded(self) -> tuple[Floats, Floats | None]:
        embedder = self._embedder()
        if self._with_tokens and supports_tokens(embedder):
            vectors, tokens = embedder.embed_with_tokens([self.text], self._role)
            return vectors[0], tokens[0] - embedder.token_mean
        return embedder.embed([self.text], self._role)[0], None
