"""Options that say how hits are found and chosen; shared by ``query`` and ``batch``."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer

from cli.options import choices
from kb.errors import UsageError
from kb.settings import QuerySettings


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """Each is a setting of the section ``query``; None where it was not given."""

    TITLE: ClassVar[str] = "Ranking"

    k: Annotated[
        int | None,
        typer.Option("-k", metavar="N", help="How many hits. [default: 10]", show_default=False),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="auto|hybrid|dense|sparse|tree|graph",
            help="Meaning, words, or both (hybrid); with summaries (tree) or the graph; auto: as the "
            "question asks, of what was built. [default: auto]",
            show_default=False,
        ),
    ] = None
    tree: Annotated[
        str | None,
        typer.Option(
            metavar="descend|collapsed",
            help="Mode tree, and auto where it takes to it: the summaries on the best ways down the "
            "tree, or all summaries and passages at once. [default: descend]",
            show_default=False,
        ),
    ] = None
    graph: Annotated[
        str | None,
        typer.Option(
            metavar="auto|local|global",
            help="Mode graph: passages around the entities that the question names, or reports on "
            "communities of entities beside passages; auto: as the question asks. [default: auto]",
            show_default=False,
        ),
    ] = None
    fusion: Annotated[
        str | None,
        typer.Option(
            metavar=choices("fusion"),
            help="How hybrid merges the two. [default: auto]",
            show_default=False,
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Dense share in weighted fusion, 0 to 1. [default: 0.65]",
            show_default=False,
        ),
    ] = None
    rerank: Annotated[
        str | None,
        typer.Option(
            metavar=choices("reranker"),
            help="Second look at the best hits. [default: maxsim]",
            show_default=False,
        ),
    ] = None
    collapse: Annotated[
        bool | None,
        typer.Option(
            "--collapse/--no-collapse",
            help="Show passages that say nearly the same as one, with the places of the others. "
            "[default: collapse, but not for --format trec]",
            show_default=False,
        ),
    ] = None
    diversity: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="How much it counts that a hit is unlike those before it, 0 to 1. [default: 0]",
            show_default=False,
        ),
    ] = None
    prune: Annotated[
        bool | None,
        typer.Option("--prune", help="Drop weak hits; 3 to 5 stay.", show_default=False),
    ] = None
    prune_below: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Prune what is under X: 1 is the best hit, 0 the last candidate looked at; or a "
            "probability where --rerank gives one. [default: 0.5]",
            show_default=False,
        ),
    ] = None

    def flags(self) -> dict[str, Any]:
        """Dotted settings; None for those that are not given."""
        return {
            "query.k": self.k,
            "query.mode": self.mode,
            "query.tree": self.tree,
            "query.graph": self.graph,
            "query.fusion": self.fusion,
            "query.alpha": self.alpha,
            "query.rerank": self.rerank,
            "query.collapse": self.collapse,
            "query.diversity": self.diversity,
            "query.prune": self.prune if self.prune_below is None else True,
            "query.prune_below": self.prune_below,
        }

    def insist(self, query: QuerySettings) -> None:
        """See that each option given says something.

        Raises:
            UsageError: under these settings, one has no effect.
        """
        from query.retrieve import MODES

        fused = tuple(mode for mode, legs in MODES.items() if len(legs) > 1)
        for option, value, says, key, needed in (
            ("--tree", self.tree, "how summaries are found", "mode", ("tree", "auto")),
            ("--graph", self.graph, "how mode graph answers", "mode", ("graph",)),
            ("--fusion", self.fusion, "how legs are merged", "mode", fused),
            ("--alpha", self.alpha, "the dense leg's share", "mode", fused),
            ("--alpha", self.alpha, "a weighted fusion's dense share", "fusion", ("weighted",)),
        ):
            found = getattr(query, key)
            if value is not None and found not in needed:
                raise UsageError(
                    f"{option} says {says}, and the {key} is {found}: add --{key} {needed[0]}, "
                    f"or leave {option} out"
                )


def sets_for(form: str | None, sets: list[str] | None) -> list[str]:
    """``--set`` with what a format asks for before it.

    Evaluators judge each document by itself, so a TREC run keeps copies unless told otherwise.
    """
    return [*(["query.collapse=false"] if form == "trec" else []), *(sets or [])]
