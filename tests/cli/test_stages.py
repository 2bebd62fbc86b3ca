"""What each stage's command says and leaves behind."""

import dis
import inspect
import json
import re
import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from cli.app import app
from kb.registry import names
from tests.running import hit_names, make_kb, run, snapshot, spawn, write

COMMANDS = [
    "init",
    "source",
    "sync",
    "ingest",
    "chunk",
    "contextualize",
    "index",
    "reindex",
    "raptor",
    "summarize",
    "graph",
    "query",
    "ask",
    "batch",
    "compare",
    "eval",
    "list",
    "show",
    "open",
    "inspect",
    "scan",
    "diff",
    "snapshot",
    "status",
    "failures",
    "cost",
    "bench",
    "tune",
    "doctor",
    "gc",
    "cron",
    "config",
    "demo",
]
SUBCOMMANDS = [
    "config show", "config path", "source add", "source list", "source remove", "raptor build",
    "raptor show", "raptor stats", "eval run", "eval gen", "eval gate", "eval history", "bench ann",
    "bench pipeline",
    *(f"graph {name}" for name in ("build", "stats", "aliases", "merge", "split", "undo", "off")),
]  # fmt: skip
DOCS = {
    "a.md": "---\ntitle: Bombas\n---\n\n# Bombas\n\n## Cebado\n\nLa bomba se ceba con agua.\n",
    "b.txt": "The turbine needs grease once a year.\n",
}


