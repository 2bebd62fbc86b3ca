"""Which names meet in one entity, and which stay apart."""

import pytest

from index.graph.fold.fold import fold
from index.graph.fold.pieces import Piece
from index.graph.records import Extraction
from index.graph.resolve.decisions import MERGE, PART, SPLIT, Decision
from tests.fake_embedder import FakeEmbedder
from tests.graph_texts import AGENCY, ZHANGS, folded, named, one, told


def by_llm(*chunks: Extraction, documents: tuple[str, ...] = ()) -> list[set[str]]:
    """The aliases of each node, of chunks of one document or of several."""
    pieces = [
        Piece(row, documents[row] if documents else "a.md", chunk)
        for row, chunk in enumerate(chunks)
    ]
    embedder = FakeEmbedder()
    graph = fold(pieces, len(pieces), None, lambda texts: embedder.embed(texts, "passage"))
    return [set(node.aliases) for node in graph.nodes]


def test_short_forms_and_titles_meet_the_full_name() -> None:
    mercer = one(folded(AGENCY), "Mercer")
    assert mercer.name == "Alex Mercer"
    assert set(mercer.aliases) == {"Agent Alex Mercer", "Alex Mercer", "Agent Mercer", "Mercer"}
    assert mercer.type == "person"
    assert {"Cruz", "Taylor Cruz"} <= set(one(folded(AGENCY), "Taylor Cruz").aliases)


def test_a_short_form_in_another_document_needs_a_neighbour_in_common() -> None:
    apart = {"a.md": "Alex Mercer met Taylor Cruz.", "b.md": "Then Mercer nodded to Bob Stone."}
    assert one(folded(apart), "Mercer").name == "Mercer"
    near = {"a.md": "Alex Mercer met Taylor Cruz.", "b.md": "Then Mercer nodded to Taylor Cruz."}
    assert one(folded(near), "Mercer").name == "Alex Mercer"


def test_a_short_form_of_two_people_stays_by_itself() -> None:
    both = {"a.md": "Alex Mercer met John Mercer. Then Mercer nodded."}
    assert one(folded(both), "Mercer").name == "Mercer"
    assert one(folded(both), "Alex Mercer").name == "Alex Mercer"


def test_each_document_says_whom_a_short_form_means() -> None:
    graph = folded(
        {
            "a.md": "Alex Mercer met Taylor Cruz. Then Mercer nodded.",
            "b.md": "John Mercer met Paula Stone. Then Mercer nodded.",
        }
    )
    assert {node.name for node in named(graph, "Mercer")} == {"Alex Mercer", "John Mercer"}


@pytest.mark.parametrize("joined", [False, True], ids=["two documents", "one document"])
def test_namesakes_of_two_callings_stay_apart(joined: bool) -> None:
    texts = {"all.md": "\n\n".join(ZHANGS.values())} if joined else ZHANGS
    zhangs = named(folded(texts), "Dr. Zhang")
    assert len(zhangs) == 2
    assert {node.description.split()[0] for node in zhangs} == {"dentist", "cardiologist"}
    assert len({node.id for node in zhangs}) == 2


def test_one_person_of_two_callings_is_known_by_the_company() -> None:
    graph = folded(
        {
            "a.md": "Dr. Zhang, a dentist, met Ada Brown.",
            "b.md": "Dr. Zhang, a surgeon, wrote to Ada Brown.",
        }
    )
    assert len(named(graph, "Dr. Zhang")) == 1


def test_namesakes_that_an_llm_describes_stay_apart() -> None:
    dentist = told(
        ("Dr. Zhang", "person", "Dentist in Leeds."), ("Smile Clinic", "organization", "")
    )
    heart = told(("Dr. Zhang", "person", "A cardiologist."), ("York Hospital", "organization", ""))
    found = by_llm(dentist, heart, documents=("a.md", "b.md"))
    assert found.count({"Dr. Zhang"}) == 2
    both = told(("Dr. Zhang", "person", "Dentist."), ("Dr. Zhang", "person", "Cardiologist."))
    assert by_llm(both).count({"Dr. Zhang"}) == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The World Health Organization (WHO) met. Then WHO left.", {"World Health Organization", "WHO"}),
        ("We saw Acme Corp. near Leeds. Then Acme left Leeds.", {"Acme Corp", "Acme"}),
        ("We read J. K. Rowling and liked Joanne Kathleen Rowling.", {"J. K. Rowling", "Joanne Kathleen Rowling"}),  # noqa: E501
        ("We met José Núñez today, and again JOSE NUÑEZ came.", {"José Núñez", "JOSE NUÑEZ"}),
        ("They left Dulce base. They liked Dulce military complex.", {"Dulce base", "Dulce military complex"}),  # noqa: E501
        ("We saw the Acme Squad agents and later the Acme Squad team.", {"Acme Squad agents", "Acme Squad team"}),  # noqa: E501
    ],
)  # fmt: skip
def test_ways_to_write_a_name(text: str, names: set[str]) -> None:
    assert names <= set(one(folded({"a.md": text}), min(names)).aliases)


