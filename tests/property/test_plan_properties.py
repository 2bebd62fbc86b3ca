"""Any tree after any other: the plan accounts for every file once, and carried out it is the scan."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.plan import Plan
from ingest.prepare import prepare
from ingest.read import carry_out
from ingest.read_report import ReadReport
from ingest.survey import Request
from kb.configure import load_settings
from kb.digest import sha256_file
from kb.location import Location, at
from kb.store import FileRow, SourceRow, Store
from tests.fake_embedder import quiet
from tests.running import write

NAMES = st.sampled_from(["a.md", "b.md", "c.txt", "d/a.md", "d/b.txt", "e/a.md", "e/f/c.md"])
TEXTS = st.sampled_from(
    ["", "uno", "dos", "# tres", "cuatro\n", b"\x89PNG\r\n\x1a\n", b"%PDF-1.4 x"]
)
TREES = st.lists(st.dictionaries(NAMES, TEXTS), min_size=2, max_size=4)
SETTINGS = load_settings(environment={})
STATE = tuple(
    name
    for name in ("path", "source", "size", "sha256", "parser", "parse_key", "error", "failed_key")
)


def lay_out(docs: Path, tree: dict[str, str | bytes]) -> None:
    for path in [p for p in docs.rglob("*") if p.is_file()]:
        if path.relative_to(docs).as_posix() not in tree:
            path.unlink()
    write(docs, tree)


def synced(location: Location, store: Store) -> tuple[Plan, ReadReport]:
    plan = prepare(location, store, SETTINGS, Request()).plan
    return plan, carry_out(plan, store, SETTINGS, quiet)


def state(rows: list[FileRow]) -> list[tuple[object, ...]]:
    return [tuple(getattr(row, name) for name in STATE) for row in rows]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREES)
def test_any_tree_after_any_other(
    tmp_path_factory: pytest.TempPathFactory, trees: list[dict[str, str | bytes]]
) -> None:
    home = tmp_path_factory.mktemp("plan")
    docs, location = home / "docs", at(home)
    docs.mkdir()
    with Store(location) as store:
        store.put_source(SourceRow("docs"))
        for tree in trees:
            lay_out(docs, tree)
            known = {row.path: row for row in store.files()}
            plan, report = synced(location, store)
            rows = store.files()
            assert [row.path for row in rows] == sorted(f"docs/{name}" for name in tree)
            assert all(row.sha256 == sha256_file(home / row.path) for row in rows)
            check_counts(plan, report, known, rows)
            idle, _ = synced(location, store)
            assert not idle.work
        fresh_home = tmp_path_factory.mktemp("fresh")
        write(fresh_home / "docs", trees[-1]).mkdir(exist_ok=True)
        (fresh_home / "docs").mkdir(exist_ok=True)
        with Store(at(fresh_home)) as fresh:
            fresh.put_source(SourceRow("docs"))
            synced(at(fresh_home), fresh)
            assert state(store.files()) == state(fresh.files())


def check_counts(
    plan: Plan, report: ReadReport, known: dict[str, FileRow], rows: list[FileRow]
) -> None:
    """Each file that is there is counted once, each document that was there leaves once."""
    counted = Counter(
        (*report.added, *report.edited, *report.touched, *report.again, *report.failed)
    )
    counted.update(
        path for pairs in (report.renamed, report.moved, report.copied) for _, path in pairs
    )
    assert set(counted.values()) <= {1}
    assert len(counted) + report.unchanged + report.failed_before == len(rows)
    taken = [old for pairs in (report.renamed, report.moved) for old, _ in pairs]
    there = {row.path for row in rows}
    gone = {path for path, row in known.items() if path not in there and row.parse_key}
    assert sorted([*taken, *report.deleted]) == sorted(gone)
    for old, new in (*report.renamed, *report.moved, *report.copied):
        (row,) = (row for row in rows if row.path == new)
        assert row.sha256 == known[old].sha256
    same_folder = [Path(old).parent == Path(new).parent for old, new in report.renamed]
    assert all(same_folder)
    assert not any(Path(old).parent == Path(new).parent for old, new in report.moved)
    assert len(plan.left) == len(set(plan.left))


def test_a_plan_is_made_again_from_what_it_left(tmp_path: Path) -> None:
    """A run cut short between its writing and its forgetting leaves only what the next one clears."""
    write(tmp_path, {"docs/a.md": "uno", "docs/b.md": "dos"})
    location = at(tmp_path)
    with Store(location) as store:
        store.put_source(SourceRow("docs"))
        synced(location, store)
        (tmp_path / "docs" / "a.md").rename(tmp_path / "docs" / "z.md")
        plan = prepare(location, store, SETTINGS, Request()).plan
        before = {row.path: row for row in store.files()}
        carry_out(replace(plan, steps=plan.steps), store, SETTINGS, quiet)
        store.put_files([before["docs/a.md"]])  # as if it had not been forgotten
        _, report = synced(location, store)
        assert report.deleted == ["docs/a.md"]
        assert [row.path for row in store.files()] == ["docs/b.md", "docs/z.md"]
