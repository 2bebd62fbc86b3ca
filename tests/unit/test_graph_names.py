"""Names as keys."""

import unicodedata

import pytest

from index.graph.names import hash_of, name_key, title_of, words_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Alex Mercer", "alex mercer"),
        ("  ALEX   mercer ", "alex mercer"),
        ("Agent Alex Mercer", "alex mercer"),
        ("the Dr. Jordan Hayes", "jordan hayes"),
        ("Sr. Núñez", "nuñez"),
        ("la Dra. García Márquez", "garcia marquez"),
        ("“Pandora’s Box”", "pandoras box"),
        ("Pandora's Box", "pandoras box"),
        ("Taylor’s", "taylor"),
        ("U.S.A.", "usa"),
        ("O'Neil", "oneil"),
        ("step-mother", "step mother"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("The King", "king"),
        ("Doctor", "doctor"),
        ("Duke of York", "duke of york"),
        ("President of the Republic", "president of the republic"),
        ("these signals", "signals"),
        ("año", "año"),
        ("ano", "ano"),
        ("…", ""),
    ],
)
def test_key(name: str, key: str) -> None:
    assert name_key(name) == key
    assert name_key(unicodedata.normalize("NFD", name)) == key


def test_titles_are_told() -> None:
    assert title_of("The Dr. Jordan Hayes") == "dr"
    assert title_of("Jordan Hayes") == ""
    assert title_of("Mrs. Smith") == "mrs"


def test_a_key_is_its_own_key() -> None:
    for name in ("The Dr. Jordan Hayes", "Sr. Núñez", "Duke of York", "U.S.A."):
        assert name_key(name_key(name)) == name_key(name)


def test_hashes_are_of_64_bits_and_differ() -> None:
    hashes = {hash_of(key) for key in ("a", "b", "año", "ano", "")}
    assert len(hashes) == 5
    assert all(0 <= one < 2**64 for one in hashes)


def test_words_are_told_apart_by_signs() -> None:
    assert words_of("hazel-tree / pear_tree") == ("hazel", "tree", "pear", "tree")
