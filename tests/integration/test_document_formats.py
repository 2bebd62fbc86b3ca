"""Every sample file is read, cut and found as its manifest says, and the judge tells when not."""

import csv
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "documents.py"
FORMATS = ROOT / "sample_corpus" / "formats"


@pytest.fixture(scope="module")
def judge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("documents_benchmark", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def manifest(folder: Path, *rows: str) -> None:
    (folder / "manifest.tsv").write_text("\n".join(["file\tphrase\texpected", *rows]) + "\n")


def test_every_sample_is_found_by_its_phrase(judge: ModuleType) -> None:
    expected = judge.read_manifest(FORMATS, 60.0)
    outcomes = judge.judge_all(FORMATS / "files", expected)
    assert {o.file: o.wrong for o in outcomes if o.wrong} == {}
    assert {o.file for o in outcomes} == {p.name for p in (FORMATS / "files").iterdir()}


def test_samples_of_one_type_are_read_by_one_parser(judge: ModuleType) -> None:
    expected = judge.read_manifest(FORMATS, 60.0)
    with (FORMATS / "manifest.tsv").open(encoding="utf-8", newline="") as lines:
        types = {row["file"]: row["type"] for row in csv.DictReader(lines, delimiter="\t")}
    parsers = {types[o.file]: o.parser for o in judge.judge_all(FORMATS / "files", expected)}
    wanted = {"csv": "csv", "jsonl": "json", "eml": "mail", "ipynb": "notebook", "tex": "latex"}
    wanted |= {"py": "python", "rs": "code", "xml": "xml", "yaml": "config", "log": "text"}
    assert {name: parsers[name] for name in wanted} == wanted


def test_what_is_not_as_expected_is_wrong(judge: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("uno dos")
    (tmp_path / "b.txt").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "c.txt").write_text(" \n")
    manifest(
        tmp_path,
        "a.txt\tuno  dos\tfound",
        "a.txt\ttres\tfound",
        "a.txt\t\tskipped with a named reason",
        "b.txt\t\tskipped with a named reason",
        "b.txt\tuno\tfound",
        "c.txt\t\tno chunk; counted as empty",
        "none.txt\t\tfound",
    )
    outcomes = judge.judge_all(tmp_path, judge.read_manifest(tmp_path, 60.0))
    assert [(o.outcome, bool(o.wrong)) for o in outcomes] == [
        ("found", False),
        ("converted", True),
        ("converted", True),
        ("skipped", False),
        ("skipped", True),
        ("empty", False),
        ("empty", True),
    ]
    assert judge.judge_all(tmp_path, judge.read_manifest(tmp_path, 0.0))[0].wrong.startswith("took")


def test_the_exit_code_tells(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("uno dos")
    manifest(tmp_path, "a.txt\ttres\tfound")
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, "--json", tmp_path / "out.json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 1, done.stderr
    assert "WRONG" in done.stdout
    assert '"wrong": "read, but its phrase is missing"' in (tmp_path / "out.json").read_text()
