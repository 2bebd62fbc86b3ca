"""Reports on a drawn graph, without a knowledge base around it."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from index.chunk_table import ChunkTable, write_chunks
from index.derived.base import Made, Making
from index.graph.communities.stage import report
from ingest.contextualize.wish import Wish
from kb.models.llm.llm import Llm
from kb.records import Chunk
from kb.settings import LlmSettings
from tests.fake_embedder import FakeEmbedder
from tests.graph_files import Drawn, Related, Span, Written, write_graph

TEAM = ("Ana", "Luis", "Marta")
PLANT = ("Pump", "Valve", "Well")
TEXTS = [
    "Ana leads the team of the plant. Luis and Marta work for Ana every day.",
    "Luis wrote the manual with Marta. The Pump feeds the Valve at night.",
    "The Valve and the Well are closed in winter. The Pump draws from the Well.",
]


def spans_of(*words: str) -> list[Span]:
    """Each sentence of the texts that holds all words, without its full stop."""
    found = []
    for row, text in enumerate(TEXTS):
        at = 0
        for sentence in text.split(". "):
            if all(word in sentence for word in words):
                found.append((row, at, at + len(sentence.rstrip("."))))
            at += len(sentence) + 2
    return found


def named(name: str) -> list[Span]:
    """Where each text first names somebody."""
    at = [(row, text.find(name)) for row, text in enumerate(TEXTS)]
    return [(row, start, start + len(name)) for row, start in at if start >= 0]


def two_groups(*, bridge: bool = True) -> Drawn:
    """Three people and three machines, and a weak edge between."""
    nodes = [Written(name, named(name)) for name in TEAM + PLANT]
    pairs = [(a, b) for group in (TEAM, PLANT) for i, a in enumerate(group) for b in group[i + 1 :]]
    edges = [Related(a, b, weight=2.0, spans=spans_of(a, b)) for a, b in pairs]
    if bridge:
        edges.append(Related("Ana", "Pump", weight=0.1))
    return Drawn(nodes, edges, rows=len(TEXTS))


def reported(
    home: Path,
    drawn: Drawn,
    before: Path | None = None,
    llm: Callable[[], Llm] | None = None,
    wish: Wish | None = None,
) -> Made:
    """Write the graph into ``home/graph`` and report on it; leaves are `TEXTS`."""
    chunks = [
        Chunk(f"c{i}", f"d{i}", f"{i}.md", 0, len(text), text, lines=(1, 1))
        for i, text in enumerate(TEXTS)
    ]
    (home / "chunks").mkdir(parents=True)
    write_chunks(home / "chunks", chunks)
    graph = write_graph(home / "graph", drawn)
    making = SimpleNamespace(
        settings=SimpleNamespace(
            graph=SimpleNamespace(community_size=4), llm=LlmSettings(model="m")
        ),
        table=ChunkTable(home / "chunks"),
        embedder=FakeEmbedder(),
        wish=wish or Wish(),
        before=before,
        progress=lambda *_: None,
    )
    return report(cast(Making, making), graph, home / "graph", llm)
