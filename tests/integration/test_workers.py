"""A file that hangs, crashes or eats memory costs itself only; and workers do no harm."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from ingest.workers.pool import Pool, Wanted
from ingest.workers.wire import Answer
from ingest.workers.worker import Place, Worker
from kb.errors import TeselaError
from kb.records import SourceFile
from kb.settings import ParseSettings
from tests.running import environment, write

NASTY = "tests.nasty_worker"
QUICK = ParseSettings(file_timeout="3s", file_memory="200MB", workers=2)
linux = pytest.mark.skipif(sys.platform != "linux", reason="it is the kernel of Linux that does it")


def wanted(folder: Path, texts: Iterable[str]) -> list[Wanted]:
    found = []
    for number, text in enumerate(texts):
        path = folder / f"{number:03}.md"
        path.write_text(text)
        found.append(Wanted(SourceFile(path.name, str(path), path.stat().st_size, 0, 0)))
    return found


def answers(
    folder: Path, texts: Iterable[str], settings: ParseSettings = QUICK
) -> list[tuple[Answer, list[bytes]]]:
    with Pool(settings, entry=NASTY) as pool:
        reads = pool.read(wanted(folder, texts))
        return [(read.answer, list(read.parts())) for read in reads]


REASONS = {
    "hang": "took longer than parse.file_timeout = 3s: 'tesela sync --file-timeout 15s'",
    "hang-in-c": "took longer than parse.file_timeout = 3s: 'tesela sync --file-timeout 15s'",
    "hang-with-a-child": "took longer than parse.file_timeout = 3s",
    "hang-late": "took longer than parse.file_timeout = 3s",
    "take-memory": "more memory than parse.file_memory = 200 MB: 'tesela sync --file-memory 800MB'",
    "take-memory-at-once": "more memory than parse.file_memory = 200 MB",
    "starve-a-library": "more memory than parse.file_memory = 200 MB",
    "recurse": "nested too deeply",
    "crash": "crashed (SIGSEGV); if it wanted memory, 'tesela sync --file-memory 800MB'",
    "abort": "crashed (SIGABRT)",
    "leave": "crashed (exit 0)",
    "leave-with-3": "crashed (exit 3)",
    "exit": "crashed (exit 1)",
    "fail": "the parser failed (KeyError: 'missing'; nasty_worker.py:",
}


@linux
def test_each_way_to_go_wrong_costs_one_file(tmp_path: Path) -> None:
    texts = [line for deed in REASONS for line in (deed, f"# Sound, after {deed}")]
    found = answers(tmp_path, texts)
    assert len(found) == len(texts)
    for text, (answer, parts) in zip(texts, found, strict=True):
        if text in REASONS:
            assert (answer.cause, parts) == ("failed", []), text
            assert REASONS[text] in answer.error, text
        else:
            assert (answer.cause, answer.error) == ("", "")
            assert text.encode() in parts[0]


@linux
def test_what_is_killed_from_outside_may_be_read_another_time(tmp_path: Path) -> None:
    (answer, _), (after, _) = answers(tmp_path, ["be-killed", "# sound"])
    assert answer.cause == "passing"
    assert "ended from outside (SIGKILL)" in answer.error
    assert "the next sync tries again" in answer.error
    assert after.cause == ""


def test_what_a_parser_started_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Pool(QUICK, entry=NASTY) as pool:
        (read,) = pool.read(wanted(tmp_path, ["hang-with-a-child"]))
        assert "took longer" in read.answer.error
        (note,) = tmp_path.glob("tesela-*/sleeper")
        sleeper = int(note.read_text())
        assert _ended(sleeper)
    assert not list(tmp_path.glob("tesela-*"))


def test_a_long_piece_of_work_that_shows_signs_of_life_has_the_time_for_each_step(
    tmp_path: Path,
) -> None:
    settings = ParseSettings(file_timeout="0.5s", workers=1)
    ((answer, parts),) = answers(tmp_path, ["step-by-step"], settings)
    assert (answer.error, b"done in steps" in parts[0]) == ("", True)


def test_the_least_memory_is_enough_for_small_files_and_one_worker_reads_them_all(
    tmp_path: Path,
) -> None:
    """What tells the language takes more than that; it is loaded once, on no file's account."""
    started: list[Worker] = []

    def start(place: Place) -> Worker:
        started.append(Worker(place))
        return started[-1]

    settings = ParseSettings(file_memory="64MB", workers=1)
    with Pool(settings, start=start) as pool:
        found = [read.answer.error for read in pool.read(wanted(tmp_path, ["# hola mundo"] * 9))]
    assert found == [""] * 9
    assert len(started) == 1


def test_answers_keep_the_order_whoever_is_first(tmp_path: Path) -> None:
    texts = [f"wait 0.3{n:02}" if n % 7 == 0 else f"# number {n}" for n in range(30)]
    for number, (_, parts) in enumerate(answers(tmp_path, texts)):
        expected = b"waited" if number % 7 == 0 else f"# number {number}".encode()
        assert expected in parts[0], number


