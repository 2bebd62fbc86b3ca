import pytest

from ingest.chunk.atoms import make_atoms
from ingest.chunk.cut import Cutter
from ingest.chunk.reading import read
from tests.chunking import document, tokenizer


@pytest.mark.parametrize(
    ("words", "heading", "joined"),
    [
        ((40, 40), True, False),
        ((40, 5), True, True),
        ((40, 40), False, True),
        ((70, 40), False, False),
    ],
)
def test_neighbours_are_joined_but_not_two_real_sections(
    words: tuple[int, int], heading: bool, joined: bool
) -> None:
    """Limit 100, so a stretch is small below 25 tokens; "sol" is one token."""
    assert tokenizer().count("sol " * 40) == 40
    blocks = []
    for count in words:
        blocks += [("heading", "# sol", 1)] if heading else []
        blocks.append(("paragraph", "sol " * count))
    reading = read(document(*blocks), tokenizer())
    assert reading is not None
    atoms = make_atoms(reading, 100)
    half = len(atoms.start) // 2
    stretches = [(0, half), (half, 2 * half)]
    assert Cutter(atoms).merge(stretches, 100) == ([(0, 2 * half)] if joined else stretches)
