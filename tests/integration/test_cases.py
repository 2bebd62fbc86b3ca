"""Small inputs that broke other tools, through the real pipeline; the numbers are those of the list."""

import os
import threading
import unicodedata
from pathlib import Path

import pytest

from kb.registry import names
from tests.running import hit_names, hits, make_kb, run, snapshot, spawn, write

THREE = {"a.md": "La bomba gira.", "b.md": "The turbine turns.", "c.md": "El pozo está seco."}
MODES = ("dense", "sparse", "hybrid")


def test_01_more_asked_than_there_is(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    for engine in names("engine"):
        assert run("index", "--engine", engine, "--kb", home).code == 0
        assert sorted(hit_names(home, "bomba", "-k", 5)) == ["a.md", "b.md", "c.md"]


def test_09_one_file(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "hola"})
    assert hit_names(home, "hola", "-k", 20) == ["a.md"]


@pytest.mark.parametrize("question", ["de la que el", "???", "¡!", "the of and"])
def test_10_nothing_to_look_for_is_no_lexical_hit(tmp_path: Path, question: str) -> None:
    home = make_kb(tmp_path, THREE)
    assert hits(home, question, "--mode", "sparse", "--rerank", "none") == []
    for hit in hits(home, question):
        assert set(hit["legs"]) == {"dense"}


def test_11_blank_files(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "", "b.txt": " \n\t\n", "c.html": "<html></html>"})
    for mode in MODES:
        done = run("query", "--mode", mode, "--kb", home, "hola")
        assert (done.code, done.out) == (0, "")
        assert done.err == "no hits: the knowledge base is empty\n"
    assert run("query", "--kb", home, "--require-hits", "hola").code == 7


@pytest.mark.parametrize(
    "question", ["don't", "multi-agent", "C++", '"', "¿qué?", "a AND", "NEAR(", "x' OR 1=1 --", "*"]
)
def test_12_signs_are_words_or_nothing(tmp_path: Path, question: str) -> None:
    home = make_kb(tmp_path, {"a.md": f"We say {question} here.", "b.md": "Otra cosa."})
    assert hit_names(home, question)[0] == "a.md"
    run("query", "--kb", home, "--mode", "sparse", "--rerank", "none", question)


def test_13_accents_in_any_form(tmp_path: Path) -> None:
    nfd = unicodedata.normalize("NFD", "El camión de Núñez")
    home = make_kb(
        tmp_path, {"nfc.md": "El camión de Núñez", "nfd.md": nfd, "c.md": "El año nuevo"}
    )
    sparse = ("--mode", "sparse", "--rerank", "none", "--no-collapse")
    for word in ("camion", "camión", "Núñez", "nunez"):
        for form in ("NFC", "NFD"):
            found = hit_names(home, unicodedata.normalize(form, word), *sparse)
            assert sorted(found) == ["nfc.md", "nfd.md"], (word, form)
    assert hit_names(home, "ano", *sparse) == []


