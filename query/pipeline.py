"""The question side composed: legs → fusion → rerank → hits."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.derived.joined import JoinedReader, joined, leaves_of
from index.reader import GenerationReader
from kb.errors import OtherModel, Unavailable
from kb.generations import Manifest
from kb.models.embedder import Embedder
from kb.models.llm.base import NO_LLM
from kb.records import Chunk, Hit
from kb.registry import load
from kb.settings import EmbedSettings, QuerySettings
from query.asked import Asked, ask
from query.explain import explain
from query.first_stage import FirstStage, Found
from query.graph.step import GraphStep
from query.helpers.base import Helper
from query.helpers.fuse import Means, with_further
from query.hits import Trail, to_hits
from query.phrases import PhraseFinder
from query.question import Question
from query.ranking import Ranking
from query.rerank.base import Reranker
from query.rerank.looks import Looks
from query.retrieve import DERIVED_MODES, LINKED_MODES, MODES
from query.route import Route, route
from query.select.boost import boost
from query.select.choose import Pick, Selection, choose
from query.select.tags import tag_weights
from query.tree.step import TreeStep

if TYPE_CHECKING:
    from kb.models.llm.llm import Llm

Mask = NDArray[np.bool_]
_DEEPER = 4  # times as many candidates, where those at hand are copies of few


def needs_embedder(settings: QuerySettings) -> bool:
    """Whether a question has to be embedded; a purely lexical one loads no model."""
    reranker: type[Reranker] = load("reranker", settings.rerank)
    return "dense" in MODES[settings.mode] or reranker.needs_tokens


def check_llm(settings: QuerySettings, llm: "Callable[[], Llm] | None") -> None:
    """See that there is an LLM where one is needed, before any work.

    Raises:
        Unavailable: there is none, or it cannot be opened.
    """
    helpers: list[type[Helper]] = [load("helper", name) for name in settings.helpers]
    without = [name for name, h in zip(settings.helpers, helpers, strict=True) if h.needs_llm]
    if settings.rerank != "llm" and not without:
        return
    if llm is None:
        what = "--rerank llm" if settings.rerank == "llm" else f"--{without[0]}"
        raise Unavailable(f"{what}: {NO_LLM}")
    llm()


class Searcher:
    """Answers questions on one generation; models are loaded once, and only if a part asks for them.

    Rows in what it takes are the leaves'; rows in what it gives are those of its `reader`, which in
    some modes has derived chunks behind the leaves.
    """

    def __init__(
        self,
        reader: GenerationReader,
        settings: QuerySettings,
        embedder: Callable[[], Embedder],
        llm: "Callable[[], Llm] | None" = None,
    ) -> None:
        # What rows mean; the first of them are those of `reader`.
        self.reader = joined(reader) if settings.mode in DERIVED_MODES else leaves_of(reader)
        self._settings = settings
        self._load = embedder
        self._llm = llm
        self._embedder: Embedder | None = None
        self._phrases = PhraseFinder(self.reader)
        self._first = FirstStage(self.reader, settings)
        self._reranker: Reranker = load("reranker", settings.rerank)(settings)
        self._looks = Looks(self._reranker, settings, self.reader)
        self._helpers: list[Helper] = [load("helper", name)(settings) for name in settings.helpers]
        self._tree = TreeStep(self.reader, settings)
        self._graph = GraphStep(self.reader, settings)

    def search(
        self,
        text: str | Asked | Question,
        live: Mask | None = None,
        with_explain: bool = False,
        wanted: Callable[[Chunk], bool] | None = None,
    ) -> list[Hit]:
        """The best ``settings.k`` hits.

        Args:
            text: the question; its operators are read unless `Asked` says otherwise. One made by
                `question` has notes afterwards.
            live: leaves that may answer, bool (n,); None for all. See `JoinedReader.mask`.
            with_explain: fill `Hit.explain`.
            wanted: what is not is left out, and the candidates after it move up.

        Raises:
            UsageError: an empty question, or one of exclusions only.
            OtherModel: the generation was made with another model than the settings name.
        """
        question = text if isinstance(text, Question) else self.question(text)
        trail, chosen = self.chosen(question, live, wanted)
        hits = to_hits(trail, chosen, self.reader, self._reranker.gives_probability)
        if with_explain:
            rows = [int(trail.final.rows[pick.place]) for pick in chosen.picks]
            hits = [
                explain(
                    hit,
                    self.reader,
                    question,
                    row,
                    self._pruned(chosen, pick),
                    self._graph.why(trail, row),
                )
                for hit, row, pick in zip(hits, rows, chosen.picks, strict=True)
            ]
        if self.route(question).mode != "tree":
            return hits
        readable = self._readable(question, live)
        return self._tree.tell(question, trail, hits, readable, wanted, self._checked_embedder)

    def chosen(
        self,
        question: Question,
        live: Mask | None = None,
        wanted: Callable[[Chunk], bool] | None = None,
    ) -> tuple[Trail, Selection]:
        """The hits as places in the trail's final ranking; arguments as of `search`.

        Where copies, or what is not wanted, leave fewer than k although the legs know more, they are
        asked for four times as many, until k stay apart or there are no more. Where the best hit is none
        for which the question's route was chosen, its other route is taken.
        """
        trail, selection = self._on_route(question, live, wanted)
        other = self.route(question).otherwise
        if other is None or self._is_derived(trail, selection):
            return trail, selection
        question.route = other
        return self._on_route(question, live, wanted)

    def _is_derived(self, trail: Trail, selection: Selection) -> bool:
        """Whether the best hit is of no file."""
        rows = (int(trail.final.rows[pick.place]) for pick in selection.picks[:1])
        return any(self.reader.chunks[row].kind != "text" for row in rows)

    def _on_route(
        self,
        question: Question,
        live: Mask | None,
        wanted: Callable[[Chunk], bool] | None,
    ) -> tuple[Trail, Selection]:
        depth = max(self._settings.depth, self._settings.k)
        while True:
            trail = self.trail(question, live, depth)
            selection = self.select(trail, wanted, self.route(question))
            cut = any(len(leg) >= depth for leg in trail.legs.values())
            if selection.apart >= self._settings.k or not cut or depth >= len(self.reader):
                return trail, selection
            depth *= _DEEPER

    def select(
        self,
        trail: Trail,
        wanted: Callable[[Chunk], bool] | None = None,
        route: Route | None = None,
    ) -> Selection:
        """The hits among a trail's candidates; a route may ask for more variety than the settings."""
        settings = self._settings
        if route is not None and route.diversity > settings.diversity:
            settings = msgspec.structs.replace(settings, diversity=route.diversity)
        return choose(trail.final, self.reader, settings, wanted, self._probability(trail))

    def question(self, text: str | Asked) -> Question:
        """A question that this searcher's parts can read. Raises as `search`."""
        return Question(
            ask(text, operators=self._settings.operators) if isinstance(text, str) else text,
            self._checked_embedder,
            with_tokens=self._looks.needs_tokens,
            gap_share=self._looks.gap_share if self._settings.language_gap else 0.0,
            finder=self._phrases,
            llm=self._llm,
            max_calls=self._settings.max_calls,
        )

    def trail(
        self, question: Question, live: Mask | None = None, depth: int | None = None
    ) -> Trail:
        """Rankings of every step; `depth` candidates of each leg, by default what the settings say."""
        depth = depth or max(self._settings.depth, self._settings.k)
        found = self._found(question, False, live, depth)
        if self._helpers:
            means = Means(
                lambda other, by_meaning: self._found(other, by_meaning, live, depth),
                lambda own: self._best(question, own),
            )
            found = with_further(question, found, self._helpers, self.reader, self._settings, means)
        trail = self._looks.rerank(question, found)
        if self.route(question).mode in LINKED_MODES:
            trail = self._graph.follow(question, trail, self.admitted(question, live))
        return self._boosted(trail)

    def route(self, question: Question) -> Route:
        """Where the question is answered from; chosen once."""
        if question.route is None:
            there = self.reader.manifest.components
            chosen = route(question.text, self._settings, there)
            question.route = self._graph.settle(question, chosen)
        return question.route

    def admitted(self, question: Question, live: Mask | None) -> Mask | None:
        """The rows of `reader` that its route and a filter of leaves let through; None for all."""
        route = self.route(question)
        if not isinstance(self.reader, JoinedReader):
            return live
        if route.mode == "tree":
            return self._tree.admitted(question, live)
        return self.reader.mask(live, route.kinds)

    def _readable(self, question: Question, live: Mask | None) -> Mask | None:
        """The leaves among the rows of `reader` that filters and operators let through."""
        if isinstance(self.reader, JoinedReader):
            live = self.reader.mask(live, ("text",))
        return question.allowed("dense", live, len(self.reader))

    def _found(self, question: Question, by_meaning: bool, live: Mask | None, depth: int) -> Found:
        names = ("dense",) if by_meaning else MODES[self.route(question).mode]
        return self._first.find(question, names, self.admitted(question, live), depth)

    def _best(self, question: Question, own: Found) -> Ranking:
        """For feedback; an LLM is not asked for that."""
        if self._settings.rerank == "llm":
            return own.fused.ranking
        return self._looks.rerank(question, own).final

    def _boosted(self, trail: Trail) -> Trail:
        settings = self._settings
        if not settings.tag_weights:
            return trail
        weights = tag_weights(self.reader.chunks, trail.final.rows, settings.tag_weights)
        final, parts = boost(trail.final, weights, settings.tag_share)
        return replace(trail, final=final, boost=parts)

    def _probability(self, trail: Trail) -> NDArray[np.float64] | None:
        """The reranker's, of each of the final candidates; NaN for those it did not look at."""
        if trail.blend is None or not self._reranker.gives_probability:
            return None
        looked_at = trail.fused.ranking.rows[: len(trail.blend.raw)]
        known = dict(zip(looked_at.tolist(), trail.blend.raw.tolist(), strict=True))
        return np.asarray([known.get(row, np.nan) for row in trail.final.rows.tolist()])

    def _pruned(self, chosen: Selection, pick: Pick) -> dict[str, object] | None:
        """What a hit had to say for itself when weak ones were dropped."""
        if pick.place not in chosen.values:
            return None
        of = "probability" if self._reranker.gives_probability else "share of the best"
        return {"value": chosen.values[pick.place], "of": of, "below": self._settings.prune_below}

    def _checked_embedder(self) -> Embedder:
        if self._embedder is None:
            embedder = self._load()
            manifest = self.reader.manifest
            if embedder.fingerprint != manifest.fingerprint:
                raise _other_model(manifest, embedder)
            self._embedder = embedder
        return self._embedder


def _other_model(manifest: Manifest, embedder: Embedder) -> OtherModel:
    built = msgspec.convert(manifest.settings.get("embed", {}), EmbedSettings)
    return OtherModel(
        f"generation {manifest.number} holds {manifest.dimension}-d vectors of {manifest.embedder} "
        f"({manifest.fingerprint[:12]}), the settings name {embedder.name}, "
        f"{embedder.dimension}-d ({embedder.fingerprint[:12]}): query with the model it was built "
        f"with (--set embed.embedder={built.embedder} --set embed.model={built.model}), "
        "or run 'tesela index' to embed anew with the settings' model"
    )
