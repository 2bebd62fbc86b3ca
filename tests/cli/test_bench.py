"""``tesela bench`` and what it is for: ``index --engine auto`` and ``--tune``."""

import tomllib
from pathlib import Path

import pytest

from tests.running import make_kb, run, snapshot

TEXT = "".join(
    f"# Turno {i}\n\nEl operador {i} revisa la bomba {i * 7 % 50} y anota {i * 13 % 90} bares.\n\n"
    for i in range(60)
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(
        tmp_path_factory.mktemp("bench"), {"a.md": TEXT}, "--set", "token_vectors.store=false"
    )


def test_engines_on_the_vectors_of_a_kb(home: Path, tmp_path: Path) -> None:
    before = snapshot(home)
    picture = tmp_path / "ann.svg"
    line = ("bench", "ann", "--kb", home, "--questions", 5, "--format", "json", "--plot", picture)
    done = run(*line, "--engine", "exact", "--engine", "hnsw")
    assert done.code == 0, done.err
    assert snapshot(home) == before
    found = done.json
    assert (found["questions"], found["k"]) == (5, 10)
    exact, hnsw = found["engines"]
    assert (exact["engine"], exact["recall"], exact["effort"]) == ("exact", 1.0, None)
    assert (hnsw["adds"], hnsw["deletes"]) == ("yes", "marked")
    assert {point["effort"] for point in hnsw["points"]} >= {10, 200}
    drawn = picture.read_text()
    assert drawn.startswith("<svg")
    assert "hnsw" in drawn


@pytest.mark.parametrize(
    ("form", "first"),
    [
        ("table", "20 vectors of 8 numbers, 3 questions (drawn as the vectors are)"),
        ("csv", "engine,recall,qps,"),
        ("md", "| engine | recall@10 | q/s | build, s | memory, MB |"),
    ],
)
def test_forms_and_made_up_vectors(form: str, first: str, tmp_path: Path) -> None:
    """No knowledge base is needed."""
    line = ("bench", "ann", "--random", "20,8", "--questions", 3, "--engine", "exact")
    done = run(*line, "--format", form, cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith(first)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--random", "100"), "--random '100': write how many vectors of how many numbers"),
        (("--random", "0,8"), "--random 0,8: 1 to 50,000,000 vectors"),
        (("--engine", "faiss"), "no engine 'faiss' to measure: choose from exact, hnsw"),
        (("--plot", "a.pdf"), "a picture's name ends in .svg or .png"),
        (("--questions", "0"), "--questions"),
    ],
)
def test_mistakes(options: tuple[str, ...], says: str, home: Path) -> None:
    done = run("bench", "ann", "--kb", home, *options)
    assert done.code == 2
    assert says in done.err
    assert not done.out


def test_an_empty_kb_has_nothing_to_measure(tmp_path: Path) -> None:
    make_kb(tmp_path, {})
    done = run("bench", "ann", "--kb", tmp_path)
    assert done.code == 2
    assert "holds no chunks to measure: run 'tesela sync PATH'" in done.err


@pytest.mark.parametrize("text", ["recall", "recall=0", "recall=1.5", "speed=3", "recall=x"])
def test_a_target_is_a_recall(text: str, home: Path) -> None:
    done = run("index", "--kb", home, "--tune", text)
    assert done.code == 2
    assert f"--tune '{text}': write recall= and a share of 1" in done.err


def test_a_tuned_engine_is_kept_with_its_parameters(home: Path) -> None:
    done = run("index", "--kb", home, "--engine", "hnsw", "--tune", "recall=0.9")
    assert done.code == 0, done.err
    assert "of the ten nearest" in done.err
    kept = tomllib.loads((home / ".tesela" / "tesela.toml").read_text())["engine"]
    assert kept["name"] == "hnsw"
    assert kept["hnsw_ef_search"] < 200
    back = run("index", "--kb", home, "--engine", "auto")
    assert back.code == 0
    assert "engine auto: exact" in back.err


def test_where_the_time_goes(home: Path) -> None:
    before = snapshot(home)
    done = run(
        "bench", "pipeline", "--kb", home, "--questions", 3, "--format", "json",
        "--set", "context.provider=llm",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert snapshot(home) == before
    assert "contexts are the structural ones: no LLM is asked" in done.err
    found = done.json
    assert (found["files"], found["documents"], found["failed"]) == (1, 1, {})
    stages = {row["stage"]: row for row in found["stages"]}
    assert list(stages)[:5] == ["scan", "read", "load model", "chunk", "contextualize"]
    assert {"embed", "engine", "bm25", "publish"} <= set(stages)
    whole = stages.pop("all")
    assert sum(row["seconds"] for row in stages.values()) == pytest.approx(whole["seconds"])
    assert sum(row["share"] for row in stages.values()) == pytest.approx(1)
    embed = stages["embed"]
    assert embed["chunks_per_second"] == pytest.approx(found["chunks"] / embed["seconds"])
    assert found["questions"]["asked"] == 3
    assert set(found["questions"]["seconds"]) == {"embed", "answer"}


def test_a_sample_of_the_files(tmp_path: Path) -> None:
    make_kb(tmp_path, {f"{i}.md": f"# Acta {i}\n\nSe aprueba el punto {i}." for i in range(9)})
    (tmp_path / "docs" / "0.md").unlink()
    line = ("bench", "pipeline", "--kb", tmp_path, "--questions", 0)
    some, every = (run(*line, "--files", n) for n in (4, 0))
    assert "of 9 files (" in some.out
    assert int(some.out.split()[0]) in (3, 4)  # one may be the file that is gone
    assert every.out.startswith("8 of 9 files (")
    assert "a question" not in every.out


def test_nothing_was_read_yet(tmp_path: Path) -> None:
    assert run("init", tmp_path).code == 0
    done = run("bench", "pipeline", "--kb", tmp_path)
    assert done.code == 2
    assert "holds no documents yet: run 'tesela sync PATH'" in done.err
