"""How fast the files of a folder are read: in this process, and by one worker and more.

    python benchmarks/reading.py FOLDER

Prints a line each: files, seconds, files a second, and the most memory a worker had.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ingest.limits import Limits
from ingest.parsing import begin, parser_of
from ingest.workers.pool import Pool, Wanted
from kb.errors import ParseError
from kb.records import SourceFile
from kb.settings import ParseSettings


def in_process(paths: list[Path]) -> None:
    """As if there were no limits."""
    settings = ParseSettings()
    for path in paths:
        data = path.read_bytes()
        try:
            for part in begin(data, parser_of(data, path.name), settings)[1]:
                msgspec.json.encode(part)
        except ParseError:
            continue


def by_workers(paths: list[Path], workers: int) -> int:
    """Reads all and returns the most bytes a worker had (Linux), or 0."""
    wanted = (Wanted(SourceFile(p.name, str(p), p.stat().st_size, 0, 0)) for p in paths)
    with Pool(ParseSettings(workers=workers)) as pool:
        for read in pool.read(wanted):
            for _ in read.parts():
                pass
        return max(map(_peak, pool.processes()), default=0)


def _peak(process: int) -> int:
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def main() -> None:
    """Parse the arguments and print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    paths = sorted(p.absolute() for p in parser.parse_args().folder.rglob("*") if p.is_file())
    for name, workers in _ways():
        began = time.perf_counter()
        peak = by_workers(paths, workers) if workers else in_process(paths)
        seconds = time.perf_counter() - began
        memory = f", {peak / 1e6:.0f} MB a worker" if peak else ""
        print(
            f"{name}: {len(paths):,} files, {seconds:.2f} s, {len(paths) / seconds:,.0f}/s{memory}"
        )


def _ways() -> Iterator[tuple[str, int]]:
    cores = Limits.of(ParseSettings()).workers
    yield from {"in this process": 0, "one worker": 1, f"{cores} workers": cores}.items()


if __name__ == "__main__":
    main()
