"""What an incremental sync costs: time, embeddings, bytes written and peak memory of each kind of change.

    python benchmarks/sync.py [--files 10000 | --text MB] [--embedder cheap|bundled] [--dir DIR] [--json FILE]

A folder of Spanish and English texts of several sizes is made, the same on every machine, and synced by
the product's own command, each step in a process of its own: first sync, no-op, one edit, one rename,
100 deletes. ``cheap`` stands in for the model with hashed vectors, so that everything but the model is
measured; ``bundled`` is the model of the preset ``fast``. Bytes are those the kernel sent to storage for
the process (``/proc/self/io``); a tmpfs shows none. With ``--text`` there is one text file of so many
megabytes instead, for its first sync and no-op.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kb.models.bundled_files import TOKENIZER
from kb.models.embedder import Floats, Role
from kb.models.hf_tokenizer import HfTokenizer

SPANISH = re.findall(
    r"\w+",
    "la bomba el sensor válvula presión aceite motor revisión antes de abrir cubierta técnico registra "
    "temperatura cada turno según manual si alarma suena detenga línea pieza repuesto almacén pedido "
    "cliente entrega factura norma seguridad guantes tablero eléctrico corriente tensión mantenimiento",
)
ENGLISH = re.findall(
    r"\w+",
    "the pump a sensor valve pressure oil motor check before opening cover technician records "
    "temperature every shift according manual when alarm sounds stop line part spare store order "
    "customer delivery invoice standard safety gloves panel electric current voltage maintenance",
)
PARAGRAPHS = (1, 2, 3, 5, 8, 20)  # of a file, in turn


class Cheap:
    """A `TokenEmbedder` of hashed vectors behind the bundled tokenizer."""

    name = "cheap"
    fingerprint = "cheap/1"
    dimension = 384
    max_tokens = 500

    def __init__(self) -> None:
        self.tokenizer = HfTokenizer(TOKENIZER)
        table = np.random.default_rng(0).standard_normal((4096, self.dimension)).astype(np.float32)
        self._table = table / np.linalg.norm(table, axis=1, keepdims=True)

    @property
    def token_mean(self) -> Floats:
        """Zeros."""
        return np.zeros(self.dimension, np.float32)

    def preload(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """Each text's tokens, summed."""
        return self.embed_with_tokens(texts, role)[0]

    def embed_with_tokens(self, texts: Sequence[str], role: Role) -> tuple[Floats, list[Floats]]:
        """A row of the table a token."""
        tokens = [self._tokens(text) for text in texts]
        sums = np.stack([rows.sum(axis=0) for rows in tokens])
        return sums / np.linalg.norm(sums, axis=1, keepdims=True), tokens

    def _tokens(self, text: str) -> Floats:
        bounds = self.tokenizer.offsets(text).tolist()
        hashed = [zlib.crc32(text[a:b].encode("utf-8", "replace")) % 4096 for a, b in bounds]
        return self._table[hashed or [0]]


def paragraph(rng: random.Random, words: Sequence[str]) -> str:
    """Three to eight sentences."""
    sentences = (
        " ".join(rng.choices(words, k=rng.randint(6, 18))).capitalize()
        + f" {rng.randrange(10**4)}."
        for _ in range(rng.randint(3, 8))
    )
    return " ".join(sentences)


def write_file(folder: Path, number: int) -> None:
    """Markdown file `number`; every second one is Spanish."""
    rng = random.Random(number)
    words = SPANISH if number % 2 else ENGLISH
    body = [f"# {' '.join(rng.choices(words, k=4)).capitalize()} {number}"]
    for i in range(PARAGRAPHS[number % len(PARAGRAPHS)]):
        if i % 4 == 3:
            body.append(f"## {' '.join(rng.choices(words, k=3)).capitalize()}")
        body.append(paragraph(rng, words))
    path = file_path(folder, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(body) + "\n", encoding="utf-8")


def write_text(folder: Path, megabytes: int) -> None:
    """One long file of paragraphs in two languages."""
    rng = random.Random(megabytes)
    folder.mkdir(parents=True)
    left = megabytes * 1_000_000
    with (folder / "long.txt").open("w", encoding="utf-8") as out:
        while left > 0:
            text = paragraph(rng, rng.choice((SPANISH, ENGLISH)))
            left -= len(text.encode()) + 2
            out.write(f"{text}\n\n")


