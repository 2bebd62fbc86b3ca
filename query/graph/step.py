"""The graph's part in answering a question, between rerank and boosts."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from index.derived.joined import JoinedReader
from index.graph.links import Links, read_links
from index.graph.reader import FoldedGraph
from index.reader import GenerationReader
from kb.errors import UsageError
from kb.settings import QuerySettings
from query.fuse.base import Fused
from query.graph.linked import SEEDS, linked, starts
from query.graph.named import alike, named, seeds
from query.graph.seen import NO_GRAPH
from query.graph.via import via
from query.graph.walk import NOWHERE, Mask, Mass, reach
from query.hits import Trail
from query.question import Question
from query.ranking import Ranking
from query.route.base import Route

GRAPH = "graph"  # the component, and the leg
_ASKED_FOR = 0.3  # of the walks begin at entities of the question, where the graph was asked for


@dataclass(frozen=True)
class GraphStep:
    """Follows the graph of one generation, where it has one."""

    reader: GenerationReader
    settings: QuerySettings

    @property
    def there(self) -> bool:
        """Whether the generation has a graph."""
        return GRAPH in self.reader.manifest.components

    @cached_property
    def graph(self) -> FoldedGraph:
        """The graph."""
        return FoldedGraph(self.reader.folder / GRAPH)

    @cached_property
    def _links(self) -> Links:
        return read_links(self.reader.folder / GRAPH)

    def settle(self, question: Question, route: Route) -> Route:
        """The route, or what stands in for it where the graph has nothing to say; a note tells.

        Raises:
            UsageError: the graph is asked for and there is none.
        """
        if route.mode != GRAPH:
            return route
        if not self.there:
            raise UsageError(f"--mode graph: {NO_GRAPH}")
        local = "community" not in route.kinds
        if self.settings.mode == "auto" and local and not named(question.text, self.graph):
            return Route("hybrid", reason=f"{route.reason}, but names no entity of the graph")
        if local:
            lacks = "" if len(self.graph) else "the graph is empty (no names were found)"
        else:
            kinds = self.reader.kinds if isinstance(self.reader, JoinedReader) else ()
            lacks = "" if "community" in kinds else "the graph has no communities to report on"
        if not lacks:
            return route
        question.notes.append(f"{lacks}: answered from passages, as --mode hybrid does")
        return Route("hybrid", reason=lacks)

    def follow(self, question: Question, trail: Trail, live: Mask | None) -> Trail:
        """The trail with what its best hits lead to.

        Args:
            question: that is asked; where its route is the graph's, walks begin at its entities, too,
                and where reports answer it, none are needed.
            trail: up to the rerank.
            live: rows that may answer, bool; None for all.
        """
        about_all = question.route is not None and "community" in question.route.kinds
        if not self.there or not self.settings.links or not len(trail.final) or about_all:
            return trail
        leaves = self.graph.facts.rows
        allowed = question.allowed(GRAPH, live, len(self.reader))
        asked_for = self._asked_for(question)
        pool = self.settings.rerank_depth if trail.blend is None else len(trail.blend.raw)
        begin = starts(trail.final, pool, leaves, 1 - float(asked_for.shares.sum()))
        within = None if allowed is None else allowed[:leaves]
        found = reach(self._links, begin, asked_for, within)
        if not len(found.places):
            return trail
        trail = _joined_by(trail, found)
        final, parts = linked(trail.final, pool, found, self.settings.links)
        return replace(trail, final=final, linked=parts)

    def why(self, trail: Trail, row: int) -> dict[str, str]:
        """What leads to a hit: the entity and the hit that names it, too; {} where there is no one way."""
        leaves = self.graph.facts.rows if trail.linked is not None else 0
        if trail.linked is None or row >= leaves or not trail.linked.parts(row)["link_share"]:
            return {}
        best = [int(one) for one in trail.final.rows[:SEEDS] if one < leaves]
        found = via(self._links, best, row)
        if found is None:
            return {}
        seed, node = found
        return {"by": self.graph.node(node).name, "from": self.reader.chunks[seed].path}

    def _asked_for(self, question: Question) -> Mass:
        if question.route is None or question.route.mode != GRAPH:
            return NOWHERE
        nodes = named(question.text, self.graph)
        nodes += [n for n in alike(question.vector, self.graph) if n not in nodes]
        return seeds(nodes, self.graph, _ASKED_FOR)


def _joined_by(trail: Trail, found: Mass) -> Trail:
    """The trail with what was reached as a leg of its own, and among the candidates.

    What no other leg has found was fused with nothing: its fused score is 0.
    """
    by_share = np.lexsort((found.places, -found.shares))
    leg = Ranking(found.places[by_share], found.shares[by_share])
    new = leg.rows[~np.isin(leg.rows, trail.final.rows)]
    fused, nothing = trail.fused, np.zeros(len(new))
    ranking = Ranking(
        np.concatenate([fused.ranking.rows, new]), np.concatenate([fused.ranking.scores, nothing])
    )
    shares = {name: np.concatenate([share, nothing]) for name, share in fused.shares.items()}
    last = 0.0
    if trail.blend is not None:
        pool = len(trail.blend.raw)
        last = float(trail.blend.total.min() - fused.ranking.scores[pool - 1])
    final = Ranking(
        np.concatenate([trail.final.rows, new]),
        np.concatenate([trail.final.scores, np.full(len(new), last)]),
    )
    legs = {**trail.legs, GRAPH: leg}
    return replace(trail, legs=legs, fused=Fused(ranking, shares), final=final)