def test_long_documents_go_by_a_file_one_at_a_time(tmp_path: Path) -> None:
    lengths = [3, 1, 5, 2, 4, 6, 7]
    texts = [f"long {number}" for number in lengths]
    with Pool(QUICK, tmp_path, entry=NASTY) as pool:
        for expected, read in zip(lengths, pool.read(wanted(tmp_path, texts)), strict=True):
            if expected == 2:
                continue  # what nobody takes stops nobody
            parts = list(read.parts())
            assert [len(part) > 1_000_000 for part in parts] == [True] * expected
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".md"] * len(lengths)


def test_few_small_files_start_one_worker(tmp_path: Path) -> None:
    started: list[Worker] = []

    def start(place: Place) -> Worker:
        started.append(Worker(place))
        return started[-1]

    with Pool(ParseSettings(workers=2), start=start) as pool:
        assert len(list(pool.read(wanted(tmp_path, ["# a", "# b", "# c"])))) == 3
        assert len(started) == 1
    with Pool(ParseSettings(workers=2), start=start) as pool:
        assert list(pool.read([])) == []
    assert len(started) == 1
    with Pool(ParseSettings(workers=2), entry=NASTY, start=start) as pool:
        assert len(list(pool.read(wanted(tmp_path, [f"wait 0.2{n}" for n in range(8)])))) == 8
    assert len(started) == 3


def test_the_same_bytes_are_parsed_once(tmp_path: Path) -> None:
    with Pool(ParseSettings(workers=1), entry=NASTY) as pool:
        reads = [r.answer for r in pool.read(wanted(tmp_path, ["# a", "# b", "# a"]))]
        assert [answer.spared for answer in reads] == [False, False, True]
        assert reads[0].sha256 == reads[2].sha256


def test_workers_that_do_not_start_stop_the_run(tmp_path: Path) -> None:
    with (
        Pool(ParseSettings(workers=1), entry="tests.no_such_module") as pool,
        pytest.raises(TeselaError, match="does not start"),
    ):
        list(pool.read(wanted(tmp_path, ["# a"])))


@linux
def test_a_worker_writes_in_its_own_folder_only(tmp_path: Path) -> None:
    target = tmp_path / "outside"
    ((_, parts),) = answers(tmp_path, [f"write {target}"])
    if b"written written" in parts[0]:
        pytest.skip("this kernel has no Landlock")
    assert b"PermissionError written" in parts[0]
    assert not target.exists()


@linux
def test_a_worker_connects_nowhere(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ((_, parts),) = answers(tmp_path, [f"connect {server.getsockname()[1]}"])
    if b"connected" in parts[0]:
        pytest.skip("this kernel's Landlock knows no network")
    assert b"PermissionError" in parts[0]


def test_what_parsers_print_is_not_seen(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ((answer, _),) = answers(tmp_path, ["talk"])
    assert answer.error == ""
    assert capfd.readouterr() == ("", "")


def test_what_workers_compiled_is_kept_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr("sys.pycache_prefix", str(tmp_path / "compiled"))
    monkeypatch.syspath_prepend(str(write(tmp_path / "lib", {"odd_entry.py": ODD_ENTRY})))
    with Pool(ParseSettings(workers=1), entry="odd_entry") as pool:
        assert len(list(pool.read(wanted(tmp_path, ["# a"])))) == 1
        assert not list((tmp_path / "compiled").rglob("*odd_entry*"))
    assert len(list((tmp_path / "compiled").rglob("odd_entry.*.pyc"))) == 1
    assert list((tmp_path / "compiled").rglob("markdown.*.pyc"))


ODD_ENTRY = "from ingest.workers.child import main as main"
PARENT = """
import sys
from pathlib import Path
from ingest.workers.pool import Pool, Wanted
from kb.records import SourceFile
from kb.settings import ParseSettings
path = Path(sys.argv[1])
with Pool(ParseSettings(workers=1), entry="tests.nasty_worker") as pool:
    reads = pool.read([Wanted(SourceFile("a.md", str(path), 4, 0, 0))])
    listen = pool._listen
    def told():
        listen()
        if pool._workers and pool._workers[0].ready:
            print(pool.processes()[0], flush=True)
            pool._listen = listen
    pool._listen = told
    next(reads)
"""


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_us(tmp_path: Path, by: signal.Signals) -> None:
    if by == signal.SIGKILL and sys.platform != "linux":
        pytest.skip("elsewhere a worker that hangs ends at its time limit")
    write(tmp_path, {"a.md": "hang"})
    line = [sys.executable, "-c", PARENT, str(tmp_path / "a.md")]
    with subprocess.Popen(
        line, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)
        parent.send_signal(by)
        assert parent.wait(10) != 0
    assert _ended(worker)


def _ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be noted as gone."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False
