"""Files that speak for another file."""

import os
from pathlib import Path

import pytest

from index.chunk_table import About
from index.reader import GenerationReader
from index.sync import SyncReport
from index.sync import sync as run_sync
from ingest.sidecar import is_sidecar, pair, subject
from kb.configure import load_settings
from kb.location import at
from kb.registry import load
from kb.settings import ParseSettings
from kb.store import SourceRow, Store
from tests.fake_embedder import FLAGS, FakeEmbedder, quiet, synced
from tests.running import write


def sync(home: Path) -> tuple[dict[str, About], SyncReport]:
    location, report = synced(home, FakeEmbedder())
    return {d.path: d.about for d in GenerationReader.open(location).chunks.documents}, report


@pytest.mark.parametrize(
    ("path", "of"),
    [
        ("docs/a.pdf.meta.toml", "docs/a.pdf"),
        ("a.meta.YAML", "a"),
        ("a.b.meta.yml", "a.b"),
        (".meta.toml", ""),
        ("docs/.meta.toml", ""),
        ("meta.toml", ""),
        ("a.toml", ""),
        ("a.meta.json", ""),
    ],
)
def test_names(path: str, of: str) -> None:
    assert subject(path) == of
    assert is_sidecar(path) == bool(of)


def test_the_whole_name_is_stronger_than_the_stem() -> None:
    beside = ["d/a.pdf.meta.toml", "d/a.meta.yaml", "a.pdf.meta.toml", "d/b.meta.toml"]
    assert pair(["d/a.pdf", "d/a.md", "d/c"], beside) == {
        "d/a.pdf": ("d/a.meta.yaml", "d/a.pdf.meta.toml"),
        "d/a.md": ("d/a.meta.yaml",),
    }


@pytest.mark.parametrize(
    "source",
    [
        'tags = ["a", "b"]\ndate = 2024-06-01\nyear = 2024\n[author]\nname = "Ana"\n',
        "tags: [a, b]\ndate: 2024-06-01\nyear: 2024\nauthor: {name: Ana}\n",
        "\ufefftags: [a, b]\r\ndate: 2024-06-01\r\nyear: 2024\r\nauthor:\r\n  name: Ana\r\n",
    ],
)
def test_toml_and_yaml_say_the_same(source: str) -> None:
    document = load("parser", "sidecar")(ParseSettings()).parse(source.encode(), "a")
    expected = {"tags": ["a", "b"], "date": "2024-06-01", "year": 2024, "author": {"name": "Ana"}}
    assert (document.metadata, document.text, document.warnings) == (expected, "", ())


@pytest.mark.parametrize("source", ["", "# nothing", "\n"])
def test_nothing_said_is_nothing_known(source: str) -> None:
    document = load("parser", "sidecar")(ParseSettings()).parse(source.encode(), "a")
    assert (document.metadata, document.warnings) == ({}, ())


def test_sidecars_are_no_documents_and_stand_over_front_matter(tmp_path: Path) -> None:
    write(
        tmp_path / "docs",
        {
            "a.md": "---\nyear: 2023\nkind: x\nacl: [group:it]\ntags: [one]\n---\nUno",
            "a.md.meta.toml": 'year = 2024\nacl = "group:hr"\ntags = ["two"]',
            "b.txt": "Dos",
        },
    )
    found, report = sync(tmp_path)
    assert list(found) == ["docs/a.md", "docs/b.txt"]
    assert found["docs/b.txt"] == About(parser="text")
    about = found["docs/a.md"]
    assert about.metadata["year"] == 2024
    assert about.metadata["kind"] == "x"
    assert about.acl == (("group:it",), ("group:hr",))
    assert about.tags == ("one", "two")
    assert report.build.documents == 2


def test_edits_are_followed_and_embed_nothing(tmp_path: Path) -> None:
    home = write(tmp_path, {"docs/a.txt": "Uno"})
    sync(home)
    write(home, {"docs/a.txt.meta.yaml": "acl: [group:hr]"})
    found, report = sync(home)
    assert found["docs/a.txt"].acl == (("group:hr",),)
    assert (report.build.published, report.build.embedded) == (True, 0)
    assert not sync(home)[1].build.published
    write(home, {"docs/a.txt.meta.yaml": "acl: [group:it]"})
    assert sync(home)[0]["docs/a.txt"].acl == (("group:it",),)
    (home / "docs" / "a.txt.meta.yaml").unlink()
    assert sync(home)[0]["docs/a.txt"].acl == ()


def test_one_that_cannot_be_read_closes_its_document(tmp_path: Path) -> None:
    home = write(
        tmp_path, {"docs/a.txt": "Uno", "docs/a.txt.meta.toml": "acl = [", "docs/b.txt": "b"}
    )
    (home / "docs" / "b.txt.meta.toml").mkdir()  # no sidecar at all
    found, report = sync(home)
    assert found["docs/a.txt"].acl == ((),)
    assert found["docs/b.txt"].acl == ()
    assert "nobody can read" in report.read.warnings["docs/a.txt.meta.toml"][0]


def test_one_that_cannot_be_opened_closes_its_document(tmp_path: Path) -> None:
    home = write(tmp_path, {"docs/a.txt": "Uno"})
    os.mkfifo(home / "docs" / "a.txt.meta.toml")
    found, report = sync(home)
    assert report.read.failed == {"docs/a.txt.meta.toml": "not a regular file"}
    assert found["docs/a.txt"].acl == ((),)


