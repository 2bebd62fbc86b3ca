"""Runs ``tesela``, in this process where that is enough, and makes small knowledge bases."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TESELA = (sys.executable, "-c", "from cli.main import main; main()")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def jsonl(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@contextlib.contextmanager
def _surroundings(cwd: Path | None, env: Mapping[str, str] | None) -> Iterator[None]:
    before, here = dict(os.environ), Path.cwd()
    try:
        for name in [name for name in os.environ if name.startswith("TESELA_")]:
            del os.environ[name]
        os.environ.update(env or {})
        if cwd is not None:
            os.chdir(cwd)
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


def run(
    *args: object,
    stdin: str | bytes | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Ran:
    """One command line in this process."""
    from cli import main

    raw = stdin.encode() if isinstance(stdin, str) else stdin or b""
    out, err = io.StringIO(), io.StringIO()
    kept, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8")
    try:
        with (
            _surroundings(cwd, env),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = main.run([str(arg) for arg in args])
    finally:
        sys.stdin = kept
    return Ran(code, out.getvalue(), err.getvalue())


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what would steer ``tesela``, and with the tree importable."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TESELA_") and k != "NO_COLOR"}
    return {**kept, "PYTHONPATH": str(ROOT), **(extra or {})}


def spawn(
    *args: object,
    stdin: str | bytes | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    unprivileged: bool = False,
) -> Ran:
    """One command line in a process of its own, as the shell runs it.

    `unprivileged`: file modes hold even where the tests run as root.
    """
    before: tuple[str, ...] = ()
    if unprivileged and os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root reads and writes everything, and there is no setpriv to change that")
        before = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    raw = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*before, *TESELA, *map(str, args)],
        input=raw if raw is not None else b"",
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Files by name; returns the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def make_kb(home: Path, files: Mapping[str, str | bytes], *sync: object) -> Path:
    """A KB of the quick model over ``home/docs``, synced; returns `home`."""
    write(home / "docs", files)
    (home / "docs").mkdir(exist_ok=True)
    assert run("init", home, "--preset", "fast").code == 0
    done = run("sync", home / "docs", "--kb", home, *sync)
    assert done.code in (0, 3), done.err
    return home


def hits(home: Path, question: str, *args: object) -> list[Any]:
    """The hits of a query."""
    done = run("query", "--kb", home, "--format", "json", *args, "--", question)
    assert done.code == 0, done.err
    found: list[Any] = done.json["hits"]
    return found


def hit_names(home: Path, question: str, *args: object) -> list[str]:
    """File names of the hits, best first."""
    return [Path(hit["path"]).name for hit in hits(home, question, *args)]


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Time and bytes of every file."""
    return {
        p.relative_to(folder).as_posix(): (p.stat().st_mtime_ns, p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }
