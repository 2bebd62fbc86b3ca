"""No mistake of the user ends in a traceback, and each leaves with the documented exit code."""

import shutil
from pathlib import Path

import pytest

from kb.location import at
from kb.lock import writer_lock
from tests.running import make_kb, run, snapshot, spawn, write

USAGE = [
    ("query", "--kb", "KB", ""),
    ("query", "--kb", "KB", "   \t"),
    ("query", "--kb", "KB", "-"),
    ("query", "--kb", "KB"),
    ("query", "--kb", "KB", "a", "b"),
    ("query", "--kb", "KB", "-k", "0", "a"),
    ("query", "--kb", "KB", "-k", "-3", "a"),
    ("query", "--kb", "KB", "-k", "many", "a"),
    ("query", "--kb", "KB", "--alpha", "2", "a"),
    ("query", "--kb", "KB", "--alpha", "nan", "a"),
    ("query", "--kb", "KB", "--alpha", "0.5", "a"),
    ("query", "--kb", "KB", "--alpha", "0.5", "--fusion", "rrf", "a"),
    ("query", "--kb", "KB", "--alpha", "0.5", "--fusion", "weighted", "--mode", "dense", "a"),
    ("query", "--kb", "KB", "--fusion", "rrf", "--mode", "sparse", "a"),
    ("query", "--kb", "KB", "--tree", "collapsed", "--mode", "hybrid", "a"),
    ("query", "--kb", "KB", "--graph", "local", "a"),
    ("ask", "--kb", "KB", "--graph", "global", "--mode", "tree", "a"),
    ("query", "--kb", "KB", "--mode", "psychic", "a"),
    ("query", "--kb", "KB", "--fusion", "cold", "a"),
    ("query", "--kb", "KB", "--rerank", "gpt", "a"),
    ("query", "--kb", "KB", "--format", "yaml", "a"),
    ("query", "--kb", "KB", "--path", "!", "a"),
    ("query", "--kb", "KB", "--", "-hola"),
    ("query", "--kb", "KB", "--lex", "-hola"),
    ("query", "--kb", "KB", "--lex", ""),
    ("query", "--kb", "KB", "--lex", "a", "--mode", "dense", "b"),
    ("query", "--kb", "KB", "--vec", "a", "--mode", "sparse"),
    ("query", "--kb", "KB", "--docid", "page", "a"),
    ("query", "--kb", "KB", "--expand", "page", "a"),
    ("query", "--kb", "KB", "--expand", "window:0", "a"),
    ("query", "--kb", "KB", "--expand", "section", "--format", "paths", "a"),
    ("query", "--kb", "KB", "--set", "query.expand=chapter", "a"),
    ("batch", "--kb", "KB", "a.md", "--expand", "section", "--format", "trec"),
    ("batch", "--kb", "KB", "nowhere.jsonl"),
    ("batch", "--kb", "KB", "docs"),
    ("batch", "--kb", "KB", "a.md", "--resume"),
    ("batch", "--kb", "FRESH", "a.md"),
    ("batch", "a.md"),
    ("query", "--kb", "KB", "--frobnicate", "a"),
    ("query", "--kb", "KB", "--set", "chunk.size", "a"),
    ("query", "--kb", "KB", "--set", "size=3", "a"),
    ("query", "--kb", "KB", "--set", "=", "a"),
    ("query", "--kb", "KB", "--set", "query.k=", "a"),
    ("query", "--kb", "KB", "--set", "query.k.x=3", "a"),
    ("query", "--kb", "KB", "--set", "query.kk=3", "a"),
    ("query", "--kb", "KB", "--set", "quer.k=3", "a"),
    ("query", "--kb", "KB", "--set", "query.k=[1]", "a"),
    ("query", "--kb", "KB", "--set", "engine.name=2024-01-01", "a"),
    ("query", "--kb", "nowhere", "a"),
    ("query", "a"),
    ("query", "--kb", "FRESH", "a"),
    ("show", "--kb", "FRESH", "a"),
    ("show", "--kb", "KB", "nothing-like-it"),
    ("show", "--kb", "KB", ""),
    ("show", "--kb", "KB"),
    ("show", "--kb", "KB", "docs"),
    ("show", "--kb", "KB", "1"),
    ("show", "--kb", "KB", "docs/a.md:99"),
    ("show", "--kb", "KB", "docs/a.md", "--expand", "section"),
    ("show", "--kb", "KB", "docs/a.md:1", "--expand", "chapter"),
    ("open", "--kb", "KB", "1"),
    ("open", "--kb", "KB", "nowhere.md"),
    ("open", "--kb", "KB"),
    ("status", "--kb", "nowhere"),
    ("status", "--format", "xml", "--kb", "KB"),
    ("sync", "nowhere.md", "--kb", "KB"),
    ("sync"),
    ("ingest", "--format", "json", "--kb", "KB"),
    ("ingest", "nowhere", "--kb", "KB"),
    ("index", "--engine", "scann", "--kb", "KB"),
    ("index", "--embedder", "magic", "--kb", "KB"),
    ("index", "--model", "encoder-99", "--kb", "KB"),
    ("contextualize", "--provider", "oracle", "--kb", "KB"),
    ("contextualize", "--set", "embed.model=nope", "--provider", "none", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "100", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "150", "--kb", "KB"),
    ("chunk", "--size", "0", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "-1", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "--5", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "²", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "100%", "--kb", "KB"),
    ("chunk", "--size", "100", "--overlap", "true", "--kb", "KB"),
    ("chunk", "--size", "5000", "--kb", "KB"),
    ("chunk", "--size", "100", "--set", "embed.model=nope", "--kb", "KB"),
    ("chunk", "--strategy", "magic", "--kb", "KB"),
    ("chunk", "--format", "json", "--kb", "KB"),
    ("chunk", "--llm-tokens", "--kb", "KB"),
    ("chunk", "nowhere.md"),
    ("chunk", "docs"),
    ("chunk", "a.md", "--size", "100", "--overlap", "100"),
    ("config", "show", "--set", "x=1"),
    ("config", "show", "--kb", "nowhere"),
    ("config", "path"),
    ("config", "erase"),
    ("init", "--preset", "best", "elsewhere"),
    ("frobnicate",),
    ("--frobnicate",),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = make_kb(tmp_path_factory.mktemp("small"), {"a.md": "# Uno\n\nhola mundo\n"})
    assert run("init", home / "fresh").code == 0
    return home


@pytest.mark.parametrize("line", USAGE, ids=lambda line: " ".join(line) or "none")
def test_wrong_usage_is_told_before_any_work(
    small: Path, tmp_path: Path, line: tuple[str, ...]
) -> None:
    line = (line,) if isinstance(line, str) else line
    places = {"KB": str(small), "FRESH": str(small / "fresh")}
    before = snapshot(small)
    (tmp_path / "docs").mkdir()
    write(tmp_path, {"a.md": "hola"})
    done = run(*(places.get(word, word) for word in line), cwd=tmp_path)
    assert done.code == 2, done.err
    assert done.err.startswith("tesela: ")
    assert len(done.err) > len("tesela: .\n")
    assert "Traceback" not in done.err
    assert done.out == ""
    after = snapshot(small)
    for found in (before, after):  # the lock is signed by who held it; the store is opened
        for name in (".tesela/lock", "fresh/.tesela/lock"):
            found.pop(name, None)
    assert after == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.md", "docs"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[chunk\n", "tesela.toml"),
        ("chunk = 5\n", "chunk"),
        ("[chunk]\nsise = 5\n", "sise"),
        ("[chunk]\nsize = 100\noverlap = 100\n", "overlap"),
        ('preset = ["fast"]\n', "preset"),
        ("preset = 7\n", "preset"),
        ("\x00", "tesela.toml"),
        (b"\xff\xfe", "tesela.toml"),
    ],
)
@pytest.mark.parametrize("command", ["query a", "status", "sync", "chunk --size 64"])
def test_a_broken_settings_file_is_named(
    tmp_path: Path, text: str | bytes, said: str, command: str
) -> None:
    assert run("init", tmp_path).code == 0
    write(tmp_path, {".tesela/tesela.toml": text})
    done = run(*command.split(), "--kb", tmp_path)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    "variable",
    ["TESELA_CHUNK_SIZ", "TESELA_FOO", "TESELA_CHUNK", "TESELA_CHUNK_SIZE", "TESELA_QUERY_FUSION"],
)
def test_a_variable_that_does_not_hold_is_refused(small: Path, variable: str) -> None:
    done = run("query", "--kb", small, "hola", env={variable: "nonsense"})
    assert done.code == 2
    assert variable.split("_")[-1].lower() in done.err.lower()