def test_a_link_is_read_and_one_that_leads_nowhere_closes_its_document(tmp_path: Path) -> None:
    home = write(tmp_path, {"docs/a.txt": "Uno", "docs/b.txt": "Dos", "shared.toml": "acl = 'x'"})
    (home / "docs" / "a.txt.meta.toml").symlink_to("../shared.toml")
    (home / "docs" / "b.txt.meta.toml").symlink_to("nowhere")
    found, _ = sync(home)
    assert {path: about.acl for path, about in found.items()} == {
        "docs/a.txt": (("x",),),
        "docs/b.txt": ((),),
    }


def test_what_leaves_the_document_in_leaves_its_sidecar_in(tmp_path: Path) -> None:
    files = {f"docs/{name}": "acl = 'x'" for name in ("a.txt.meta.toml", "v1.2.meta.toml")}
    files |= {"docs/a.txt": "Uno", "docs/v1.2.txt": "Dos", "docs/c.rst": "x", "docs/d.md": "x"}
    files |= {"docs/d.md.meta.toml": "acl = 'y'", "docs/.gitignore": "*.toml\n"}
    home = write(tmp_path, files)
    location = at(home)
    location.folder.mkdir()
    with Store(location) as store:
        store.put_source(SourceRow("docs", include=("*.txt",), tags=("t",)))
        settings = load_settings(flags=FLAGS, environment={})
        report = run_sync(location, store, settings, FakeEmbedder(), quiet)
    documents = GenerationReader.open(location).chunks.documents
    assert {d.path: (d.about.acl, d.about.tags) for d in documents} == {
        "docs/a.txt": ((("x",),), ("t",)),
        "docs/v1.2.txt": ((("x",),), ("t",)),
    }
    assert report.build.notes == ()


def test_a_part_of_a_source_brings_its_sidecars(tmp_path: Path) -> None:
    home = write(tmp_path, {"docs/a.txt": "Uno", "docs/b.txt": "Dos", "docs/c.txt": "Tres"})
    sync(home)
    write(
        home,
        {"docs/a.txt": "Uno más", "docs/a.txt.meta.toml": "acl = 'x'", "docs/a.meta.yml": "y: 1"},
    )
    write(home, {"docs/b.txt.meta.toml": "acl = 'x'"})
    location = at(home)
    settings = load_settings(flags=FLAGS, environment={})
    for acl in ((("x",),), ()):
        with Store(location) as store:
            run_sync(location, store, settings, FakeEmbedder(), quiet, [home / "docs" / "a.txt"])
        documents = {d.path: d.about for d in GenerationReader.open(location).chunks.documents}
        assert documents["docs/a.txt"].acl == acl
        assert documents["docs/a.txt"].metadata == ({"y": 1, "acl": "x"} if acl else {"y": 1})
        assert documents["docs/b.txt"].acl == ()
        (home / "docs" / "a.txt.meta.toml").unlink(missing_ok=True)


@pytest.mark.parametrize("how", ["rename", "copy"])
def test_bytes_of_another_file_do_not_make_it_a_document(tmp_path: Path, how: str) -> None:
    home = write(tmp_path, {"docs/a.txt": "Uno", "docs/rights.toml": "acl = 'x'"})
    assert set(sync(home)[0]) == {"docs/a.txt", "docs/rights.toml"}
    source = home / "docs" / "rights.toml"
    target = home / "docs" / "a.txt.meta.toml"
    if how == "rename":
        source.rename(target)
    else:
        target.write_bytes(source.read_bytes())
    found, _ = sync(home)
    assert found["docs/a.txt"].acl == (("x",),)
    assert target.name not in {Path(path).name for path in found}
    if how == "rename":
        target.rename(source)
        assert {p: a.acl for p, a in sync(home)[0].items()} == {
            "docs/a.txt": (),
            "docs/rights.toml": (),
        }


def test_one_beside_nothing_is_told(tmp_path: Path) -> None:
    home = write(tmp_path, {"docs/a.txt": "Uno", "docs/b.txt.meta.toml": "year = 1"})
    _, report = sync(home)
    (note,) = [note for note in report.build.notes if "meta" in note]
    assert note == "docs/b.txt.meta.toml: no document of that name stands beside it"


def test_a_file_followed_alone_brings_its_sidecar(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.txt": "Uno", "docs/a.txt.meta.toml": "acl = 'x'", "docs/b.txt": "b"})
    location = at(tmp_path)
    location.folder.mkdir()
    settings = load_settings(flags=FLAGS, environment={})
    acls = []
    for _ in range(3):
        with Store(location) as store:
            report = run_sync(
                location, store, settings, FakeEmbedder(), quiet, [tmp_path / "docs/a.txt"]
            )
        (document,) = GenerationReader.open(location).chunks.documents
        acls.append((document.about.acl, report.read.added, report.read.unchanged))
        if len(acls) == 2:
            (tmp_path / "docs" / "a.txt.meta.toml").unlink()
    assert acls == [
        ((("x",),), ["docs/a.txt", "docs/a.txt.meta.toml"], 0),
        ((("x",),), [], 2),
        ((), [], 1),
    ]
