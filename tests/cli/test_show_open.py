"""``tesela show`` and ``tesela open``: what ``3`` means, and where it opens."""

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from cli.opening import editor_command
from kb.errors import UsageError
from tests.running import make_kb, run, snapshot, spawn, write

SECTION = "\n\n".join(f"Nota {i}: la bomba gira y el pozo se seca en verano." for i in range(40))
FILES = {
    "a.md": f"# Bombas\n\nLa bomba se ceba.\n\n## Cebado\n\n{SECTION}\n\n## Fin\n\nNada más.\n",
    "b.txt": "The turbine needs grease once a year.\n",
    "7": "un fichero que se llama como un número\n",
}
ASKED = ("query", "la bomba gira", "-k", "4", "--format", "json")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("show"), FILES)


@pytest.fixture
def home(made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The knowledge base, and a user who has asked nothing yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    return made


def kept(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "state").rglob("*.json"))


def test_a_hit_by_its_number(home: Path) -> None:
    hits = run(*ASKED, "--kb", home).json["hits"]
    for hit in hits:
        done = run("show", hit["rank"], "--kb", home)
        assert (done.code, done.err) == (0, "")
        first, *rest = done.out.splitlines()
        assert first.startswith(f"# {hit['id']}  docs/")
        assert hit["text"] in done.out
        scored = next(line for line in rest if line.startswith("# score "))
        assert scored.startswith(f"# score {hit['score']:.4f} = ")
        assert f"(rank {int(hit['rerank']['rank_before'])} → {hit['rank']})" in scored
        (shown,) = run("show", hit["rank"], "--kb", home, "--format", "json").json
        assert (shown["id"], shown["text"]) == (hit["id"], hit["text"])
        for name in ("rank", "score", "legs", "fusion", "rerank"):
            assert shown["hit"][name] == hit[name]


def test_the_newest_query_counts_through_a_pipe_too(home: Path) -> None:
    run(*ASKED, "--kb", home)
    done = spawn("query", "turbine grease", "-k", 1, "--format", "paths", "--kb", home)
    assert done.code == 0
    assert "# docs" not in done.out
    assert "The turbine" in run("show", 1, "--kb", home).out
    assert run("show", 2, "--kb", home).err == (
        "tesela: no hit 2: the last query's are 1 to 1; to name a file or a chunk, write ./2 or more "
        "of its id\n"
    )


def test_without_a_query_and_without_hits(home: Path) -> None:
    done = run("show", 1, "--kb", home)
    assert (done.code, "run 'tesela query' first" in done.err) == (2, True)
    assert run("query", '"not there at all"', "--kb", home).code == 0
    assert "the last query found nothing" in run("show", 1, "--kb", home).err


