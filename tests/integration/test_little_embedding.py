"""How many chunks are embedded again after one small change, at default settings, from file to vector."""

import random
from pathlib import Path

import pytest

from index.sync import sync
from kb.configure import load_settings
from kb.location import Location, at
from kb.store import Store
from tests.cheap import Cheap
from tests.unit.test_recursive_chunks import prose, sectioned

SETTINGS = load_settings(environment={})


def embedded(location: Location) -> int:
    with Store(location) as store:
        docs = [location.home / "docs"]
        return sync(location, store, SETTINGS, Cheap(), lambda *_: None, docs).build.embedded


@pytest.fixture
def location(tmp_path: Path) -> Location:
    (tmp_path / "docs").mkdir()
    made = at(tmp_path)
    made.folder.mkdir()
    return made


@pytest.mark.parametrize("seed", range(2))
def test_an_edited_paragraph_of_a_sectioned_file(location: Location, seed: int) -> None:
    rng = random.Random(seed)
    blocks = [str(block[1]) for block in sectioned(rng, 150)]
    file = location.home / "docs" / "manual.md"
    file.write_text("\n\n".join(blocks), encoding="utf-8")
    assert embedded(location) >= 290
    paragraphs = [i for i, text in enumerate(blocks) if text[0] not in "#`"]
    for _ in range(2):
        blocks[rng.choice(paragraphs)] = prose(rng, rng.randint(1, 8))
        file.write_text("\n\n".join(blocks), encoding="utf-8")
        assert 1 <= embedded(location) <= 3


@pytest.mark.parametrize("seed", range(2))
def test_a_paragraph_put_near_the_top_of_a_flat_file(location: Location, seed: int) -> None:
    rng = random.Random(seed)
    paragraphs = [prose(rng, rng.randint(2, 9)) for _ in range(760)]
    file = location.home / "docs" / "flat.txt"
    file.write_text("\n\n".join(paragraphs), encoding="utf-8")
    assert embedded(location) >= 290
    paragraphs.insert(2, prose(rng, 5))
    file.write_text("\n\n".join(paragraphs), encoding="utf-8")
    assert 1 <= embedded(location) <= 8