def test_a_locked_knowledge_base_leaves_with_5(small: Path) -> None:
    with writer_lock(at(small).lock):
        for line in ("sync", "ingest docs", "index", "chunk", "contextualize"):
            done = run(*line.split(), "--kb", small, cwd=small)
            assert done.code == 5, line
            assert "process" in done.err
        assert run("query", "--kb", small, "hola").code == 0
        assert run("status", "--kb", small).code == 0


def test_another_model_leaves_with_6_and_names_both(small: Path) -> None:
    for mode in ("dense", "hybrid"):
        done = run(
            "query", "--kb", small, "--mode", mode, "--set", "embed.model=encoder-12", "hola"
        )
        assert done.code == 6
        assert "encoder-6" in done.err
        assert "encoder-12" in done.err
    line = ("--mode", "sparse", "--rerank", "none", "--set", "embed.model=encoder-12")
    assert run("query", "--kb", small, *line, "hola").code == 0


def test_folders_that_are_files_are_told(tmp_path: Path) -> None:
    write(tmp_path, {"file": "x", "kb/.tesela": "x"})
    for line in (
        ("init", tmp_path / "file"),
        ("init", tmp_path / "kb"),
        ("demo", tmp_path / "file"),
    ):
        done = run(*line)
        assert done.code in (1, 2)
        assert str(tmp_path) in done.err