def test_what_is_kept_is_private_and_no_text(home: Path, tmp_path: Path) -> None:
    before = snapshot(home)
    run(*ASKED, "--kb", home)
    assert snapshot(home) == before
    (file,) = kept(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    text = file.read_text()
    assert json.loads(text)["hits"][0]["path"] == "docs/a.md"
    for word in ("bomba", "Bombas", "pozo", "gira"):
        assert word not in text
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_a_link_to_the_knowledge_base_is_the_same(home: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(home)
    run(*ASKED, "--kb", link)
    assert run("show", 1, "--kb", home).code == 0


def test_a_query_works_where_nothing_can_be_kept(home: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file is in the way")
    assert run(*ASKED, "--kb", home).err == ""
    assert "run 'tesela query' first" in run("show", 1, "--kb", home).err


def test_what_is_kept_and_damaged_is_as_if_it_were_not(home: Path, tmp_path: Path) -> None:
    run(*ASKED, "--kb", home)
    (file,) = kept(tmp_path)
    for data in (b"", b"[]", b'{"version": 99, "generation": 1, "found": 0, "hits": []}'):
        file.write_bytes(data)
        assert "run 'tesela query' first" in run("show", 1, "--kb", home).err


def test_old_ones_go(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.last_hits._MOST_FILES", 3)
    folder = tmp_path / "state" / "tesela" / "last-hits"
    folder.mkdir(parents=True)
    for i in range(6):
        (folder / f"{i}.json").write_text("{}")
    run(*ASKED, "--kb", home)
    assert len(kept(tmp_path)) == 3
    assert run("show", 1, "--kb", home).code == 0


def test_very_many_hits_are_kept_in_part(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.last_hits._MOST_HITS", 2)
    run(*ASKED, "--kb", home)
    assert run("show", 2, "--kb", home).code == 0
    assert "the last query's are 1 to 2 (of 4 found)" in run("show", 3, "--kb", home).err


def test_a_generation_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    home = make_kb(tmp_path / "kb", {"a.txt": "la bomba gira\n"})
    run("query", "bomba", "--kb", home)
    write(home / "docs", {"a.txt": "otra cosa\n"})
    assert run("sync", "--kb", home).code == 0
    done = run("show", 1, "--kb", home)
    assert (done.code, done.err) == (0, "of generation 1; the current one is 2\n")
    assert "la bomba gira" in done.out
    newer = run("show", 1, "--kb", home, "--generation", "current")
    assert "hit 1 of the last query is not in generation 2" in newer.err
    assert run("gc", "--kb", home, "--keep", 1).code == 0
    done = run("show", 1, "--kb", home)
    gone = "hit 1 is of generation 1, which is gone (the current one is 2): ask again"
    assert (done.code, done.err) == (2, f"tesela: {gone}\n")


def test_a_place_in_a_file(home: Path) -> None:
    lines = (home / "docs" / "a.md").read_text().splitlines()
    at = next(i for i, line in enumerate(lines, 1) if line.startswith("Nota 20:"))
    for place in (f"docs/a.md:{at}", f"docs/a.md:{at}:3"):
        shown = run("show", place, "--kb", home, "--format", "json", cwd=home).json
        assert shown
        for chunk in shown:
            assert chunk["lines"][0] <= at <= chunk["lines"][1]
        assert any("Nota 20:" in chunk["text"] for chunk in shown)
    assert run("show", f"a.md:{at}", "--kb", home, cwd=home / "docs").code == 0
    done = run("show", "docs/a.md:4000", "--kb", home)
    assert done.err.endswith("nothing of that line, the last it holds is line 89\n"), done.err
    done = run("show", "docs/a.md#page=2", "--kb", home)
    assert "nothing of that page" in done.err


def test_a_page_of_a_pdf(sample: Path) -> None:
    shown = run("show", "docs/manuals/t40-turbine.pdf#page=2", "--kb", sample, "--format", "json")
    assert shown.json
    assert all(chunk["pages"][0] <= 2 <= chunk["pages"][1] for chunk in shown.json)


def test_a_file_that_is_called_like_a_number(home: Path) -> None:
    assert run("show", "./7", "--kb", home, cwd=home / "docs").code == 0
    assert "un fichero" in run("show", "docs/7", "--kb", home).out


def test_context_is_shown_without_quotes(home: Path) -> None:
    out = run("show", "docs/a.md", "--kb", home).out
    assert "# context: Bombas > Cebado\n" in out
    assert "context: '" not in out


def test_expand_shows_the_passage_apart(home: Path) -> None:
    lines = (home / "docs" / "a.md").read_text().splitlines()
    at = next(i for i, line in enumerate(lines, 1) if line.startswith("Nota 20:"))
    done = run("show", f"docs/a.md:{at}", "--kb", home, "--expand", "section", cwd=home)
    assert done.out.count("\n# the passage:\n") == 1
    assert done.out.count("# of the section:\n") == 2
    for i in range(40):
        assert done.out.count(f"Nota {i}:") == 1
    done = run(
        "show", f"docs/a.md:{at}", "--kb", home, "--expand", "document",
        env={"TESELA_QUERY_EXPAND_CHARACTERS": "900"},
    )  # fmt: skip
    assert "of the document before this left out (query.expand_characters)" in done.out
    assert "of the document after this left out" in done.out


def test_open_prints_what_it_would_run(home: Path) -> None:
    hit = run(*ASKED, "--kb", home).json["hits"][0]
    file, line = home / hit["path"], hit["lines"][0]
    for editor, command in (
        ("vim -R", f"vim -R +{line} {file}"),
        ("/usr/bin/nano", f"/usr/bin/nano +{line} {file}"),
        ("code --wait", f"code --wait --goto {file}:{line}"),
        ("hx", f"hx {file}:{line}"),
        ("kate", f"kate --line {line} {file}"),
        ("unknown-editor", f"unknown-editor {file}"),
    ):
        done = run("open", 1, "--print", "--kb", home, env={"EDITOR": editor})
        assert (done.out, done.err) == (f"{command}\n", "")
    both = {"EDITOR": "nano", "VISUAL": "subl"}
    assert run("open", 1, "--print", "--kb", home, env=both).out == f"subl {file}:{line}\n"
    place = run("open", "docs/a.md:77", "--print", "--kb", home, env={"EDITOR": "vi"})
    assert place.out == f"vi +77 {home}/docs/a.md\n"
    assert run("open", "docs/a.md", "--print", "--kb", home, env={"EDITOR": "vi"}).out == (
        f"vi +1 {home}/docs/a.md\n"
    )


def test_no_editor_and_a_broken_one(home: Path) -> None:
    run(*ASKED, "--kb", home)
    done = run("open", 1, "--kb", home)
    assert done.code == 2
    assert done.err.endswith("set VISUAL or EDITOR, e.g. export EDITOR=nano\n")
    done = run("open", 1, "--kb", home, env={"EDITOR": "/nowhere/vi"})
    assert (done.code, done.err) == (
        6,
        "tesela: /nowhere/vi cannot be run: No such file or directory\n",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITOR", "vi 'half")
        with pytest.raises(UsageError, match=r"\$EDITOR cannot be read"):
            editor_command(Path("a"), 1)


def program(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_open_runs_the_editor_and_passes_its_failure_on(home: Path, tmp_path: Path) -> None:
    hit = run(*ASKED, "--kb", home).json["hits"][0]
    vi = program(tmp_path, "vi", f'printf "%s\\n" "$@" > {tmp_path}/given')
    assert run("open", 1, "--kb", home, env={"EDITOR": str(vi)}).code == 0
    given = (tmp_path / "given").read_text().splitlines()
    assert given == [f"+{hit['lines'][0]}", str(home / hit["path"])]
    vi = program(tmp_path, "vi", "exit 3")
    done = run("open", 1, "--kb", home, env={"EDITOR": str(vi)})
    assert (done.code, "left with exit code 3" in done.err) == (1, True)


def test_a_pdf_opens_in_the_desktops_viewer(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = sample / "docs" / "manuals" / "t40-turbine.pdf"
    place = f"{file}#page=2"
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    done = run("open", place, "--kb", sample, "--print")
    assert (done.code, "install xdg-utils" in done.err) == (6, True)
    program(tmp_path, "xdg-open", "exit 0")
    assert run("open", place, "--kb", sample, "--print").out == f"xdg-open {file}\n"
    program(tmp_path, "xdg-mime", "echo org.gnome.Evince.desktop")
    assert run("open", place, "--kb", sample, "--print").out == f"xdg-open {file}\n"
    program(tmp_path, "evince", "exit 0")
    assert run("open", place, "--kb", sample, "--print").out == f"evince -i 2 {file}\n"
    program(tmp_path, "xdg-mime", "echo firefox.desktop")
    program(tmp_path, "firefox", "exit 0")
    shown = run("open", place, "--kb", sample, "--print").out
    assert shown == f"firefox '{file.as_uri()}#page=2'\n"
    monkeypatch.setattr("sys.platform", "darwin")
    assert run("open", place, "--kb", sample, "--print").out == f"open {file}\n"


def test_a_file_that_changed_or_went(made: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(made, tmp_path / "kb"))
    env = {"EDITOR": "vi"}
    with (home / "docs" / "b.txt").open("a") as more:
        more.write("more\n")
    done = run("open", "docs/b.txt", "--print", "--kb", home, env=env)
    assert done.code == 0
    assert done.err == "docs/b.txt changed since it was indexed: the place may have moved\n"
    (home / "docs" / "b.txt").unlink()
    done = run("open", "docs/b.txt", "--print", "--kb", home, env=env)
    assert done.code == 2
    assert done.err.startswith("tesela: docs/b.txt is gone since it was indexed: 'tesela show'")


def test_a_read_only_knowledge_base_answers_and_shows(made: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(made, tmp_path / "kb"))
    state = tmp_path / "state"
    state.mkdir(mode=0o777)
    subprocess.run(["chmod", "-R", "a-w", str(home)], check=True)
    try:
        for line in (ASKED, ("show", "1")):
            done = spawn(*line, "--kb", home, unprivileged=True, env={"XDG_STATE_HOME": str(state)})
            assert (done.code, done.err) == (0, ""), done
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(home)], check=True)


def test_a_count_of_one(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.txt": "hola\n"})
    out = run("snapshot", "list", "--kb", home).out
    assert " 1 document  " in out
    assert " 1 chunk " in out
