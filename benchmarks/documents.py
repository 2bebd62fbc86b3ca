"""Whether every file of a folder is read as its manifest expects: found, skipped with a reason, or empty.

    python benchmarks/documents.py FOLDER [--limit SECONDS] [--only TEXT] [--json FILE]

FOLDER/manifest.tsv has the columns ``file``, ``phrase`` and ``expected`` (``found``, ``found after OCR``,
``skipped with a named reason``, ``converted or skipped …``, ``no chunk …``; several joined by "or" are all
right) and may have ``limit_s``, the seconds a file may take; FOLDER/files or FOLDER holds the files. Each
file is read into one new knowledge base by ``tesela ingest``, all are cut by ``tesela chunk``, and a phrase
counts as found where a chunk of the file holds it, blanks and composed accents apart. One line a file on
stdout; exit code 1 where something is wrong.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import re
import sys
import tempfile
import time
import traceback
import unicodedata
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from cli.main import run
from kb.location import at, unescape_path
from kb.store import FileRow, Store

OUTCOMES = ("found", "converted", "skipped", "empty")
ALLOWED = (
    (r"\bfound\b", ("found",)),
    (r"\bconverted\b|\bsniffed\b", ("found", "converted")),
    (r"\bskipped\b|\bnamed (?:error|reason)\b", ("skipped",)),
    (r"\bno chunk\b|\bempty\b", ("empty", "skipped")),
)


@dataclass(frozen=True)
class Expected:
    """One line of the manifest."""

    name: str
    phrase: str
    outcomes: frozenset[str]
    limit: float  # seconds


@dataclass(frozen=True)
class Outcome:
    """What became of one file; `wrong` says in words what is not as expected."""

    file: str
    outcome: str
    seconds: float
    parser: str
    characters: int
    chunks: int
    reason: str
    wrong: str


def main() -> int:
    """Read, compare, print; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds, where no limit_s says")
    parser.add_argument("--only", default="", help="only files whose name holds this")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    expected = [e for e in read_manifest(asked.folder, asked.limit) if asked.only in e.name]
    inner = asked.folder / "files"
    outcomes = judge_all(inner if inner.is_dir() else asked.folder, expected)
    print(totals(outcomes))
    if asked.json:
        records = [asdict(outcome) for outcome in outcomes]
        asked.json.write_text(json.dumps(records, ensure_ascii=False, indent=1), encoding="utf-8")
    return int(any(outcome.wrong for outcome in outcomes) or not outcomes)


def read_manifest(folder: Path, limit: float) -> list[Expected]:
    """The lines of the manifest.

    Raises:
        SystemExit: it is missing, or a line does not say what is expected.
    """
    path = folder / "manifest.tsv"
    if not path.is_file():
        sys.exit(f"{path} is missing: FOLDER must hold a manifest.tsv")
    lines: list[Expected] = []
    with path.open(encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE):
            words = row["expected"] or ""
            allowed = {o for pattern, many in ALLOWED if re.search(pattern, words) for o in many}
            if not allowed:
                sys.exit(f"{path}: {row['file']}: what does {words!r} expect?")
            lines.append(
                Expected(
                    row["file"],
                    row.get("phrase") or "",
                    frozenset(allowed),
                    float(row.get("limit_s") or limit),
                )
            )
    return lines


def judge_all(folder: Path, expected: list[Expected]) -> list[Outcome]:
    """Each file read, all cut, each compared."""
    with tempfile.TemporaryDirectory() as home:
        _tesela("init", home, "--preset", "fast")
        location = at(Path(home))
        ingested = [
            (line, *_ingest(folder / _on_disk(folder, line.name), home)) for line in expected
        ]
        crash = _tesela("chunk", "--kb", home)[1]
        if crash:
            sys.exit(f"tesela chunk failed:\n{crash}")
        outcomes: list[Outcome] = []
        with Store.looking(location) as store:
            rows = {row.path: row for row in store.files()}
            for line, seconds, crash in ingested:
                path = location.written(folder / _on_disk(folder, line.name))
                outcomes.append(_judge(store, rows.get(path), line, seconds, crash))
                print(line_of(outcomes[-1]), flush=True)
    return outcomes


