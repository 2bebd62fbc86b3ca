"""How much faster a batch answers than `tesela query` in a loop, in one run on the sample corpus.

    python benchmarks/batch.py [--loop 10] [--jobs 2]

The batch answers the sample's questions and, as more questions, sentences of its documents; no text
comes twice. The loop asks some of the same, one process each. Both rates are from start to exit.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from index.reader import GenerationReader
from kb.location import at

ROOT = Path(__file__).parents[1]
TESELA = (sys.executable, "-c", "from cli.main import main; main()")


def tesela(*arguments: object) -> float:
    """Run a command line in a process of its own; returns its seconds."""
    started = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [*TESELA, *map(str, arguments)], env=environment, check=True, capture_output=True
    )
    return time.monotonic() - started


def questions(home: Path) -> list[str]:
    """The sample's questions, then the sentences of its chunks."""
    lines = (ROOT / "sample_corpus" / "eval" / "queries.jsonl").read_text(encoding="utf-8")
    asked = [json.loads(line)["text"] for line in lines.splitlines()]
    chunks = GenerationReader.open(at(home)).chunks
    sentences = [text.strip() for chunk in chunks for text in chunk.text.split(". ")]
    return list(dict.fromkeys([*asked, *(s for s in sentences if 30 < len(s) < 120)]))


def main() -> None:
    """Run both and print their rates and how many times faster the batch is."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--loop", type=int, default=10, help="how many processes")
    arguments.add_argument("--jobs", type=int, default=2)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(ROOT / "sample_corpus" / "docs", home / "docs")
        tesela("init", home)
        tesela("sync", home / "docs", "--kb", home)
        texts = questions(home)
        lines = [json.dumps({"id": i, "text": text}) for i, text in enumerate(texts)]
        (home / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
        ask = ("query", "--kb", home, "--format", "json", "--")
        half = options.loop // 2
        # Half of the loop before and half after, so that a machine that slows down slows both.
        alone = sum(tesela(*ask, text) for text in texts[:half])
        files = (home / "questions.jsonl", "-o", home / "results.jsonl")
        together = tesela("batch", "--kb", home, *files, "--jobs", options.jobs)
        alone += sum(tesela(*ask, text) for text in texts[half : options.loop])
    loop, batch = options.loop / alone, len(texts) / together
    print(f"loop  {options.loop:>5} questions  {alone:7.1f} s  {loop:8.2f} a second")
    print(f"batch {len(texts):>5} questions  {together:7.1f} s  {batch:8.2f} a second")
    print(f"batch answers {batch / loop:.0f} times as many")


if __name__ == "__main__":
    main()
