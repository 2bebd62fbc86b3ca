"""The graph of a generation: read the chunks, fold, write, report on its communities."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import msgspec

from index.derived.base import Floats, Made, Making
from index.graph import reader
from index.graph.communities import stage
from index.graph.decisions import decisions_of
from index.graph.extract.asking import Asker
from index.graph.extract.keys import way_of
from index.graph.extract.read import ReadTexts, read_by_llm, read_by_rules, texts_of
from index.graph.fold.fold import VERSION, fold
from index.graph.links import write_links
from index.graph.records import Node
from index.graph.resolve.decisions import Decided
from index.graph.write import write_graph
from kb.digest import digest, digest_settings
from kb.models.llm.base import asked_of
from kb.models.llm.lazily import lazily
from kb.models.llm.llm import Llm
from kb.settings import Settings
from kb.store import Store


class Graph:
    """See `index.derived.base.Derivation`."""

    name: ClassVar[str] = "graph"

    @staticmethod
    def enabled(settings: Settings) -> bool:
        """Whether generations are to have a graph."""
        return settings.graph.enabled

    @staticmethod
    def key(settings: Settings, store: Store) -> tuple[str, ...]:
        """Versions, settings, which LLM reads or reports, and what users decided about names."""
        decided = [msgspec.json.encode(one) for one in decisions_of(store)]
        return (
            f"{VERSION}.{reader.VERSION}.{stage.VERSION}",
            digest_settings(settings.graph),
            *way_of(settings),
            digest(*map(str, asked_of(settings.llm))) if settings.graph.reports == "llm" else "",
            digest(*decided),
        )

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        """Fold what the chunks say, and report on the communities of the graph."""
        settings = making.settings.graph
        notes: list[str] = []
        with _llm(making, notes) as (llm, calls):
            read = _read(making, llm)
            asks = settings.extractor == "llm"
            decided = Decided(decisions_of(making.store))
            embed = making.embed_only if asks else None
            folded = fold(read.pieces, len(making.table), decided, embed)
            facts = write_graph(
                folder,
                folded,
                settings.extractor,
                failed=read.failed_chunks,
                pending=read.pending,
                vectors=_vectors(folded.nodes, making.embed_only) if asks else None,
            )
            graph = reader.FoldedGraph(folder)
            write_links(folder, making.table, graph)
            made = stage.report(making, graph, folder, llm if settings.reports == "llm" else None)
            return replace(
                made,
                notes=(reader.in_words(facts), *made.notes, *notes),
                calls=calls(),
                pending=read.pending + made.pending,
                failed={**read.failed, **made.failed},
                stopped=read.stopped or made.stopped,
            )


def _read(making: Making, llm: Callable[[], Llm]) -> ReadTexts:
    texts = texts_of(making.table, making.settings)
    if making.settings.graph.extractor == "rules":
        return read_by_rules(texts, making.store, making.progress)
    asker = Asker(making.settings, llm, making.wish, making.progress)
    return read_by_llm(texts, making.store, asker)


def _vectors(nodes: Sequence[Node], embed: Callable[[Sequence[str]], Floats]) -> Floats | None:
    """Of each node's name and description; None where there is no node."""
    texts = [
        f"{node.name}: {node.description}" if node.description else node.name for node in nodes
    ]
    return embed(texts) if texts else None


@contextlib.contextmanager
def _llm(making: Making, notes: list[str]) -> Iterator[tuple[Callable[[], Llm], Callable[[], int]]]:
    """The LLM, opened when it is first asked for, and how many calls it was asked."""
    opened: list[Llm] = []
    with lazily(making.location, making.settings.llm, notes.append) as get:

        def once() -> Llm:
            opened[:] = [get()]
            return opened[0]

        yield once, lambda: opened[0].calls if opened else 0
