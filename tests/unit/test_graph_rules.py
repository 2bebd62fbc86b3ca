"""Names and relations that rules find in a text."""

import time

import pytest

from index.graph.extract.rules import extract
from index.graph.records import Extraction


def names(text: str, strength: float = 0.4) -> set[str]:
    return {one.name for one in extract(text).entities if one.strength >= strength}


def relations(text: str) -> set[tuple[str, str, str]]:
    return {(one.source, one.relation, one.target) for one in extract(text).relations}


def types(text: str) -> dict[str, str]:
    return {one.name: one.type for one in extract(text).entities if one.strength > 0.2}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yesterday Marie Curie met Henri Becquerel in Paris.", {"Marie Curie", "Henri Becquerel", "Paris"}),
        ("Then the University of California hired her.", {"University of California"}),
        ("Ayer Gabriel García Márquez viajó a Ciudad de México.", {"Gabriel García Márquez", "Ciudad de México"}),  # noqa: E501
        ("It was launched by NASA with Apollo 11 in 1969.", {"NASA", "Apollo 11"}),
        ("We read Ludwig van Beethoven and J. K. Rowling.", {"Ludwig van Beethoven", "J. K. Rowling"}),
        ("He saw Dulce base, then Dulce military complex.", {"Dulce base", "Dulce military complex"}),
        ("Call `read_items()` or HTTPException from get_db.", {"read_items", "HTTPException", "get_db"}),
        ("## 3. Cold Start\n\nThe **settling tank** and [filter kit](kit.md) help.", {"Cold Start", "settling tank", "filter kit"}),  # noqa: E501
        ("“Ready, Agent Mercer?” asked Cruz.", {"Agent Mercer", "Cruz"}),
        ("Watching Jordan Hayes, she left.", {"Jordan Hayes"}),
    ],
)  # fmt: skip
def test_names(text: str, found: set[str]) -> None:
    assert found <= names(text)


@pytest.mark.parametrize(
    "text",
    [
        "The weather was fine. However it rained on Monday in January.",
        "El tiempo fue bueno. Sin embargo llovió el lunes. Después paró.",
        "1. Write hours\n2. Stop pumps\n\n### 2.3 Noise",
        "WARNING: DO NOT TOUCH THE MACHINE WHILE IT RUNS!",
        "12 34 56 78\n1,2,3\n4,5,6",
        "Reference | Price | Time\nseven | eight hundred and twelve | never",
        "",
        "   \n\n ",
    ],
)
def test_no_names(text: str) -> None:
    assert names(text, 0.6) == set()


def test_common_nouns_are_terms() -> None:
    found = {
        one.name: one.type
        for one in extract("He saw the golden slipper of the king's son.").entities
    }
    assert found == {"golden slipper": "term", "king's son": "term"}


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Ana García es la directora de Banco Sur.", ("Ana García", "directora de", "Banco Sur")),
        ("Juan Pérez, presidente de Telefónica, habló.", ("Juan Pérez", "presidente de", "Telefónica")),
        ("Ada Brown works at Acme Labs.", ("Ada Brown", "works at", "Acme Labs")),
        ("Ada Brown trabaja en Acme Labs.", ("Ada Brown", "works at", "Acme Labs")),
        ("Dr. Zhang, a dentist in Leeds, works at Smile Clinic.", ("Dr. Zhang", "works at", "Smile Clinic")),
        ("Marie Curie founded the Radium Institute.", ("Marie Curie", "founded", "Radium Institute")),
        ("Paris is the capital of France.", ("Paris", "capital of", "France")),
        ("She joined the World Health Organization (WHO).", ("World Health Organization", "also known as", "WHO")),  # noqa: E501
        ("The WHO (World Health Organization) met.", ("World Health Organization", "also known as", "WHO")),
        ("La Organización de Naciones Unidas (ONU) votó.", ("Organización de Naciones Unidas", "also known as", "ONU")),  # noqa: E501
        ("We use retrieval augmented generation (RAG).", ("retrieval augmented generation", "also known as", "RAG")),  # noqa: E501
    ],
)  # fmt: skip
def test_relations(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in relations(text)


@pytest.mark.parametrize(
    "text",
    [
        "She came home (NASA) late.",
        "Alex Mercer. Works at Dulce base.",
        "Ada Brown, Acme Labs and Leeds.",
    ],
)
def test_no_relations(text: str) -> None:
    assert relations(text) == set()


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We met Dr. Zhang today.", "Dr. Zhang", "person"),
        ("So said Alice Munro.", "Alice Munro", "person"),
        ("Then Cruz nodded slowly.", "Cruz", "person"),
        ("He left Smile Clinic.", "Smile Clinic", "organization"),
        ("He left the Universidad de Sevilla.", "Universidad de Sevilla", "organization"),
        ("He crossed the Columbia River.", "Columbia River", "place"),
        ("He won the World Cup.", "World Cup", "event"),
        ("He saw Oliver Stone Film.", "Oliver Stone Film", "work"),
    ],
)
def test_types(text: str, name: str, kind: str) -> None:
    assert types(text)[name] == kind


def test_one_chunk_with_two_namesakes_gives_two_entities() -> None:
    found = extract(
        "Dr. Zhang, a dentist, came. Later Dr. Zhang, a cardiologist, left. Dr. Zhang slept."
    )
    zhangs = [one for one in found.entities if one.name == "Dr. Zhang"]
    assert [(one.description, len(one.spans)) for one in zhangs] == [
        ("dentist", 1),
        ("cardiologist", 2),
    ]


def test_spans_are_the_names() -> None:
    text = "Agent Alex\nMercer met Alex Mercer; “Mercer”, said Dr. Núñez, `x_y` and NASA's man."
    for one in extract(text).entities:
        assert one.spans
        for start, end in one.spans:
            assert text[start:end].replace("\n", " ") == one.name


def test_code_has_identifiers_and_no_capitals() -> None:
    found = extract(
        "class UserTable(Base):\n    # The Old King\n    def load_rows(self): ...", is_code=True
    )
    assert {one.name for one in found.entities} == {"UserTable", "load_rows"}


@pytest.mark.parametrize(
    "text",
    [
        "A " * 20_000,
        "a_" * 20_000,
        "Aa" * 20_000,
        "A. " * 20_000,
        "(" * 20_000,
        "[" * 10_000 + "](" * 10_000,
        "**" * 20_000,
        "`" * 20_001,
        "the " * 20_000,
        "a.b" * 15_000,
        '"A' * 20_000,
        "X (" * 15_000,
        "AAA BBB " * 5_000,
        "# " * 20_000,
        " \n" * 20_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    started = time.monotonic()
    assert isinstance(extract(text), Extraction)
    assert time.monotonic() - started < 3
