"""What happened to files, told from what was found and what is known."""

from collections.abc import Mapping

import pytest

from ingest.guard import Limit, objections
from ingest.plan import CLOCK_STEP_NS, Judge, Plan, make_plan
from ingest.scan import Skipped
from ingest.survey import Survey
from kb.errors import UsageError
from kb.records import SourceFile
from kb.store import FileRow, SourceRow

NOW = 10**18
OLD = NOW - 10 * CLOCK_STEP_NS


def file(path: str, text: str, mtime: int = OLD, inode: int = 1, source: str = "s") -> SourceFile:
    return SourceFile(path, f"{path}={text}", len(text), mtime, inode, source)


def row(path: str, text: str, error: str = "", **more: object) -> FileRow:
    keys = {"parse_key": "" if error else "parse", "failed_key": "holds" if error else ""}
    fields: dict[str, object] = {
        "checked_ns": NOW - CLOCK_STEP_NS, "sha256": text, "error": error, **keys, **more,
    }  # fmt: skip
    return FileRow(path, "s", len(text), OLD, 1, **fields)  # type: ignore[arg-type]


class Hashes:
    """Reads "path=text" as text; counts what was hashed."""

    def __init__(self, closed: Mapping[str, str] | None = None) -> None:
        self.taken: list[str] = []
        self.closed = closed or {}

    def __call__(self, entry: SourceFile) -> str:
        self.taken.append(entry.path)
        if entry.path in self.closed:
            raise OSError(13, self.closed[entry.path])
        return entry.absolute.partition("=")[2]


def planned(
    found: list[SourceFile | Skipped],
    rows: list[FileRow],
    hashes: Hashes | None = None,
    **flags: bool,
) -> Plan:
    judge = Judge(
        hashes or Hashes(),
        lambda r: r.parse_key == "parse",
        lambda r: r.failed_key == "holds",
        **flags,
    )
    return make_plan(found, {r.path: r for r in rows}, lambda _: True, judge, NOW)


def told(plan: Plan) -> dict[str, str]:
    """Path → kind, and where it came from."""
    kinds = {
        s.entry.path: f"{s.kind} {s.donor.path if s.donor else ''}".strip() for s in plan.steps
    }
    return kinds | {r.path: "deleted" for r in plan.deleted} | {
        r.path: "forgotten" for r in plan.forgotten
    }  # fmt: skip


def test_unchanged_files_are_not_hashed() -> None:
    hashes = Hashes()
    plan = planned([file("a", "x")], [row("a", "x")], hashes)
    assert (plan.work, plan.unchanged, hashes.taken) == (False, 1, [])


def test_a_file_as_fresh_as_its_last_look_is_hashed_again() -> None:
    fresh = row("a", "x", checked_ns=OLD + CLOCK_STEP_NS - 1)
    hashes = Hashes()
    assert told(planned([file("a", "y")], [fresh], hashes)) == {"a": "edited"}
    assert hashes.taken == ["a"]
    same = planned([file("a", "x")], [fresh])
    assert (same.work, same.unchanged) == (False, 1)
    assert [r.checked_ns for r in same.confirmed] == [NOW]


def test_verify_hashes_all() -> None:
    assert told(planned([file("a", "y")], [row("a", "x")], verify=True)) == {"a": "edited"}
    assert told(planned([file("a", "y")], [row("a", "x")])) == {}


def test_edit_and_touch_are_told_apart() -> None:
    hashes = Hashes()
    found: list[SourceFile | Skipped] = [
        file("edited", "y", mtime=OLD + 1), file("longer", "xx"), file("node", "x", inode=2),
        file("touched", "x", mtime=OLD + 1),
    ]  # fmt: skip
    plan = planned(found, [row(entry.path, "x") for entry in found], hashes)
    assert told(plan) == {
        "edited": "edited", "longer": "edited", "node": "touched", "touched": "touched",
    }  # fmt: skip
    assert "longer" not in hashes.taken  # its size says enough


def test_rename_move_and_copy() -> None:
    known = [row("d/a", "1"), row("d/b", "22"), row("d/c", "333"), row("d/gone", "4444")]
    found = [
        file("d/c", "333"), file("d/a2", "1"), file("e/b", "22"), file("d/c2", "333"),
        file("new", "55555"), file("new2", "9"),
    ]  # fmt: skip
    hashes = Hashes()
    plan = planned(list(found), known, hashes)
    assert told(plan) == {
        "d/a2": "renamed d/a", "e/b": "moved d/b", "d/c2": "copied d/c", "new": "added",
        "new2": "added", "d/gone": "deleted",
    }  # fmt: skip
    assert "new" not in hashes.taken  # no document has its size
    assert sorted(plan.left) == ["d/a", "d/b", "d/gone"]


