"""``tesela list``: the documents of the index, for eyes and for scripts."""

import csv
import json
from pathlib import Path

import pytest

from tests.running import make_kb, run

FILES = {
    "es/bomba.md": "---\ntitle: Bomba\ndate: 2024-05\ntags: [agua]\n---\n\n# Bomba\n\n"
    "La bomba del pozo se ceba con agua limpia antes de cada riego.\n",
    "old.md": "---\nvalid_until: 2020-01-01\n---\n\n# Old\n\nThe turbine is greased once a year.\n",
    "plan.txt": "The turbine hall is painted in spring by the crew of the mill.\n",
    "closed.md": "---\nacl: [staff]\n---\n# Salaries\n\nNobody else sees this.\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("list"), FILES)


def test_a_pipe_gets_a_path_a_line(home: Path) -> None:
    done = run("list", cwd=home)
    assert done.code == 0
    assert done.out.splitlines() == ["docs/es/bomba.md", "docs/old.md", "docs/plan.txt"]
    assert done.err == "3 documents, 3 chunks\n"


def test_eyes_get_a_table(home: Path) -> None:
    lines = run("list", "--format", "table", cwd=home).out.splitlines()
    assert lines[0].split() == ["chunks", "language", "date", "path"]
    assert lines[1].split() == ["1", "es", "2024-05-01/2024-05-31", "docs/es/bomba.md"]
    assert lines[2].endswith("docs/old.md  (expired)")


def test_programs_get_all_that_is_known(home: Path) -> None:
    found = run("list", "--format", "json", cwd=home).json
    assert [one["validity"] for one in found] == ["valid", "expired", "valid"]
    bomba = found[0]
    assert bomba["metadata"]["title"] == bomba["title"] == "Bomba"
    assert (bomba["type"], bomba["parser"], bomba["tags"]) == ("md", "markdown", ["agua"])
    lines = run("list", "--format", "jsonl", cwd=home).out.splitlines()
    assert [json.loads(line) for line in lines] == found
    rows = list(csv.DictReader(run("list", "--format", "csv", cwd=home).out.splitlines()))
    assert [row["path"] for row in rows] == [one["path"] for one in found]
    assert rows[0]["date"] == "2024-05-01/2024-05-31"


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (("--path", "es/"), ["es/bomba.md"]),
        (("--type", "txt"), ["plan.txt"]),
        (("--language", "en"), ["old.md", "plan.txt"]),
        (("--tag", "agua"), ["es/bomba.md"]),
        (("--where", "exists(valid_until)"), ["old.md"]),
        (("--since", "2024-05-20", "--until", "2024"), ["es/bomba.md"]),
        (("--principal", "staff", "--type", "md"), ["closed.md", "es/bomba.md", "old.md"]),
        (("--path", "nowhere/"), []),
    ],
)
def test_it_is_narrowed_as_a_query_is(home: Path, flags: tuple[str, ...], names: list[str]) -> None:
    found = run("list", *flags, cwd=home).out.splitlines()
    assert found == [f"docs/{name}" for name in names]


def test_a_day_decides_what_is_expired(home: Path) -> None:
    found = run("list", "--path", "old.md", "--as-of", "2019-06-01", "--format", "json", cwd=home)
    assert found.json[0]["validity"] == "valid"


def test_what_cannot_be_read_is_told(home: Path, tmp_path: Path) -> None:
    assert "write a day" in run("list", "--as-of", "soon", cwd=home).err
    done = run("list", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "no knowledge base" in done.err
