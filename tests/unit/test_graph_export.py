"""The graph for other programs, and as a page."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from index.graph.communities.records import Community, write_communities
from index.reader import GenerationReader
from kb.records import Chunk
from query.graph.export.as_json import as_json
from query.graph.export.drawing import Drawing, draw
from query.graph.export.graphml import graphml
from query.graph.export.layout import layout
from query.graph.export.page import page
from query.graph.seen import SeenGraph
from tests.graph_files import Drawn, Related, Written, write_graph

EVIL = "</script><img src=x onerror=alert(1)>\x0b&\u2028"
TEXTS = [f"{EVIL} leads Acme.\nAcme lies in Vigo.", "Vigo is wet. Acme is dry."]
SHOWN = Path(__file__).parents[2] / "query" / "graph" / "export"
_NS = {"g": "http://graphml.graphdrawing.org/xmlns"}


def at(row: int, words: str) -> tuple[int, int, int]:
    start = TEXTS[row].index(words)
    return row, start, start + len(words)


DRAWN = Drawn(
    [
        Written(EVIL, [at(0, EVIL)], "person", "leads, and \x00 more"),
        Written("Acme", [at(0, "Acme"), at(1, "Acme")], aliases=("Acme", "ACME Ltd")),
        Written("Vigo", [at(0, "Vigo"), at(1, "Vigo")]),
        Written("Alone"),
    ],
    [
        Related(EVIL, "Acme", "leads", 2.0, [at(0, TEXTS[0].split("\n")[0])]),
        Related("Acme", "Vigo", "", 1.0, [at(0, "Acme lies in Vigo.")]),
    ],
    rows=2,
)


def seen_of(folder: Path, live: list[bool] | None = None) -> SeenGraph:
    graph = write_graph(folder / "graph", DRAWN)
    members = tuple(graph.node(graph.named(name)[0]).id for name in ("Acme", "Vigo"))
    write_communities(folder / "graph", [Community("c" * 16, 1, "", members, "Acme, Vigo", "")])
    chunks = [
        Chunk(f"c{i}", f"d{i}", f"docs/{i}.md", 0, len(text), text, lines=(1, 1 + text.count("\n")))
        for i, text in enumerate(TEXTS)
    ]
    reader = SimpleNamespace(
        manifest=SimpleNamespace(components={"graph": "key"}), folder=folder, chunks=chunks
    )
    return SeenGraph(cast(GenerationReader, reader), None if live is None else np.array(live))


@pytest.fixture
def drawing(tmp_path: Path) -> Drawing:
    return draw(seen_of(tmp_path))


def test_graphml_is_read_by_an_xml_parser(drawing: Drawing) -> None:
    root = ET.fromstring("\n".join(graphml(drawing)))
    nodes = root.findall(".//g:node", _NS)
    assert len(nodes) == 4
    ids = {node.get("id") for node in nodes}
    edges = root.findall(".//g:edge", _NS)
    assert {edge.get("directed") for edge in edges} == {"true", "false"}
    assert all({edge.get("source"), edge.get("target")} <= ids for edge in edges)
    said = {data.get("key"): data.text for data in edges[0].findall("g:data", _NS)} | {
        data.get("key"): data.text for data in edges[1].findall("g:data", _NS)
    }
    assert said["edge_relation"] == "leads"
    keys = {key.get("id") for key in root.findall("g:key", _NS)}
    assert {data.get("key") for data in root.findall(".//g:data", _NS)} <= keys
    names = [d.text for d in root.findall(".//g:data[@key='node_name']", _NS)]
    assert any("<img src=x" in (name or "") for name in names)


def test_json_names_sources(drawing: Drawing) -> None:
    found = json.loads(json.dumps(as_json(drawing)))
    acme = next(node for node in found["nodes"] if node["name"] == "Acme")
    assert (acme["mentions"], acme["documents"]) == (2, 2)
    assert found["communities"] == {acme["community"]: "Acme, Vigo"}
    edge = next(edge for edge in found["edges"] if not edge["relation"])
    (source,) = edge["sources"]
    assert source == {
        "path": "docs/0.md",
        "lines": [2, 2],
        "pages": None,
        "span": list(at(0, "Acme lies in Vigo.")[1:]),
        "text": "Acme lies in Vigo.",
    }


def test_only_the_most_related_fit(tmp_path: Path) -> None:
    drawing = draw(seen_of(tmp_path), most_nodes=2)
    # Acme's edges weigh 3, its leader's 2, Vigo's 1.
    assert {one.node.name for one in drawing.nodes} == {"Acme", EVIL}
    assert (len(drawing.edges), drawing.left_out) == (1, 2)


def test_what_is_hidden_is_not_exported(tmp_path: Path) -> None:
    found = json.loads(json.dumps(as_json(draw(seen_of(tmp_path, [False, True])))))
    assert {node["name"] for node in found["nodes"]} == {"Acme", "Vigo"}
    assert all(node["aliases"] == [node["name"]] for node in found["nodes"])
    assert found["edges"] == []
    assert "docs/0.md" not in json.dumps(found)


def test_the_page_needs_nothing_else_and_obeys_no_document(drawing: Drawing) -> None:
    text = page(drawing, "T")
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|(?:src|href)\s*=\s*[\"']", text)
    assert "<img" not in text
    assert text.count("</script>") == 2  # the data's and the code's own
    (raw,) = re.findall(
        r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL
    )
    data = json.loads(raw)
    assert {node["name"] for node in data["nodes"]} == {EVIL, "Acme", "Vigo", "Alone"}
    assert "\u2028" not in raw
    acme = next(node for node in data["nodes"] if node["name"] == "Acme")
    assert acme["also"] == ["ACME Ltd"]
    assert acme["sources"][0][0] == "docs/0.md:1"
    assert page(drawing, "T") == text


def test_an_empty_graph_is_a_page_too(tmp_path: Path) -> None:
    write_graph(tmp_path / "graph", Drawn([]))
    reader = SimpleNamespace(
        manifest=SimpleNamespace(components={"graph": ""}), folder=tmp_path, chunks=[]
    )
    empty = draw(SeenGraph(cast(GenerationReader, reader)))
    assert '"nodes":[]' in page(empty, "T")
    assert ET.fromstring("\n".join(graphml(empty))) is not None


def test_places_are_apart_and_the_same_each_time() -> None:
    chance = np.random.default_rng(5)
    ends = chance.integers(0, 300, (900, 2))
    groups = [f"g{i % 7}" for i in range(300)]
    first, again = (layout(300, ends, np.ones(900), groups) for _ in range(2))
    assert np.array_equal(first, again)
    assert np.isfinite(first).all()
    gaps = np.linalg.norm(first[:, None] - first[None], axis=2) + 9 * np.eye(300)
    # About one node on each unit of area: few have their neighbour much nearer than that.
    assert np.median(gaps.min(axis=1)) > 0.25
    assert np.abs(first).max() < 0.75 * 300**0.5 + 1


@pytest.mark.parametrize("count", [0, 1, 2])
def test_places_of_few(count: int) -> None:
    found = layout(count, np.empty((0, 2), np.int64), np.empty(0), [""] * count)
    assert found.shape == (count, 2)
    assert len({tuple(place) for place in found.tolist()}) == count


def node_says(code: str) -> Any:
    program = shutil.which("node")
    if program is None:
        pytest.skip("the page's code is tried with node, which is not here")
    whole = f'const p = require("{SHOWN / "page.js"}"); console.log(JSON.stringify({code}))'
    done = subprocess.run([program, "-e", whole], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_search_folds_accents_and_case() -> None:
    nodes = json.dumps(
        [
            {"name": "Núñez", "also": [], "strength": 1},
            {"name": "Ana Núñez", "also": ["Ana"], "strength": 5},
            {"name": "Other", "also": ["NUÑEZ, A."], "strength": 9},
        ]
    )
    assert node_says(f'p.matching({nodes}, "nunez", 9)') == [0, 2, 1]
    assert node_says(f'p.matching({nodes}, "núñez ana", 9)') == [1]
    assert node_says(f'p.matching({nodes}, "  ", 9)') == []


def test_labels_do_not_cover_each_other() -> None:
    assert node_says("p.apart([[0,0,50,12],[40,4,50,12],[0,40,50,12]])") == [
        [0, 0, 50, 12],
        [0, 40, 50, 12],
    ]
    assert node_says("p.bounds([])") == [-1, -1, 1, 1]


@pytest.mark.parametrize("name", ["page.js", "page_start.js"])
def test_the_code_is_code(name: str) -> None:
    program = shutil.which("node")
    if program is None:
        pytest.skip("the page's code is tried with node, which is not here")
    assert subprocess.run([program, "--check", SHOWN / name], check=True).returncode == 0
