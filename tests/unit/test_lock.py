"""One writer; a dead one's lock is nobody's."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb.errors import Locked
from kb.lock import writer_lock

_HOLD = """
import sys, time
from pathlib import Path
from kb.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def _holder(lock: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(lock)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_told_who_holds_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with _holder(lock) as process:
        with pytest.raises(Locked, match=f"process {process.pid} .*since"), writer_lock(lock):
            pass
        process.kill()
        process.wait()


def test_a_killed_writer_leaves_no_lock(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with _holder(lock) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with writer_lock(lock):
        pass


def test_waiting_ends_when_the_holder_leaves(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with _holder(lock) as process:
        started = time.monotonic()
        with pytest.raises(Locked), writer_lock(lock, wait_seconds=0.3):
            pass
        assert time.monotonic() - started >= 0.3
        process.kill()
        with writer_lock(lock, wait_seconds=10):
            pass