@pytest.mark.parametrize("command", ["", *COMMANDS, *SUBCOMMANDS])
def test_help_names_only_what_is_there(command: str) -> None:
    done = run(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: tesela {command}".rstrip() + " ")
    assert "\x1b" not in done.out
    assert "--install-completion" not in done.out
    groups = ("init", "source", "raptor", "graph", "snapshot", "cron", "config", "demo")
    groups += ("eval", "bench")
    if command and command not in groups:
        assert "--kb DIR" in done.out
    if command == "":
        listed = re.findall(r"^  ([a-z]+)  ", done.out, re.M)
        assert listed == COMMANDS


def test_help_lists_every_part() -> None:
    def squeezed(command: str) -> str:
        return re.sub(r"\s", "", run(command, "--help").out)

    for command, kind in (
        ("chunk", "chunker"), ("contextualize", "contextualizer"), ("index", "engine"),
        ("index", "embedder"), ("query", "fusion"), ("query", "reranker"),
    ):  # fmt: skip
        assert "|".join(names(kind)) in squeezed(command)


def test_version() -> None:
    assert re.fullmatch(r"tesela \d+\.\d+\.\d+\n", run("--version").out)


def test_stage_by_stage_is_the_same_as_sync(tmp_path: Path) -> None:
    home = write(tmp_path / "stages", {f"docs/{name}": text for name, text in DOCS.items()})
    made = run("init", home, "--preset", "fast")
    assert made.err == f"made: {home}/.tesela; next: tesela sync PATH\n"
    assert (home / ".tesela" / "tesela.toml").read_text() == 'preset = "fast"\n'
    assert run("init", home).err == f"already there: {home}/.tesela\n"
    assert (home / ".tesela" / "tesela.toml").read_text() == 'preset = "fast"\n'

    def ran(*line: str) -> str:
        done = run(*line, cwd=home)
        assert (done.code, done.out) == (0, "")
        return done.err

    assert ran("ingest", "docs") == "2 added\n"
    assert ran("ingest", "docs") == "2 unchanged\n"
    assert ran("chunk") == "2 documents cut, 2 chunks in all; next: tesela index\n"
    assert ran("chunk") == "0 documents cut, 2 chunks in all; next: tesela index\n"
    said = "contexts of {} documents written by structural; next: tesela index\n"
    assert ran("contextualize") == said.format(2)
    assert ran("contextualize") == said.format(0)
    built = "2 chunks of 2 documents, {} embedded, generation {}, engine {}\n"
    assert ran("index") == built.format(2, "1 published", "exact")
    assert ran("index") == built.format(0, "1 unchanged", "exact")
    again = "2 unchanged; 2 chunks of 2 documents, 0 embedded, generation 1 unchanged ("
    assert ran("sync").startswith(again)

    whole = make_kb(tmp_path / "whole", DOCS)
    one, other = (h / ".tesela" / "generations" / "0001" for h in (home, whole))
    assert {k: v[1] for k, v in snapshot(one).items()} == {
        k: v[1] for k, v in snapshot(other).items()
    }


def test_flags_of_a_stage_are_kept(tmp_path: Path) -> None:
    home = make_kb(tmp_path, DOCS)
    done = run("chunk", "--strategy", "fixed", "--size", 64, "--overlap", "10%", "--kb", home)
    kept = 'kept in tesela.toml: chunk.strategy = "fixed", chunk.size = 64, chunk.overlap = "10%"'
    assert done.err.startswith(kept + "\n2 documents cut")
    run("contextualize", "--provider", "none", "--kb", home)
    run("index", "--engine", "faiss", "--kb", home)
    assert tomllib.loads((home / ".tesela" / "tesela.toml").read_text()) == {
        "preset": "fast",
        "chunk": {"strategy": "fixed", "size": 64, "overlap": "10%"},
        "context": {"provider": "none"},
        "engine": {"name": "faiss"},
    }
    before = snapshot(home / ".tesela" / "generations")
    assert "0 embedded, generation 2 unchanged" in run("sync", "--kb", home).err
    assert snapshot(home / ".tesela" / "generations") == before
    status = run("status", "--kb", home, "--format", "json").json
    assert (status["engine"], status["generation"]) == ("faiss", 2)


@pytest.mark.parametrize("engine", names("engine"))
def test_another_engine_embeds_nothing_and_finds_the_same(tmp_path: Path, engine: str) -> None:
    home = make_kb(tmp_path, DOCS)
    before = hit_names(home, "grease")
    assert " 0 embedded" in run("index", "--engine", engine, "--kb", home).err
    assert hit_names(home, "grease") == before


def test_chunk_of_a_file_prints_and_stores_nothing(tmp_path: Path) -> None:
    write(tmp_path, DOCS)
    text = "\n\n".join(f"Frase número {i} de un texto." for i in range(30))
    write(tmp_path, {"long.txt": text})
    args = ("chunk", "long.txt", "--size", 40, "--overlap", 0)
    records = run(*args, cwd=tmp_path).jsonl
    assert len(records) > 2
    assert records == run(*args, "--format", "json", cwd=tmp_path).json
    for number, record in enumerate(records, 1):
        assert set(record) == {
            "chunk", "tokens", "span", "lines", "pages", "heading", "language", "kinds", "text",
        }  # fmt: skip
        a, b = record["span"]
        assert (record["chunk"], record["text"]) == (number, text[a:b])
        assert record["tokens"] <= 40
    assert all("llm_tokens" in r for r in run(*args, "--llm-tokens", cwd=tmp_path).jsonl)
    shown = run(*args, "--format", "text", cwd=tmp_path)
    assert shown.out.count(" tokens · lines ") == len(records)
    assert shown.err == f"{len(records)} chunks\n"
    assert "\x1b" not in shown.out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.md", "b.txt", "long.txt"]


def test_show_prints_what_the_index_holds(tmp_path: Path) -> None:
    home = make_kb(tmp_path, DOCS)
    shown = run("show", "docs/b.txt", "--kb", home, cwd=home)
    (chunk,) = run("show", "docs/b.txt", "--kb", home, "--format", "json").json
    assert shown.out == (
        f"# {chunk['id']}  docs/b.txt, lines 1-1, {chunk['tokens']} tokens, en\n"
        + (f"# context: {chunk['context']!r}\n" if chunk["context"] else "")
        + "The turbine needs grease once a year.\n\n"
    )
    assert run("show", "b.txt", "--kb", home, cwd=home / "docs").out == shown.out
    assert run("show", chunk["id"][:8], "--kb", home).out == shown.out


def test_status_says_what_is_there(tmp_path: Path) -> None:
    assert run("init", tmp_path).code == 0
    fresh = run("status", "--kb", tmp_path)
    assert "none yet: tesela sync PATH" in fresh.out
    home = make_kb(tmp_path, {**DOCS, "c.gz": b"\x1f\x8b123"})
    found = run("status", "--kb", home, "--format", "json").json
    assert found["kb"] == str(home / ".tesela")
    assert found["sources"] == ["docs"]
    assert (found["files"], found["documents"], found["chunks"]) == (3, 2, 2)
    assert found["failed"] == [
        {"path": "docs/c.gz", "reason": "gzip archive: no parser for it yet"}
    ]
    assert found["embedder"] == "bundled/encoder-6"
    generation = home / ".tesela" / "generations" / "0001"
    sizes = {p.name: p.stat().st_size for p in generation.rglob("*") if p.is_file()}
    held = (p.stat().st_size for p in generation.rglob("*") if p.is_file())
    assert found["index_bytes"] == sum(held) - sizes["manifest.json"]
    lines = run("status", "--kb", home).out.splitlines()
    assert [re.split(":? ", line)[0] for line in lines if line[0] != " "] == list(found)


def test_config_shows_what_is_in_force(tmp_path: Path) -> None:
    home = tmp_path
    run("init", home, "--preset", "fast")
    write(home, {".tesela/tesela.toml": 'preset = "fast"\n[chunk]\nsize = 99\noverlap = 9\n'})
    env = {"TESELA_QUERY_K": "7"}
    args = ("--kb", home, "--set", "query.rrf_k=5")
    shown = run("config", "show", *args, "--format", "json", env=env).json
    assert shown["embed"]["model"] == "encoder-6"
    assert (shown["chunk"]["size"], shown["query"]["k"], shown["query"]["rrf_k"]) == (99, 7, 5)
    toml = tomllib.loads(run("config", "show", *args, env=env).out)
    without_none = {s: {k: v for k, v in t.items() if v is not None} for s, t in shown.items()}
    assert toml == without_none
    assert run("config", "path", cwd=home).out == f"{home}/.tesela/tesela.toml\n"
    alone = run("config", "show", "--format", "json", cwd=Path("/")).json
    assert alone["chunk"]["size"] == 256


def test_what_config_shows_can_be_a_settings_file(tmp_path: Path) -> None:
    run("init", tmp_path)
    shown = run("config", "show", "--kb", tmp_path).out
    write(tmp_path, {".tesela/tesela.toml": shown})
    assert run("config", "show", "--kb", tmp_path).out == shown


def test_demo_does_the_whole_job_off_a_terminal(tmp_path: Path) -> None:
    done = spawn("demo", cwd=tmp_path, env={"TESELA_EMBED_MODEL": "encoder-6"})
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err
    assert "tesela-demo/docs/policies/lockout.md:" in done.out
    told = done.err.splitlines()
    assert told[0] == "$ tesela sync tesela-demo/docs"
    assert re.fullmatch(
        r"\d+ added; \d+ chunks of \d+ documents, \d+ embedded, generation 1 published", told[1]
    )
    assert len(re.findall(r"^\$ tesela query ", done.err, re.M)) == 4


def test_sync_without_anything_to_follow_says_so(tmp_path: Path) -> None:
    run("init", tmp_path)
    done = run("sync", "--kb", tmp_path)
    assert (done.code, done.err) == (0, "nothing is followed yet: tesela sync PATH\n")


def test_a_failure_is_told_once_with_exit_3(tmp_path: Path) -> None:
    write(tmp_path, {"docs/good.md": "hola", "docs/bad.zip": b"PK\x03\x04" + b"\0" * 40})
    run("init", tmp_path, "--preset", "fast")
    first = run("sync", tmp_path / "docs", "--kb", tmp_path)
    assert first.code == 3
    assert "  failed: docs/bad.zip: zip archive: unpack it; archives are not opened\n" in first.err
    assert first.err.splitlines()[-1].startswith("1 added, 1 failed; 1 chunk of 1 document")
    again = run("sync", "--kb", tmp_path)
    assert again.code == 0
    assert again.err.startswith("1 unchanged, 1 failed before; ")
    assert hit_names(tmp_path, "hola") == ["good.md"]


def test_the_kb_is_found_from_below_and_by_variable(tmp_path: Path) -> None:
    home = make_kb(tmp_path / "kb", DOCS)
    asked = ("query", "--format", "json", "grease")
    below = run(*asked, cwd=home / "docs")
    named = run(*asked, cwd=Path("/"), env={"TESELA_KB": str(home)})
    assert json.loads(below.out) == json.loads(named.out)


@pytest.mark.parametrize("command", [*COMMANDS, *SUBCOMMANDS])
def test_every_option_of_a_command_is_read_by_it(command: str) -> None:
    group: Any = app
    context = group.make_context("tesela", [command.split()[0]], resilient_parsing=True)
    found: Any = group
    for word in command.split():
        found = found.get_command(context, word)
    function = inspect.unwrap(found.callback)
    read = {
        i.argval
        for i in dis.get_instructions(function)
        if i.opname in {"LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE"}
    }
    assert set(inspect.signature(function).parameters) <= read
    for bundle in filter(is_dataclass, get_type_hints(function).values()):
        own = [
            getattr(method, "fget", method)
            for kind in bundle.__mro__
            for method in vars(kind).values()
        ]
        methods = [m for m in own if inspect.isfunction(m) and not m.__name__.startswith("__")]
        inside = {
            i.argval
            for method in (function, *methods)
            for i in dis.get_instructions(method)
            if i.opname == "LOAD_ATTR"
        }
        assert {field.name for field in fields(bundle)} <= inside
