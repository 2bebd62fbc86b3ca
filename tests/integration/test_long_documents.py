"""A document kept in parts gives what it gives as a whole: chunks, contexts, ids, estimates."""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from index.assemble import assemble, document_id
from index.estimate import estimate
from index.files import indexed_files
from index.health.base import Checkup
from index.health.content import slices
from index.sync import sync
from ingest.chunk.windows import windows
from ingest.parse.choose import parser_for
from ingest.parse.text import TextParser
from ingest.pipeline import contextualizer, cut_document, situate
from ingest.prepare import prepare
from ingest.survey import Request
from ingest.workers.pool import Pool
from kb.configure import load_settings
from kb.location import Location, at
from kb.records import Chunk, Document
from kb.registry import load
from kb.settings import ParseSettings
from kb.store import Store
from tests.cheap import Cheap
from tests.small_windows import LEAST, MOST
from tests.unit.test_recursive_chunks import prose, sectioned

SETTINGS = load_settings(environment={})


@pytest.fixture
def location(tmp_path: Path) -> Location:
    rng = random.Random(3)
    docs = tmp_path / "docs"
    docs.mkdir()
    paragraphs = [prose(rng, rng.randint(2, 9)) for _ in range(200)]
    text = "\n\n".join([*paragraphs, *paragraphs[:40]])  # with chunks that stand in it twice
    (docs / "flat.txt").write_text(text, encoding="utf-8")
    blocks = [str(block[1]) for block in sectioned(rng, 60)]
    (docs / "manual.md").write_text("\n\n".join(blocks), encoding="utf-8")
    made = at(tmp_path)
    made.folder.mkdir()
    return made


def synced(location: Location) -> list[Chunk]:
    with Store(location) as store:
        sync(location, store, SETTINGS, Cheap(), lambda *_: None, [location.home / "docs"])
        return list(assemble(store, indexed_files(store)))


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a part be cut in small windows."""
    name = "ingest.chunk.windows.windows"
    monkeypatch.setattr(name, partial(windows, least=LEAST, most=MOST))


def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have documents be kept so."""
    for module in ("ingest.read", "index.estimate"):
        monkeypatch.setattr(f"{module}.Pool", partial(Pool, entry="tests.small_windows"))


def expected(location: Location) -> list[tuple[str, Chunk, str]]:
    """Path, chunk and context, from windows that were cut out of the whole document."""
    out: list[tuple[str, Chunk, str]] = []
    provider = contextualizer(SETTINGS, Cheap())
    for file in sorted((location.home / "docs").iterdir()):
        data = file.read_bytes()
        whole = load("parser", parser_for(data, file.name, SETTINGS.parse))(SETTINGS.parse).parse(
            data, ""
        )
        chunks = cut_document([whole], SETTINGS, Cheap())
        # Key terms are a window's own, wherever the document is cut into parts.
        contexts = [text for inside in situate(provider, [whole], chunks) for text in inside]
        path = f"docs/{file.name}"
        out += [(path, c, x) for c, x in zip(chunks, contexts, strict=True)]
    return out


def test_parts_change_nothing(location: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)  # where one part is cut in windows
    wanted = expected(location)
    monkeypatch.undo()
    in_small_parts(monkeypatch)
    found = synced(location)
    with Store(location) as store:
        assert all(len(list(store.documents(row.parse_key))) > 3 for row in store.files())
    assert [(c.path, c.start, c.end, c.text, c.lines, c.heading, c.context) for c in found] == [
        (path, c.start, c.end, c.text, c.lines, c.heading, context) for path, c, context in wanted
    ]
    assert len({c.id for c in found}) == len(found)
    assert {c.doc_id for c in found} == {document_id(path) for path, _, _ in wanted}
    for chunk in found:
        raw = (location.home / chunk.path).read_text(encoding="utf-8")
        assert raw[chunk.start : chunk.end] == chunk.text
    assert list(slices(Checkup(location, SETTINGS, "", Cheap))) == []


def test_a_store_from_before_parts_gives_the_same(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(monkeypatch)
    wanted = [(chunk.start, chunk.text, context) for _, chunk, context in expected(location)]
    found = synced(location)
    with Store(location) as store:
        assert all(len(list(store.documents(row.parse_key))) == 1 for row in store.files())
    assert [(c.start, c.text, c.context) for c in found] == wanted


def test_the_estimate_counts_the_chunks_of_all_parts(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_small_parts(monkeypatch)
    with Store(location) as store:
        asked = Request((location.home / "docs",))
        found = estimate(
            location, store, SETTINGS, Cheap(), prepare(location, store, SETTINGS, asked)
        )
    assert found.chunks_to_embed == len({chunk.embedded_text for chunk in synced(location)})


ENDS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: text.replace("\n", "\r\n"),
    lambda text: f"\ufeff \n\n{text}\n \n",
)


@pytest.mark.parametrize("change", ENDS)
def test_elements_on_demand_give_the_windows_of_the_whole(change: Callable[[str], str]) -> None:
    rng = random.Random(8)
    text = change("\n\n".join(f"  {prose(rng, rng.randint(1, 60))}\n- x" for _ in range(60)))
    parser = TextParser(ParseSettings())
    whole = parser.parse(text.encode(), "")
    begun, elements = parser.begin(text.encode(), "")
    assert begun == Document(whole.text, (), whole.title, whole.language)
    found = list(windows(begun, LEAST, MOST, elements))
    assert len(found) > 3
    assert found == list(windows(whole, LEAST, MOST))
