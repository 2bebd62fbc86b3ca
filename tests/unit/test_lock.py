"""One writer; a dead one's lock is nobody's."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb.errors import Locked
from kb.lock import unsigned_lock, writer_lock

_HOLD = """
import sys, time
from pathlib import Path
from kb.lock import unsigned_lock, writer_lock
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


def test_looking_writes_no_byte_and_keeps_writers_out(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with writer_lock(lock):
        pass
    signed = lock.read_bytes(), lock.stat().st_mtime_ns
    with unsigned_lock(lock), pytest.raises(Locked), writer_lock(lock):
        pass
    assert (lock.read_bytes(), lock.stat().st_mtime_ns) == signed
    with unsigned_lock(lock) as sign:
        sign()
        assert str(os.getpid()) in lock.read_text()


def test_the_note_of_a_dead_process_is_not_the_holders(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with _holder(lock) as process:
        process.kill()
        process.wait()
    assert str(process.pid) in lock.read_text()
    with unsigned_lock(lock), pytest.raises(Locked, match="only just started"), writer_lock(lock):
        pass


def test_no_lock_file_is_made_to_look(tmp_path: Path) -> None:
    with unsigned_lock(tmp_path / "lock", create=False):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_may_only_be_read_holds_too(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text("")
    lock.chmod(0o444)
    with unsigned_lock(lock), pytest.raises(Locked), writer_lock(lock):
        pass