def file_path(folder: Path, number: int) -> Path:
    """A hundred files a folder."""
    return folder / f"{number // 100:04d}" / f"file-{number:06d}.md"


def edit(folder: Path) -> None:
    """One paragraph of one file is written anew."""
    path = file_path(folder, 5)
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    blocks[3] = paragraph(random.Random("edit"), SPANISH)
    path.write_text("\n\n".join(blocks), encoding="utf-8")


def rename(folder: Path) -> None:
    """One file gets another name."""
    path = file_path(folder, 11)
    path.rename(path.with_name("renamed.md"))


def delete(folder: Path) -> None:
    """A hundred files go, or a tenth of a small folder."""
    everything = sorted(folder.rglob("file-*.md"))
    for path in everything[20 : 20 + min(100, len(everything) // 10)]:
        path.unlink()


STEPS: dict[str, Callable[[Path], None]] = {
    "first sync": lambda _folder: None,
    "no-op": lambda _folder: None,
    "one edit": edit,
    "one rename": rename,
    "100 deletes": delete,
}


def run_step(home: Path, embedder: str) -> None:
    """In the child: one ``tesela sync``, then the bytes that it wrote on stdout."""
    from cli import main as command
    from kb.models import load

    if embedder == "cheap":
        load.load_embedder = lambda _settings: Cheap()  # type: ignore[assignment]
    code = command.run(["sync", str(home / "docs"), "--kb", str(home)])
    print(_written(), flush=True)
    os._exit(code)


def _written() -> int:
    """Bytes this process caused to be sent to storage; -1 where the kernel does not say."""
    try:
        counters = Path("/proc/self/io").read_text(encoding="ascii")
    except OSError:
        return -1
    return int(counters.partition("\nwrite_bytes: ")[2].split()[0])


def measure(home: Path, embedder: str) -> dict[str, float]:
    """One step in a child: wall seconds with the interpreter's start, peak memory with the model's."""
    arguments = [sys.executable, __file__, "--step", str(home), "--embedder", embedder]
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as talk:
        child = subprocess.Popen(arguments, stdout=out, stderr=talk)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        talk.seek(0)
        said = talk.read().decode()
        if child.returncode:
            raise SystemExit(said)
        embedded = re.search(r"([\d,]+) embedded", said)
        return {
            "seconds": round(seconds, 2),
            "embedded": int(embedded[1].replace(",", "")) if embedded else -1,
            "written_mb": round(int(out.read()) / 1e6, 1),
            "peak_mb": round(usage.ru_maxrss / 1024, 1),
        }


def main() -> None:
    """Make the folder, run all steps, print a table."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--files", type=int, default=10_000)
    arguments.add_argument("--text", type=int, metavar="MB", help="one text file instead")
    arguments.add_argument("--embedder", choices=("cheap", "bundled"), default="cheap")
    arguments.add_argument("--dir", type=Path, help="where the folder is made [default: a new one]")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--step", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.step:
        run_step(options.step, options.embedder)
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        home = Path(folder)
        steps = ["first sync", "no-op"] if options.text else list(STEPS)
        if options.text:
            write_text(home / "docs", options.text)
        for number in range(0 if options.text else options.files):
            write_file(home / "docs", number)
        (home / ".tesela").mkdir()
        (home / ".tesela" / "tesela.toml").write_text('preset = "fast"\n', encoding="utf-8")
        time.sleep(2.1)  # files younger than the clock's step are hashed again, by design
        what = f"a text of {options.text:,} MB" if options.text else f"{options.files:,} files"
        print(f"{what}, embedder {options.embedder}")
        print(f"{'':<12}{'seconds':>9}{'embedded':>10}{'MB written':>12}{'peak MB':>9}")
        for name in steps:
            STEPS[name](home / "docs")
            found = results[name] = measure(home, options.embedder)
            print(
                f"{name:<12}{found['seconds']:>9.2f}{found['embedded']:>10,.0f}"
                f"{found['written_mb']:>12.1f}{found['peak_mb']:>9.0f}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