def test_14_a_chunk_both_legs_found_is_one_row(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    found = hits(home, "turbine", "--rerank", "none", "--fusion", "rrf")
    assert len({hit["id"] for hit in found}) == len(found) == 3
    first = found[0]
    ranks = [leg["rank"] for leg in first["legs"].values()]
    assert ranks == [1, 1]
    assert first["score"] == pytest.approx(1 / 61 + 1 / 61)


@pytest.mark.parametrize("overlap", ["100", "150", "-1"])
def test_17_overlap_that_cannot_be(tmp_path: Path, overlap: str) -> None:
    home = make_kb(tmp_path, THREE)
    before = snapshot(home)
    done = run("chunk", "--size", 100, "--overlap", overlap, "--kb", home)
    assert done.code == 2
    assert overlap in done.err
    assert snapshot(home) == before


def test_26_what_cannot_be_read_is_listed_and_the_rest_is_done(tmp_path: Path) -> None:
    docs = write(tmp_path / "docs", {"good.md": "hola", "shut.md": "no", "closed/in.md": "no"})
    (docs / "shut.md").chmod(0)
    (docs / "closed").chmod(0)
    (docs / "dangling.md").symlink_to("nowhere.md")
    os.mkfifo(docs / "pipe.md")
    run("init", tmp_path, "--preset", "fast")
    done = spawn("sync", docs, "--kb", tmp_path, unprivileged=True)
    (docs / "closed").chmod(0o755)
    assert done.code == 3
    failed = [line for line in done.err.splitlines() if line.startswith("  failed: ")]
    assert failed == [
        "  failed: docs/closed: Permission denied",
        "  failed: docs/dangling.md: dangling link",
        "  failed: docs/pipe.md: not a regular file",
        "  failed: docs/shut.md: Permission denied",
    ]
    assert hit_names(tmp_path, "hola") == ["good.md"]
    again = spawn("sync", "--kb", tmp_path, unprivileged=True)
    assert again.code == 0
    assert "1 added" in again.err  # closed/in.md
    assert "3 failed before" in again.err
    (docs / "shut.md").chmod(0o644)  # which changes neither its size nor its time
    assert "1 added" in spawn("sync", "--kb", tmp_path, unprivileged=True).err
    found = hit_names(tmp_path, "hola", "--no-collapse")
    assert sorted(found) == ["good.md", "in.md", "shut.md"]


def test_a_folder_that_cannot_be_listed_keeps_its_documents(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"good.md": "hola", "sub/in.md": "otra cosa"})
    closed = home / "docs" / "sub"
    closed.chmod(0)
    try:
        done = spawn("sync", "--kb", home, unprivileged=True)
    finally:
        closed.chmod(0o755)
    assert done.code == 3
    assert "docs/sub: Permission denied" in done.err
    assert hit_names(home, "otra cosa")[0] == "in.md"
    assert run("sync", "--kb", home).code == 0
    assert run("status", "--kb", home, "--format", "json").json["failed"] == []


def test_27_loops_and_links_out(tmp_path: Path) -> None:
    write(tmp_path / "outside", {"secret.md": "ajeno"})
    docs = write(tmp_path / "kb" / "docs", {"a.md": "hola", "d/b.md": "adios"})
    (docs / "d" / "loop").symlink_to("..")
    (docs / "d" / "self").symlink_to("self")
    (docs / "out").symlink_to(tmp_path / "outside")
    (docs / "again.md").symlink_to("a.md")
    home = make_kb(tmp_path / "kb", {})
    assert sorted(hit_names(home, "hola")) == ["a.md", "b.md"]
    assert run("sync", "--kb", home, "--set", "scan.follow_links=true").code in (0, 3)
    assert sorted(hit_names(home, "hola")) == ["a.md", "b.md", "secret.md"]


