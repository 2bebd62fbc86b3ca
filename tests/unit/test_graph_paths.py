"""Paths between entities, and the graph as a reader may see it."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.records import Chunk
from query.graph.named import named
from query.graph.paths import path
from query.graph.seen import SeenGraph
from tests.graph_files import Drawn, Related, Written, write_graph

TEXTS = ["A B", "B C", "A D", "D C", "C E"]
# A – B – C – E, and A – D – C: the second has the heavier edges.
EDGES = [("A", "B", 1.0), ("B", "C", 1.0), ("A", "D", 3.0), ("D", "C", 3.0), ("C", "E", 1.0)]


def seen_of(folder: Path, live: list[bool] | None = None, *more: Related) -> SeenGraph:
    nodes = [
        Written(name, [(i, t.index(name), t.index(name) + 1) for i, t in enumerate(TEXTS) if name in t])
        for name in "ABCDEF"
    ]  # fmt: skip
    edges = [Related(a, b, "", w, [(i, 0, 3)]) for i, (a, b, w) in enumerate(EDGES)]
    write_graph(folder / "graph", Drawn(nodes, [*edges, *more], rows=len(TEXTS)))
    chunks = [Chunk(f"c{i}", f"d{i}", f"{i}.md", 0, 3, text) for i, text in enumerate(TEXTS)]
    reader = SimpleNamespace(
        manifest=SimpleNamespace(components={"graph": "key"}), folder=folder, chunks=chunks
    )
    return SeenGraph(cast(GenerationReader, reader), None if live is None else np.array(live))


def names(seen: SeenGraph, a: str, b: str, most: int = 4) -> str | None:
    hops = path(seen, seen.find(a), seen.find(b), most)
    if hops is None:
        return None
    return "".join(
        seen.node(n).name for n in [*(h.source for h in hops), *(hops[-1:] and [hops[-1].target])]
    )


def test_fewest_hops_and_of_those_the_heaviest(tmp_path: Path) -> None:
    seen = seen_of(tmp_path)
    assert names(seen, "A", "C") == "ADC"
    assert names(seen, "A", "E") == "ADCE"
    assert names(seen, "E", "A") == "ECDA"
    assert names(seen, "A", "E", 2) is None
    assert names(seen, "A", "A") == ""


def test_an_edge_that_says_something_is_told_first(tmp_path: Path) -> None:
    seen = seen_of(tmp_path, None, Related("B", "A", "works for", 0.5, [(0, 0, 3)]))
    (hop,) = path(seen, seen.find("A"), seen.find("B"), 4) or []
    edge = seen.edge(hop.edge)
    assert (edge.relation, seen.node(edge.source).name) == ("works for", "B")


def test_a_path_does_not_lead_over_what_is_hidden(tmp_path: Path) -> None:
    assert names(seen_of(tmp_path, [True, True, True, False, True]), "A", "C") == "ABC"
    hidden = seen_of(tmp_path / "2", [True, False, True, False, True])
    assert names(hidden, "A", "C") is None


def test_a_hidden_entity_has_no_name(tmp_path: Path) -> None:
    seen = seen_of(tmp_path, [True, True, True, True, False])
    with pytest.raises(UsageError, match="no entity of the graph is called 'E'"):
        seen.find("E")
    assert [seen.node(int(n)).name for n in seen.nodes if seen.node(int(n)).name == "E"] == []


def test_names_that_come_near_are_told(tmp_path: Path) -> None:
    write_graph(tmp_path / "graph", Drawn([Written("Marta Quiroga", [(0, 0, 3)])], rows=1))
    reader = SimpleNamespace(
        manifest=SimpleNamespace(components={"graph": ""}), folder=tmp_path, chunks=[]
    )
    seen = SeenGraph(cast(GenerationReader, reader))
    for typed in ("quiroga", "Marta Quirogo"):
        with pytest.raises(UsageError, match="is it 'Marta Quiroga'"):
            seen.find(typed)
    assert seen.find("marta QUIROGA") == seen.find(seen.node(0).id) == [0]


def test_entities_that_a_question_names(tmp_path: Path) -> None:
    nodes = [Written(n, [(0, 0, 1)]) for n in ("New York", "New York Times", "Núñez", "C++")]
    graph = write_graph(tmp_path, Drawn(nodes))
    found = [
        graph.node(n).name for n in named("Does the New York Times pay ¿Nunez?, or núñez!", graph)
    ]
    assert found == ["New York Times", "Núñez"]
    assert named("", graph) == []
