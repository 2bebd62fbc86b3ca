"""A worker that is a fork of the process that asks: real in all but its start, which costs nothing."""

import importlib
import os
import tempfile
from dataclasses import dataclass

from ingest.workers.worker import Place


@dataclass
class Forked:
    """What a worker asks of its ``subprocess.Popen``."""

    pid: int
    returncode: int | None = None

    def wait(self) -> int:
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode


def start(place: Place, handed: tuple[int, int, int]) -> Forked:
    """Stands in for `ingest.workers.worker._start`."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return Forked(pid)
    try:
        os.setsid()
        _close_all_but(handed)
        os.environ["TMPDIR"] = tempfile.tempdir = place.temporary
        arguments = [*map(str, handed), str(parent), place.temporary, *place.writable]
        importlib.import_module(place.entry).main(arguments)
    finally:
        os._exit(1)


def _close_all_but(handed: tuple[int, int, int]) -> None:
    """An end of a pipe that stays open here would never tell that the other side is gone."""
    after = 3
    for descriptor in sorted(handed):
        os.closerange(after, descriptor)
        after = descriptor + 1
    os.closerange(after, os.sysconf("SC_OPEN_MAX"))


def load() -> None:
    """Load here what each fork would have to."""
    from ingest.parsing import begin
    from kb.settings import ParseSettings

    importlib.import_module("ingest.workers.child")
    for parser in ("markdown", "text"):
        for _part in begin(b"# Titel\n\nEin Satz.", parser, ParseSettings())[1]:
            pass