def test_30_a_deleted_file_is_gone_and_back(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    file = home / "docs" / "a.md"
    file.unlink()
    assert "1 deleted" in run("sync", "--kb", home).err
    for mode in MODES:
        assert "a.md" not in hit_names(home, "bomba gira", "--mode", mode)
    write(home, {"docs/a.md": THREE["a.md"]})
    assert (
        "1 added, 2 unchanged; 3 chunks of 3 documents, 0 embedded" in run("sync", "--kb", home).err
    )
    for mode in MODES:
        assert hit_names(home, "bomba gira", "--mode", mode)[0] == "a.md"


def test_31_the_second_sync_embeds_and_writes_nothing(tmp_path: Path) -> None:
    text = "\n\n".join(f"# Parte {i}\n\nTexto número {i}." for i in range(60))
    home = write(tmp_path, {"docs/long.md": text, "docs/bad.png": b"\x89PNG\r\n\x1a\n"})
    for file in (home / "docs").iterdir():  # a file of this very moment would be hashed once more
        os.utime(file, (1_700_000_000, 1_700_000_000))
    make_kb(home, {}, "--set", "chunk.size=16")
    assert len(hits(home, "Texto", "-k", 100)) > 30
    before = snapshot(home)
    done = run("sync", "--kb", home, "--set", "chunk.size=16")
    assert ", 0 embedded, generation 1 unchanged" in done.err
    after = snapshot(home)
    del before[".tesela/lock"], after[".tesela/lock"]
    assert after == before


def test_33_questions_are_answered_while_a_writer_works(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    stop = threading.Event()
    found: list[list[str]] = []

    def ask() -> None:
        line = ("query", "--kb", home, "--mode", "sparse", "--rerank", "none", "--format", "paths")
        while not stop.is_set():
            done = spawn(*line, "turbine turns")
            assert done.code == 0, done.err
            found.append(done.out.splitlines())

    asker = threading.Thread(target=ask)
    asker.start()
    try:
        for number in range(8):
            write(home, {f"docs/new{number}.md": f"Nuevo texto {number}."})
            assert run("sync", "--kb", home).code == 0
    finally:
        stop.set()
        asker.join()
    assert found
    assert all(len(lines) == 1 and lines[0].endswith("b.md:1") for lines in found)


def test_33_two_writers_at_once(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    write(home, {f"docs/n{i}.md": f"Texto nuevo {i}." for i in range(20)})
    both = [threading.Thread(target=lambda: codes.append(spawn("sync", "--kb", home).code))
            for _ in range(2)]  # fmt: skip
    codes: list[int] = []
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert set(codes) <= {0, 5}
    assert 0 in codes
    assert run("status", "--kb", home, "--format", "json").json["documents"] == 23


def test_34_another_knowledge_base_is_left_alone(tmp_path: Path) -> None:
    one, other = (make_kb(tmp_path / name, THREE) for name in ("one", "other"))
    before = snapshot(other)
    write(one, {"docs/d.md": "nuevo"})
    assert run("sync", "--kb", one).code == 0
    assert snapshot(other) == before


def test_names_of_any_bytes(tmp_path: Path) -> None:
    odd = os.fsdecode(b"caf\xe9 \xff.md")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / odd).write_text("hola mundo")
    (docs / "new\nline.md").write_text("adios mundo")
    home = make_kb(tmp_path, {})
    found = hit_names(home, "hola mundo")
    assert found == [r"caf\xe9 \xff.md", "new\nline.md"]
    for form in ("json", "csv", "md", "paths", "jsonl", "table"):
        assert spawn("query", "--kb", home, "--format", form, "hola").code == 0


def test_the_kb_is_never_a_document(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    for target in (home, home / ".tesela", home / ".tesela" / "tesela.toml"):
        run("sync", target, "--kb", home, "--set", "scan.hidden=true")
    files = run("status", "--kb", home, "--format", "json").json["documents"]
    assert files == 3


def test_a_renamed_file_embeds_nothing(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "# Bomba\n\nLa bomba gira.", "b.md": "# Pozo\n\nSeco."})
    (home / "docs" / "a.md").rename(home / "docs" / "z.md")
    done = run("sync", "--kb", home)
    assert "1 renamed, 1 unchanged; 2 chunks of 2 documents, 0 embedded" in done.err
    assert sorted(hit_names(home, "bomba")) == ["b.md", "z.md"]


def test_a_failed_file_is_tried_again_when_it_may_end_otherwise(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.pdf": b"%PDF-1.4\nnot really", "b.md": "hola"})
    run("init", tmp_path, "--preset", "fast")
    first = run("sync", tmp_path / "docs", "--kb", tmp_path)
    assert first.code == 3
    assert "failed before" in run("sync", "--kb", tmp_path).err
    changed = run("sync", "--kb", tmp_path, "--set", "parse.pdf_engine=pypdfium2")
    assert "a.pdf" in changed.err or "failed before" in changed.err


def test_the_shell_sees_the_same_as_this_process(tmp_path: Path) -> None:
    home = make_kb(tmp_path, THREE)
    for line in (("status",), ("query", "bomba"), ("show", "docs/a.md"), ("query", "")):
        assert spawn(*line, "--kb", home) == run(*line, "--kb", home)
