"""Generations: published whole, kept for a while, refused when newer."""

import json
from pathlib import Path

import pytest

from kb import generations
from kb.errors import TeselaError, Unavailable
from kb.generations import Manifest
from kb.location import Location, at


@pytest.fixture
def location(tmp_path: Path) -> Location:
    found = at(tmp_path)
    found.folder.mkdir()
    return found


def publish(location: Location, number: int) -> Path:
    folder = generations.start(location)
    (folder / "part").mkdir()
    (folder / "part" / "data").write_text(str(number))
    manifest = Manifest(
        number=number, components={"part": "k"}, documents=1, chunks=2, embedder="e",
        fingerprint="f", dimension=3, engine="exact", engine_version=1, token_vectors=False,
        settings={}, files=generations.entries(folder),
    )  # fmt: skip
    return generations.publish(location, folder, manifest)


def test_nothing_published(location: Location) -> None:
    assert generations.current_folder(location) is None
    assert generations.numbers(location) == []


def test_published_is_current_and_reads_back(location: Location) -> None:
    folder = publish(location, 1)
    assert generations.current_folder(location) == folder == location.generations / "0001"
    manifest = generations.read_manifest(folder)
    assert (manifest.number, manifest.chunks, list(manifest.files)) == (1, 2, ["part/data"])
    assert generations.damaged_files(folder, manifest) == []
    (folder / "part" / "data").write_text("2")
    assert generations.damaged_files(folder, manifest) == ["part/data"]
    assert generations.damaged_files(folder, manifest, ["other"]) == []
    (folder / "part" / "data").unlink()
    assert generations.damaged_files(folder, manifest, ["part"]) == ["part/data"]


def test_three_are_kept_and_always_the_current_one(location: Location) -> None:
    for number in range(1, 6):
        publish(location, number)
    location.current.write_text("0001\n")
    generations.prune(location, 3)
    assert generations.numbers(location) == [1, 3, 4, 5]
    location.current.write_text("0005\n")
    generations.prune(location, 3)
    assert generations.numbers(location) == [3, 4, 5]


def test_numbers_past_four_digits_still_rise(location: Location) -> None:
    for number in (9999, 10000):
        publish(location, number)
    assert generations.numbers(location) == [9999, 10000]
    assert generations.current_folder(location) == location.generations / "10000"


def test_what_an_interrupted_build_left_is_removed(location: Location) -> None:
    folder = generations.start(location)
    (folder / "half").write_text("x")
    assert list(generations.start(location).iterdir()) == []
    assert generations.numbers(location) == []


def test_a_newer_format_is_refused_with_6(location: Location) -> None:
    file = publish(location, 1) / generations.MANIFEST
    newer = {**json.loads(file.read_text()), "format": generations.FORMAT + 1, "unheard_of": []}
    file.write_text(json.dumps(newer))
    with pytest.raises(Unavailable, match="upgrade tesela") as refused:
        generations.read_manifest(file.parent)
    assert refused.value.exit_code == 6


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "one"}', '{"format": 1}'])
def test_a_damaged_manifest_names_the_way_out(location: Location, text: str) -> None:
    file = publish(location, 1) / generations.MANIFEST
    file.write_text(text)
    with pytest.raises(TeselaError, match=r"0001.*tesela index --rebuild") as told:
        generations.read_manifest(file.parent)
    assert told.value.exit_code == 1
