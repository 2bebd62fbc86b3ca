"""``tesela tune`` on a few documents whose words say little and whose places say much."""

import json
import tomllib
from pathlib import Path

import pytest

from kb.settings import Settings
from query.tune.measure import Bench
from query.tune.trial import Changes, Trial
from tests.running import make_kb, run, snapshot

FRUIT = [
    "pera", "manzana", "naranja", "ciruela", "cereza", "mora", "uva", "sandía", "melón", "higo",
    "kiwi", "lima",
]  # fmt: skip
DOCS = {
    f"{name}.md": f"# Ficha {i}\n\nEl almacén {i} guarda la {name} en la cámara {i * 3}.\n"
    for i, name in enumerate(FRUIT)
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_kb(tmp_path / "kb", DOCS)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    lines = [
        {"id": f"q{i}", "text": f"¿Dónde se guarda la {name}?", "relevant": [f"docs/{name}.md"],
         "metadata": {"split": ("tune", "test")[i % 2]}}
        for i, name in enumerate(FRUIT)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def settings_file(home: Path) -> bytes:
    return (home / ".tesela" / "tesela.toml").read_bytes()


def test_tries_keeps_and_goes_on(home: Path, questions: Path, tmp_path: Path) -> None:
    before, index = settings_file(home), snapshot(home / ".tesela" / "generations")
    line = ("tune", "--kb", home, "--queries", questions, "--format", "json")
    cut_off = run(*line, "--budget", "0s")
    assert cut_off.code == 4
    assert "untried: run it again to go on" in cut_off.err
    assert [trial["changes"] for trial in cut_off.json["trials"]] == [{}]

    picture = tmp_path / "t.svg"
    done = run(*line, "--budget", "10m", "--plot", picture, "--write")
    assert done.code == 0, done.err
    assert "as it is, from an earlier run" in done.err
    found = done.json
    assert found["questions"] == {"tune": 6, "test": 6}
    assert found["measure"] == "nDCG@10"
    assert len(found["trials"]) > 12
    assert sum(trial["chosen"] for trial in found["trials"]) == 1
    # every question finds its document at once, so nothing can be better and all stays as it is
    assert found["chosen"] == {}
    assert settings_file(home) == before
    assert snapshot(home / ".tesela" / "generations") == index
    assert picture.read_text().startswith("<svg")

    again = run(*line, "--budget", "0s")
    assert again.code == 0
    assert again.json == found
    table = run(*line[:-2], "--budget", "0s")
    assert "the settings in force stay" in table.out
    assert "6 questions that took no part in choosing" in table.out


def pretend(monkeypatch: pytest.MonkeyPatch, held_out: float) -> None:
    """Trials of rrf answer .9 of each question, all others .5; held-out questions as told."""

    def trial(bench: Bench, settings: Settings, changes: Changes, split: str) -> Trial:
        by_rrf = 0.9 if split == "tune" else held_out
        return Trial(
            key=bench.key(settings, split),
            changes=changes,
            split=split,
            ids=[str(i) for i in range(6)],
            values=[by_rrf if changes.get("query.fusion") == "rrf" else 0.5] * 6,
            query_ms=1.0,
            build_seconds=1.0,
            disk_bytes=1,
            chunks=1,
        )

    monkeypatch.setattr(Bench, "trial", trial)
    monkeypatch.setattr(Bench, "is_built", lambda *_: True)


def test_what_is_surely_better_is_written_only_when_asked(
    home: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, held_out=0.8)
    before = settings_file(home)
    line = ("tune", "--kb", home, "--queries", questions)
    told = run(*line)
    assert told.code == 0, told.err
    assert "chosen: fusion=rrf: nDCG@10 +0.400 (95 %: +0.400 to +0.400) against now" in told.out
    assert "no part in choosing: 0.500 → 0.800, +0.300" in told.out
    assert 'query.fusion = "rrf"  # now "auto"' in told.err
    assert "not written: add --write" in told.err
    assert settings_file(home) == before
    written = run(*line, "--write")
    assert written.code == 0, written.err
    assert tomllib.loads(settings_file(home).decode())["query"] == {"fusion": "rrf"}
    assert run(*line).out.count("the settings in force stay") == 1  # rrf is in force now


def test_what_does_not_hold_on_other_questions_is_not_written(
    home: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, held_out=0.4)
    before = settings_file(home)
    done = run("tune", "--kb", home, "--queries", questions, "--write")
    assert "not written: it is no better on the questions that took no part" in done.err
    assert settings_file(home) == before


def test_a_sample_holds_the_documents_that_answer(home: Path, questions: Path) -> None:
    line = ("tune", "--kb", home, "--queries", questions, "--documents", 11, "--budget", "0s")
    done = run(*line, "--format", "json")
    assert done.code == 4, done.err
    assert done.json["documents"] == 11
    assert sum(done.json["questions"].values()) == 11  # one document, and its question, is left out
    spare = run(*line[:-3], 4, "--budget", "0s")
    assert spare.code == 2
    assert "at least 5 are needed" in spare.err


def test_without_a_test_set_one_is_made(tmp_path: Path) -> None:
    text = "".join(
        f"# Turbina {i}\n\nLa turbina del salto {name} entrega {i * 11} kilovatios al molino viejo. "
        f"Cada {i + 2} semanas un mecánico engrasa el cojinete de la {name}.\n\n"
        for i, name in enumerate(FRUIT * 3)
    )
    home = make_kb(tmp_path, {"a.md": text})
    before = settings_file(home)
    done = run("tune", "--kb", home, "--budget", "0s")
    assert done.code == 4, done.err
    assert "there was no test set:" in done.err
    assert (home / ".tesela" / "evaluation" / "testset" / "queries.jsonl").is_file()
    assert settings_file(home) == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--budget", "soon"), "'soon' is no duration"),
        (("--plot", "x.gif"), "ends in .svg or .png"),
        (("--qrels", "x.tsv"), "name them with --queries"),
        (("--queries", "no.jsonl"), "no.jsonl"),
    ],
)
def test_mistakes(options: tuple[str, ...], says: str, home: Path) -> None:
    done = run("tune", "--kb", home, *options)
    assert done.code == 2
    assert says in done.err


def test_variants_drop_nothing_from_the_caches(
    home: Path, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variant of a few documents must not cost the others their embeddings."""
    monkeypatch.setattr("index.vector_cache.VectorCache.collect", None)  # it would be called
    line = ("tune", "--kb", home, "--queries", questions, "--documents", 11)
    done = run(*line, "--set", "chunk.size=12", "--budget", "0s")
    assert done.code == 4, done.err
    assert len(list((home / ".tesela" / "cache" / "compare").iterdir())) == 1
