"""A recorded LLM, started for the time of a measurement; it answers what a strong model once wrote."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def recorded(data: Path, faults: str = "") -> Iterator[str]:
    """The address of a recorded LLM of our own.

    Args:
        data: DIR of a benchmark's ``--data``: the program is in DIR/../tools, its answers in DIR/recorded.
        faults: that it is to make, e.g. ``429:7,cut:5``.
    """
    program = data.parent / "tools" / "recorded_llm.py"
    line = [sys.executable, str(program), "--data", str(data / "recorded"), "--port", "0"]
    line += ["--faults", faults] if faults else []
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            first = server.stdout.readline()
            yield next(word.rstrip(",") for word in first.split() if word.startswith("http"))
        finally:
            server.terminate()