def test_no_command_shows_help() -> None:
    for line in ((), ("config",)):
        done = run(*line)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("Usage: tesela")
        assert "Commands:" in done.err


def test_a_read_only_knowledge_base_answers_and_refuses_to_write(tmp_path: Path) -> None:
    home = make_kb(tmp_path / "kb", {"a.md": "hola mundo"})
    write(home, {"docs/b.md": "nuevo"})
    paths = [home, *home.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        answered = spawn("query", "--format", "paths", "hola", "--kb", home, unprivileged=True)
        assert answered.code == 0, answered.err
        assert "a.md" in answered.out
        refused = spawn("sync", "--kb", home, unprivileged=True)
        assert refused.code == 1
        assert "Traceback" not in refused.err
        assert f"{home}/.tesela/" in refused.err
        assert "Traceback" not in spawn("status", "--kb", home, unprivileged=True).err
        planned = spawn("gc", "--caches", "--dry-run", "--kb", home, unprivileged=True)
        assert (planned.code, planned.err) == (0, "")
        assert planned.out.startswith("would remove: ")
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)


def _spoil(path: Path, how: str) -> None:
    data = path.read_bytes()
    path.unlink()  # a component may be a hard link of another generation's
    if how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "garbage":
        path.write_bytes(bytes((b * 7 + 13) % 256 for b in data))
    elif how == "empty":
        path.write_bytes(b"")


DAMAGE = [
    "manifest.json", "chunks/chunks.jsonl", "chunks/offsets.npy", "chunks/documents.json",
    "vectors/vectors.npy", "engine/seal.json", "bm25/lexical.json", "bm25/indptr.npy",
    "bm25/rows.npy", "bm25/terms.npy", "bm25/term_ends.npy", "bm25/lengths.npy", "bm25/tf.npy",
    "tokens/codes.bin", "tokens/offsets.npy",
]  # fmt: skip


@pytest.mark.parametrize("how", ["cut", "garbage", "empty", "gone"])
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_generation_is_told_and_can_be_mended(
    small: Path, tmp_path: Path, name: str, how: str
) -> None:
    home = Path(shutil.copytree(small, tmp_path / "kb"))
    _spoil(home / ".tesela" / "generations" / "0001" / name, how)
    said = ""
    for line in (("query", "hola", "--path", "*.md"), ("show", "docs/a.md")):
        done = run(*line, "--kb", home)
        assert done.code in (0, 1), done.err
        assert "Traceback" not in done.err
        said += done.err
        if done.code:
            assert "tesela index --rebuild" in done.err
    if how != "garbage":
        assert said, "the damage went unseen"
    assert run("index", "--rebuild", "--kb", home).code == 0
    mended = run("query", "hola", "--kb", home, "--format", "paths", cwd=home)
    assert (mended.out, mended.err) == ("docs/a.md:1\n", "")


