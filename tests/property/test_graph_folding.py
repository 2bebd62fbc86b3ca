"""The fold: what a document gave goes with it, and no order has a part in it."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.graph.extract.rules import extract
from index.graph.fold.fold import Folded, fold
from index.graph.fold.pieces import Piece
from index.graph.write import write_graph
from tests.fake_embedder import FakeEmbedder
from tests.graph_texts import told

PEOPLE = ["Alex Mercer", "Agent Mercer", "Mercer", "Dr. Zhang, a dentist,", "Dr. Zhang, a surgeon,",
          "John Mercer", "J. Mercer", "Ana García", "Mrs. Stone", "WHO"]  # fmt: skip
VERBS = ["met", "works at", "nodded to", "es la directora de", "and", "wrote to", "founded"]
THINGS = ["Acme Labs", "Acme", "Dulce base", "Dulce", "the settling tank",
          "the World Health Organization (WHO)",
          "`read_items`", "Leeds", "NASA"]  # fmt: skip
sentences = st.tuples(
    st.sampled_from(PEOPLE), st.sampled_from(VERBS), st.sampled_from(PEOPLE + THINGS)
)
texts = st.lists(sentences, min_size=1, max_size=4).map(
    lambda parts: " ".join(f"Then {' '.join(part)} today." for part in parts)
)
documents = st.dictionaries(st.sampled_from("abcdefgh"), texts, max_size=6)

NAMES = ["the king", "the old king", "Cinderella", "the maiden", "two sisters", "the two sisters",
         "the bird", "little white bird", "Alex Mercer", "Mercer", "Dr. Zhang"]  # fmt: skip
SAID = [
    "A girl who sings.",
    "Cinderella, who sings.",
    "Mother of the maiden.",
    "A dentist.",
    "Surgeon.",
    "",
]
entities = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(["person", "object", ""]), st.sampled_from(SAID)
)
relations = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(["is", "sees"]), st.sampled_from(NAMES)
)
chunks = st.builds(
    lambda some, related: told(*some, relations=related),
    st.lists(entities, max_size=5),
    st.lists(relations, max_size=3),
)


def by_rules(texts: dict[str, str]) -> Folded:
    ordered = sorted(texts.items())
    return fold(
        [Piece(row, path, extract(text)) for row, (path, text) in enumerate(ordered)], len(texts)
    )


def bytes_of(graph: Folded) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        write_graph(Path(folder), graph, "rules")
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(documents, documents)
def test_what_a_document_gave_goes_with_it(some: dict[str, str], more: dict[str, str]) -> None:
    both = {**some, **{f"z{path}": text for path, text in more.items()}}
    by_rules(both)
    rest = {path: text for path, text in both.items() if path in some}
    assert bytes_of(by_rules(rest)) == bytes_of(by_rules(some))


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(documents, st.randoms(use_true_random=False))
def test_the_order_of_chunks_has_no_part_in_it(texts: dict[str, str], random: object) -> None:
    pieces = [
        Piece(row, path, extract(text)) for row, (path, text) in enumerate(sorted(texts.items()))
    ]
    shuffled = pieces.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert bytes_of(fold(shuffled, len(pieces))) == bytes_of(fold(pieces, len(pieces)))


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from("ab"), chunks), max_size=5), st.permutations(range(5)))
def test_nor_has_the_order_of_rows(chunks: list[tuple[str, object]], order: list[int]) -> None:
    """Rows are numbered anew: the same nodes and edges, at other rows."""

    def graph(places: list[int]) -> Folded:
        embedder = FakeEmbedder()
        pieces = [
            Piece(place, document, said)
            for place, (document, said) in zip(places, chunks, strict=False)
        ]  # type: ignore[arg-type]
        return fold(pieces, 5, None, lambda texts: embedder.embed(texts, "passage"))

    one, other = graph(list(range(5))), graph(order)
    callings = any(
        "entist" in e.description or "urgeon" in e.description
        for _, c in chunks
        for e in c.entities
    )  # type: ignore[attr-defined]
    if not callings:  # which of two namesakes is meant, the order of a document's chunks says
        assert one.nodes == other.nodes
        assert one.edges == other.edges


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(documents)
def test_every_place_is_in_its_text_and_every_node_has_one(texts: dict[str, str]) -> None:
    graph = by_rules(texts)
    ordered = [text for _, text in sorted(texts.items())]
    assert all(graph.node_spans)
    assert all(graph.edge_spans)
    for node, spans in zip(graph.nodes, graph.node_spans, strict=True):
        assert {ordered[row][start:end] for row, start, end in spans} <= set(node.aliases)
    assert len({node.id for node in graph.nodes}) == len(graph.nodes)
    assert all(edge.weight > 0 for edge in graph.edges)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for one in extract(text).entities:
        assert one.name.strip()
        assert all(0 <= start < end <= len(text) for start, end in one.spans)