@pytest.mark.parametrize(
    ("text", "one_name", "other"),
    [
        ("We flew from Madrid Airport. Then Madrid was far.", "Madrid", "Madrid Airport"),
        ("He met Mr. John Stone. Then Mrs. Stone nodded.", "Mrs. Stone", "Mr. John Stone"),
        ("He met Ann Lee near Bee. Then Ann Leeds left Bee.", "Ann Lee", "Ann Leeds"),
        ("The Duke of York saw the Duchess of York.", "Duke of York", "Duchess of York"),
        ("We saw an año nuevo in `año_x` and `ano_x`.", "año_x", "ano_x"),
    ],
)
def test_names_that_are_not_the_same(text: str, one_name: str, other: str) -> None:
    graph = folded({"a.md": text})
    assert one(graph, one_name).id != one(graph, other).id


def test_descriptions_say_who_is_who() -> None:
    found = by_llm(
        told(("Cinderella", "person", "A girl."), ("the father", "person", "A rich man.")),
        told(("the maiden", "person", "Cinderella, who calls the birds.")),
        told(("the old man", "person", "Cinderella's father, who wonders.")),
        told(("kitchen-wench", "person", "How the father describes Cinderella, left at home.")),
        told(("the poor child", "person", "The girl after the wedding.")),
    )
    # "Cinderella" is a name of its own; only names of common nouns are joined to others by description
    assert {"Cinderella", "the maiden", "kitchen-wench"} <= next(
        x for x in found if "the maiden" in x
    )
    assert {"the father", "the old man"} in found


def test_what_several_are_said_to_be_is_nobodys_name() -> None:
    found = by_llm(
        told(
            ("Ana Brown", "person", ""),
            ("Luis Stone", "person", ""),
            ("nurse", "person", ""),
            relations=[("Ana Brown", "is", "nurse"), ("Luis Stone", "is", "nurse")],
        )
    )
    assert sorted(map(sorted, found)) == [["Ana Brown"], ["Luis Stone"], ["nurse"]]


def test_related_things_are_two() -> None:
    found = by_llm(
        told(
            ("the king", "person", ""),
            ("the old king", "person", ""),
            relations=[("the king", "fears", "the old king")],
        )
    )
    assert sorted(map(sorted, found)) == [["the king"], ["the old king"]]


def test_a_merge_joins_and_a_later_split_parts() -> None:
    merge = Decision(MERGE, "taylor cruz", "dulce base")
    assert {"Taylor Cruz", "Dulce base"} <= set(one(folded(AGENCY, merge), "Taylor Cruz").aliases)
    split = Decision(SPLIT, "taylor cruz")
    graph = folded(AGENCY, merge, split)
    assert one(graph, "Taylor Cruz").aliases == ("Taylor Cruz",)
    assert one(graph, "Cruz").aliases == ("Cruz",)
    assert {"Taylor Cruz", "Dulce base"} <= set(
        one(folded(AGENCY, split, merge), "Dulce base").aliases
    )


def test_a_merge_is_stronger_than_callings() -> None:
    merged = folded(ZHANGS, Decision(MERGE, "zhang", "smile clinic"))
    assert len(named(merged, "Dr. Zhang")) == 1


def test_a_name_can_be_parted_by_document() -> None:
    assert len(named(folded(AGENCY, Decision(PART, "dulce base")), "Dulce base")) == 2
    assert len(named(folded(AGENCY), "Dulce base")) == 1


def test_decisions_about_names_that_are_gone_change_nothing() -> None:
    assert folded(AGENCY, Decision(MERGE, "no", "body"), Decision(SPLIT, "nowhere")) == folded(
        AGENCY
    )