@pytest.mark.parametrize("content", ["0009\n", "", "\n", "../../..\n", b"\xff\xfe\x00"])
def test_a_damaged_pointer_is_told_and_can_be_mended(
    small: Path, tmp_path: Path, content: str | bytes
) -> None:
    home = Path(shutil.copytree(small, tmp_path / "kb"))
    write(home, {".tesela/CURRENT": content})
    for line in (("query", "hola"), ("status",), ("sync",)):
        done = run(*line, "--kb", home)
        assert done.code == 1
        assert "tesela index --rebuild" in done.err
    assert run("index", "--rebuild", "--kb", home).code == 0
    assert run("query", "hola", "--kb", home).code == 0


@pytest.mark.parametrize("how", ["cut", "garbage"])
@pytest.mark.parametrize("name", ["store.sqlite", "cache/vectors.sqlite"])
def test_a_damaged_store_is_told_and_can_be_made_anew(
    small: Path, tmp_path: Path, name: str, how: str
) -> None:
    home = Path(shutil.copytree(small, tmp_path / "kb"))
    file = home / ".tesela" / name
    _spoil(file, how)
    write(home, {"docs/b.md": "otra cosa"})
    assert run("query", "hola", "--kb", home).code == 0  # readers need neither
    done = run("sync", "--kb", home)
    assert done.code == 1
    assert str(file) in done.err
    assert "move it away" in done.err
    file.rename(tmp_path / "away")
    done = run("sync", home / "docs", "--kb", home)
    assert done.code == 0, done.err
    assert run("query", "otra", "--kb", home).code == 0


def test_damage_is_not_carried_into_the_next_generation(small: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(small, tmp_path / "kb"))
    _spoil(home / ".tesela" / "generations" / "0001" / "vectors" / "vectors.npy", "garbage")
    assert run("index", "--set", "bm25.stem=false", "--kb", home).code == 0
    fresh = make_kb(tmp_path / "fresh", {"a.md": "# Uno\n\nhola mundo\n"})
    vectors = "generations/{}/vectors/vectors.npy"
    mended = (home / ".tesela" / vectors.format("0002")).read_bytes()
    assert mended == (fresh / ".tesela" / vectors.format("0001")).read_bytes()


def test_a_question_that_begins_with_a_dash_is_told_where_to_go(tmp_path: Path) -> None:
    done = run("query", "-solar", "pump", cwd=tmp_path)
    assert done.code == 2
    assert "begins with - goes after --" in done.err


def test_a_file_given_as_knowledge_base(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "A"})
    done = run("query", "a", "--kb", tmp_path / "a.md")
    assert done.code == 2
    assert "is a file: name the folder" in done.err


def test_a_window_that_is_too_wide_is_told_how_wide_it_may_be(tmp_path: Path) -> None:
    done = run("query", "a", "--expand", "window:99999", cwd=make_kb(tmp_path, {"a.md": "A"}))
    assert done.code == 2
    assert "1 to 9999" in done.err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("qeury", "x"), "No such command 'qeury': did you mean 'query'? (see 'tesela --help')"),
        (
            ("query", "-k", "tres", "x"),
            "'-k': 'tres' is not a valid int (see 'tesela query --help')",
        ),
        (("query", "dos", "palabras"), "stands in quotes (see 'tesela query --help')"),
        (("sync", "--dryrun"), "--dry-run) (see 'tesela sync --help')"),
        (("ask",), "Missing argument '[DIR] QUESTION' (see 'tesela ask --help')"),
        (("snapshot", "lists"), "did you mean 'list'? (see 'tesela snapshot --help')"),
    ],
)
def test_wrong_usage_names_the_option_and_the_help(line: tuple[str, ...], told: str) -> None:
    done = run(*line)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_an_unknown_setting_says_where_they_are_listed(tmp_path: Path) -> None:
    home = make_kb(tmp_path / "kb", {"a.md": "hola"})
    done = run("config", "show", "--kb", home, "--set", "chunk.sice=3")
    assert done.code == 2
    assert "'tesela config show' prints those there are" in done.err
