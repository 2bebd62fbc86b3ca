"""What a worker gives for any file is what its parser gives in this process, and the same every time."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.parse.choose import parser_for
from ingest.parsing import begin
from ingest.workers.pool import Pool, Wanted
from kb.digest import sha256_bytes
from kb.errors import ParseError
from kb.records import SourceFile
from kb.settings import ParseSettings
from tests.running import ROOT

SETTINGS = ParseSettings(workers=2)
SAMPLES = [
    (path.suffix, path.read_bytes())
    for path in sorted((ROOT / "sample_corpus" / "docs").rglob("*"))
    if path.is_file()
]
SUFFIXES = st.sampled_from([".md", ".txt", ".rst", ".html", ".pdf", ".meta.toml", ".bin", ""])
BYTES = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from([data for _, data in SAMPLES]).flatmap(
        lambda data: st.integers(0, len(data)).map(lambda end: data[:end])
    ),
)
Outcome = tuple[str, str, str, list[bytes]]  # SHA-256, parser, error, parts


def in_process(path: Path) -> Outcome:
    data = path.read_bytes()
    sha256 = sha256_bytes([data])
    try:
        parser = parser_for(data, path.name, ParseSettings())
        parts = [msgspec.json.encode(part) for part in begin(data, parser, SETTINGS)[1]]
    except ParseError as error:
        return sha256, "", str(error), []
    return sha256, parser, "", parts


def in_workers(paths: list[Path]) -> Iterator[Outcome]:
    wanted = [Wanted(SourceFile(p.name, str(p), p.stat().st_size, 0, 0)) for p in paths]
    seen: dict[tuple[str, str], list[bytes]] = {}
    with Pool(SETTINGS) as pool:
        for read in pool.read(wanted):
            answer = read.answer
            identity = (answer.sha256, answer.parser)
            if not answer.spared:
                seen[identity] = list(read.parts())
            yield answer.sha256, answer.parser, answer.error, seen[identity]


def lay_out(folder: Path, files: list[tuple[str, bytes]]) -> list[Path]:
    paths = [folder / f"{number:02}{suffix}" for number, (suffix, _) in enumerate(files)]
    for path, (_, data) in zip(paths, files, strict=True):
        path.write_bytes(data)
    return paths


def test_the_sample_corpus(tmp_path: Path) -> None:
    paths = lay_out(tmp_path, [*SAMPLES, *SAMPLES[:5]])
    assert list(in_workers(paths)) == [in_process(path) for path in paths]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(SUFFIXES, BYTES), min_size=1, max_size=12))
def test_any_files(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[str, bytes]]
) -> None:
    paths = lay_out(tmp_path_factory.mktemp("files"), files)
    assert list(in_workers(paths)) == [in_process(path) for path in paths]
