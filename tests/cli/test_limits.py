"""Files that cannot be read within limits, seen from the command line, by the parsers that ship."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from ingest.workers.pool import Pool
from kb.location import at
from kb.store import Store
from tests.running import TESELA, Ran, environment, hit_names, run, write

NASTY = partial(Pool, entry="tests.nasty_worker")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path, {"docs/good.md": "# Bien\n\nLa bomba gira.", "docs/last.txt": "turbina"})
    assert run("init", tmp_path, "--preset", "fast").code == 0
    return tmp_path


@pytest.fixture
def nasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files may say what goes wrong with them, see `tests.nasty_worker`."""
    for module in ("ingest.read", "index.estimate"):
        monkeypatch.setattr(f"{module}.Pool", NASTY)


def sync(home: Path, *args: object) -> Ran:
    return run("sync", "--kb", home, *args)


@pytest.mark.usefixtures("nasty")
def test_a_file_that_hangs_is_given_up_told_once_and_tried_again_with_more_time(
    home: Path,
) -> None:
    write(home, {"docs/hang.md": "wait 4"})
    first = sync(home, home / "docs", "--file-timeout", "3s")
    assert first.code == 3
    assert (
        "  failed: docs/hang.md: took longer than parse.file_timeout = 3s: "
        "'tesela sync --file-timeout 15s' gives each file more\n"
    ) in first.err
    assert 'kept in tesela.toml: parse.file_timeout = "3s"\n' in first.err
    assert hit_names(home, "bomba") == ["good.md", "last.txt"]
    assert sync(home).err.startswith("2 unchanged, 1 failed before; ")
    assert "docs/hang.md: took longer" in run("failures", "--kb", home).out
    more = sync(home, "--file-timeout", "30s")
    assert (more.code, "1 added, 2 unchanged" in more.err) == (0, True)
    assert run("failures", "--kb", home).err == "no failures\n"


@pytest.mark.usefixtures("nasty")
def test_other_limits_parse_nothing_again(home: Path) -> None:
    assert sync(home, home / "docs").code == 0
    again = sync(home, "--file-timeout", "2m", "--file-memory", "3GB")
    assert again.err.splitlines()[-1].startswith("2 unchanged; ")


@pytest.mark.usefixtures("nasty")
def test_a_worker_killed_from_outside_is_no_verdict(home: Path) -> None:
    write(home, {"docs/k.md": "be-killed"})
    assert sync(home, home / "docs").code == 3
    again = sync(home)  # it is tried again, and told once
    assert (again.code, "1 failed before" in again.err) == (0, True)
    write(home, {"docs/k.md": "be-there"})
    assert sync(home).err.startswith("1 added, 2 unchanged; ")


@pytest.mark.usefixtures("nasty")
def test_a_document_outlives_a_crash_of_its_next_version(home: Path) -> None:
    """Its file's bytes were seen, so that what it said before is not served as what it says."""
    assert sync(home, home / "docs").code == 0
    write(home, {"docs/good.md": "crash"})
    assert sync(home).code == 3
    assert hit_names(home, "bomba") == ["last.txt"]


@pytest.mark.usefixtures("nasty")
def test_a_dry_run_is_not_hung_either(home: Path) -> None:
    write(home, {"docs/hang.md": "hang", "docs/crash.md": "crash"})
    done = sync(home, home / "docs", "--dry-run", "--format", "json", "--file-timeout", "3s")
    failed = {line["path"]: line["reason"] for line in done.json["files"]["failed"]}
    assert "took longer" in failed["docs/hang.md"]
    assert "crashed (SIGSEGV)" in failed["docs/crash.md"]
    assert done.json["chunks_to_embed"] == 2
    assert "file_timeout" not in (home / ".tesela" / "tesela.toml").read_text()