def test_of_several_alike_the_nearest_is_taken() -> None:
    known = [row("d/a", "x"), row("e/b", "x"), row("f/c", "x")]
    found = [file("d/z", "x"), file("g/b", "x"), file("h/q", "x"), file("h/r", "x")]
    assert told(planned(list(found), known)) == {
        "d/z": "renamed d/a", "g/b": "moved e/b", "h/q": "moved f/c", "h/r": "copied d/a",
    }  # fmt: skip


def test_two_files_that_change_places() -> None:
    found = [file("a", "y", mtime=OLD + 1), file("b", "x", mtime=OLD + 1)]
    assert told(planned(list(found), [row("a", "x"), row("b", "y")])) == {
        "a": "edited",
        "b": "edited",
    }


def test_a_broken_file_is_not_tried_again_unless_something_changed() -> None:
    broken = row("a", "x", "no text")
    plan = planned([file("a", "x")], [broken])
    assert (plan.work, plan.failed_before, plan.unchanged) == (False, 1, 0)
    assert told(planned([file("a", "x")], [broken], retry=True)) == {"a": "added"}
    other_parser = row("a", "x", "no text", failed_key="older")
    assert told(planned([file("a", "x")], [other_parser])) == {"a": "added"}
    assert told(planned([file("a", "yy")], [broken])) == {"a": "added"}
    touched = planned([file("a", "x", mtime=OLD + 1)], [broken])
    assert (told(touched), touched.failed_before) == ({"a": "settled"}, 1)
    assert told(planned([], [broken])) == {"a": "forgotten"}


def test_what_the_system_refuses_is_told_once_and_keeps_its_document() -> None:
    closed = Hashes({"a": "Permission denied"})
    entry = file("a", "x", mtime=OLD + 1)
    (step,) = planned([entry], [row("a", "x")], closed).steps
    assert (step.kind, step.reason, step.unread) == ("failed", "Permission denied", True)
    kept = row("a", "x", "Permission denied", parse_key="parse", failed_key="")
    again = planned([entry], [kept], closed)
    assert (again.work, again.failed_before) == (False, 1)
    assert told(planned([entry], [kept], closed, retry=True)) == {"a": "failed"}
    opened = planned([entry], [kept])
    assert (told(opened), opened.unchanged) == ({"a": "settled"}, 1)
    assert told(planned([file("a", "yy")], [kept])) == {"a": "edited"}


def test_what_became_no_file_loses_its_document() -> None:
    special = Skipped("a", "not a regular file")
    (step,) = planned([special], [row("a", "x")]).steps
    assert (step.kind, step.unread) == ("failed", False)
    known = FileRow("a", "s", 0, 0, 0, error="not a regular file")
    assert planned([special], [known]).failed_before == 1


def test_nothing_in_a_closed_folder_is_gone() -> None:
    closed = Skipped("d", "Permission denied", closed_folder=True, source="s")
    plan = planned([closed], [row("d/a", "x"), row("d/e/b", "x"), row("dd", "x")])
    assert told(plan) == {"d": "failed", "dd": "deleted"}


def test_other_rules_parse_again_and_another_source_settles() -> None:
    stale = row("a", "x", parse_key="older")
    assert told(planned([file("a", "x")], [stale])) == {"a": "again"}
    moved_source = planned([file("a", "x", source="t")], [row("a", "x")])
    assert (told(moved_source), moved_source.unchanged) == ({"a": "settled"}, 1)


@pytest.mark.parametrize(
    ("limit", "gone", "total", "exceeded"),
    [
        ("20%", 21, 100, True), ("20%", 20, 100, False), ("20%", 10, 10, False),
        ("20%", 11, 11, True), ("100%", 100, 100, False), ("0%", 11, 1000, True),
        (0, 1, 1000, True), ("15", 15, 20, False), (15, 16, 10_000, True),
    ],
)  # fmt: skip
def test_limits(limit: int | str, gone: int, total: int, exceeded: bool) -> None:
    assert Limit.of(limit).exceeded(gone, total) is exceeded


@pytest.mark.parametrize("limit", ["", "x", "-1", -1, "101%", "5%%", "%", "1.5", "²"])
def test_limits_that_are_none(limit: int | str) -> None:
    with pytest.raises(UsageError, match="max_delete"):
        Limit.of(limit)


def test_the_guard_looks_at_each_source() -> None:
    known = [row(f"s/{i}", str(i)) for i in range(3)]
    survey = Survey([SourceRow("s")])
    emptied = planned([], known)
    (said,) = objections(emptied, survey, known, Limit.of("100%"))
    assert said.startswith("s is missing or empty, and 3 of its documents")
    replaced = planned([file("s/new", "text")], known)
    survey.found = [file("s/new", "text")]
    assert objections(replaced, survey, known, Limit.of("20%")) == []
    assert objections(emptied, Survey([]), known, Limit.of("20%")) == []  # removed on purpose