def _on_disk(folder: Path, name: str) -> str:
    return name if os.path.lexists(folder / name) else unescape_path(name)


def _ingest(file: Path, home: str) -> tuple[float, str]:
    """Seconds, and what crashed or was refused, if anything."""
    began = time.perf_counter()
    code, said = _tesela("ingest", str(file), "--kb", home)
    return time.perf_counter() - began, "" if code in (0, 3) else said


def _tesela(*arguments: str) -> tuple[int, str]:
    """Exit code, and where it is not 0 what was said; a traceback is a crash of code -1."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            code = run(list(arguments))
    except Exception:
        return -1, traceback.format_exc(limit=-3)
    return code, said.getvalue() if code else ""


def _judge(
    store: Store, row: FileRow | None, line: Expected, seconds: float, crash: str
) -> Outcome:
    parser = row.parser if row else ""
    texts: list[str] = []
    warnings: list[str] = []
    length = 0
    if row and row.parse_key:
        texts = [chunk.text for chunk in store.chunks(row.chunk_key)]
        for document in store.documents(row.parse_key):
            length += len(document.text)
            warnings += [w for w in document.warnings if w not in warnings]
    reason = crash or (row.error if row else "") or "; ".join(warnings)
    if row and row.error:
        outcome = "skipped"
    elif not texts:
        outcome = "empty"
    else:
        held = line.phrase and any(_folded(line.phrase) in _folded(text) for text in texts)
        outcome = "found" if held else "converted"
    wrong = crash or _wrong(line, outcome, reason, seconds, row)
    if not wrong and outcome == "converted" and line.phrase:
        where = "cut apart" if _folded(line.phrase) in _folded(" ".join(texts)) else "missing"
        told = f"read, but its phrase is {where}"
        # A manifest that asks for no more than to be read is met, but not in silence.
        asked = "converted" in line.outcomes and where == "missing"
        reason, wrong = ("; ".join(filter(None, (reason, told))), "") if asked else (reason, told)
    return Outcome(line.name, outcome, round(seconds, 3), parser, length, len(texts), reason, wrong)


def _wrong(line: Expected, outcome: str, reason: str, seconds: float, row: FileRow | None) -> str:
    if row is None:
        return "not even listed"
    if outcome in ("skipped", "empty") and not reason:
        return f"{outcome} without a reason"
    if seconds > line.limit:
        return f"took {seconds:.1f} s, its limit is {line.limit:g} s"
    right = outcome in line.outcomes or (outcome == "converted" and line.phrase)
    return "" if right else f"{outcome}, expected {' or '.join(sorted(line.outcomes))}"


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def line_of(outcome: Outcome) -> str:
    """One file on one line."""
    word = "WRONG" if outcome.wrong else outcome.outcome
    told = "; ".join(dict.fromkeys(filter(None, (outcome.wrong, outcome.reason))))
    told = " ".join(told.split())
    size = f"{outcome.chunks} chunks by {outcome.parser}" if outcome.chunks else ""
    rest = ", ".join(filter(None, (size, told)))
    return f"{word:9} {outcome.seconds:7.2f} s  {outcome.file}: {rest}"


def totals(outcomes: list[Outcome]) -> str:
    """How many of each, and the slowest."""
    counts = Counter("wrong" if o.wrong else o.outcome for o in outcomes)
    shown = ", ".join(f"{counts[name]} {name}" for name in (*OUTCOMES, "wrong") if counts[name])
    slowest = max(outcomes, key=lambda o: o.seconds, default=None)
    slow = f"; slowest {slowest.file}, {slowest.seconds:.1f} s" if slowest else ""
    return f"{len(outcomes)} files: {shown}{slow}"


if __name__ == "__main__":
    sys.exit(main())