@pytest.mark.usefixtures("nasty")
def test_chunk_file_is_limited_too(home: Path) -> None:
    write(home, {"hang.md": "hang"})
    done = run("chunk", home / "hang.md", "--set", "parse.file_timeout=1s", "--kb", home)
    assert done.code == 3
    assert "hang.md: took longer than" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        ("--file-timeout", "soon", "'soon' is no duration"),
        ("--file-timeout", "0", "at least 0.1s"),
        ("--file-memory", "much", "'much' is no size: write 500MB, 2GB or 2GiB"),
        ("--file-memory", "10MB", "at least 64 MB"),
        ("--set", "parse.workers=-1", "workers"),
    ],
)
def test_limits_that_are_none(home: Path, flag: str, value: str, said: str) -> None:
    for command in ("sync", "ingest"):
        done = run(command, home / "docs", flag, value, "--kb", home)
        assert done.code == 2
        assert said in done.err
    assert not (home / ".tesela" / "store.sqlite").exists()


NESTED = 100_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("deep.html", "<div>" * NESTED + "fondo" + "</div>" * NESTED),
        ("deep.html", "<p>" + "<b><i>" * NESTED + "fondo"),
        ("table.html", "<table><tr><td>" * 20_000 + "fondo"),
        ("entities.html", "<p>fondo " + "&amp;" * 200_000),
        ("quotes.md", "> " * NESTED + "fondo\n"),
        ("lists.md", "".join(" " * 2 * n + "- x\n" for n in range(600)) + "\nfondo\n"),
        ("brackets.md", "[" * NESTED + "fondo" + "](" * NESTED + "\n"),
        ("front.md", "---\na: " + "[" * NESTED + "\n---\nfondo\n"),
        ("bomb.md", "---\na: &a [x,x]\n" + "".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)},*{chr(97 + n)}]\n"
            for n in range(24)) + "---\nfondo\n"),
        ("deep.json", "[" * NESTED),
        ("one-line.txt", "fondo " * 500_000),
        ("rows.csv", "a,b,c\n" * 500_000),
        ("deep.rst", "\n".join("  " * n + "fondo" for n in range(1500))),
        ("broken.pdf", b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 1 0 R>>"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)  # fmt: skip
def test_real_nasty_files_cost_themselves_at_most(
    home: Path, name: str, content: str | bytes
) -> None:
    """They are read, or fail with a reason, in time; the others are there."""
    write(home, {f"docs/{name}": content})
    done = run(
        "ingest", home / "docs", "--kb", home, "--file-timeout", "5s", "--file-memory", "400MB"
    )
    assert done.code in (0, 3), done.err
    assert "Traceback" not in done.err
    assert "the parser failed" not in done.err
    with Store(at(home)) as store:
        rows = {row.path: row for row in store.files()}
    assert rows["docs/good.md"].parse_key
    assert rows["docs/last.txt"].parse_key
    assert bool(rows[f"docs/{name}"].parse_key) != bool(rows[f"docs/{name}"].error)


def test_interrupt_leaves_no_worker_and_the_next_run_finishes(home: Path) -> None:
    slow = "<p>" + "<b><i>" * 15_000
    write(home, {f"docs/n{n}.html": f"{slow}{n}" for n in range(12)})
    line = [*TESELA, "ingest", str(home / "docs"), "--kb", str(home)]
    with subprocess.Popen(
        line, env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as writer:
        workers: set[int] = set()
        while not workers and writer.poll() is None:
            workers = _children(writer.pid)
            time.sleep(0.02)
        time.sleep(0.3)
        workers |= _children(writer.pid)
        os.killpg(writer.pid, signal.SIGINT)
        assert writer.wait(20) == 130
        assert writer.stderr is not None
        assert writer.stderr.read().endswith("tesela: interrupted\n")
    assert workers
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
    done = run("ingest", home / "docs", "--kb", home)
    assert (done.code, done.err) == (0, "14 added\n")


def _children(parent: int) -> set[int]:
    if sys.platform != "linux":
        pytest.skip("only Linux tells by /proc")
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(fields[1]) == parent and b"ingest.workers.child" in words:
                found.add(int(entry.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="the bound is Linux's")
def test_the_least_memory_is_never_a_crash(home: Path) -> None:
    write(home, {"docs/a.csv": "a,b\n1,the turbine turns\n", "docs/a.html": "<p>the pump"})
    done = sync(home, home / "docs", "--file-memory", "64MB")
    assert "crashed" not in done.err
    assert done.code == 0 or "'tesela sync --file-memory 256MB' gives each file more" in done.err
