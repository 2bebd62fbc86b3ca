"""The scanned files of the sample corpus, each with the phrase that must be found in it."""

import csv
import functools
from pathlib import Path

import pytest

from ingest.parse.sniff import choose_parser
from ingest.parsing import parse_bytes
from kb.records import Document
from kb.settings import ParseSettings
from tests.running import ROOT, hit_names, run, spawn, write
from tests.scans import NEEDS_TESSERACT

SCANNED = ROOT / "sample_corpus" / "formats" / "scanned"
with (SCANNED / "manifest.tsv").open(encoding="utf-8", newline="") as _manifest:
    LINES = {line["file"]: line["phrase"] for line in csv.DictReader(_manifest, delimiter="\t")}


@functools.cache
def sample(name: str) -> Document:
    data = (SCANNED / "files" / name).read_bytes()
    return parse_bytes(data, choose_parser(name, data), ParseSettings(ocr="tesseract"))


def test_every_file_is_in_the_manifest() -> None:
    assert LINES.keys() == {path.name for path in (SCANNED / "files").iterdir()}


@NEEDS_TESSERACT
@pytest.mark.parametrize("name", LINES)
def test_its_phrase_is_found(name: str) -> None:
    document = sample(name)
    assert LINES[name] in " ".join(document.text.split())


@NEEDS_TESSERACT
def test_a_scanned_table_keeps_its_rows() -> None:
    document = sample("libro-de-turnos.pdf")
    assert "Viuda de Sanz | lunes" in document.text
    assert [e.kind for e in document.elements if e.page == 2] == ["paragraph", "table"]


def test_without_ocr_the_file_is_listed_and_the_rest_is_there(tmp_path: Path) -> None:
    files = {p.name: p.read_bytes() for p in (SCANNED / "files").iterdir()}
    write(tmp_path / "docs", {**files, "a.md": "una nota"})
    run("init", tmp_path, "--preset", "fast")
    done = run("sync", tmp_path / "docs", "--kb", tmp_path, "--set", "parse.ocr=off")
    assert done.code == 3
    assert 't40-plate.png: an image, OCR is off: parse.ocr = "off"' in done.err
    assert 'libro-de-turnos.pdf: pages 1-2: no text, OCR is off: parse.ocr = "off"' in done.err
    assert hit_names(tmp_path, "caja 14, recibos del molino")[0] == "libro-de-turnos.pdf"


@NEEDS_TESSERACT
def test_what_failed_is_read_once_ocr_is_there(tmp_path: Path) -> None:
    data = (SCANNED / "files" / "t40-plate.png").read_bytes()
    write(tmp_path / "docs", {"t40-plate.png": data})
    run("init", tmp_path, "--preset", "fast")
    env = {"PATH": str(tmp_path)}  # no tesseract there
    sets = ("--set", "parse.ocr=tesseract", "--kb", tmp_path)
    failed = spawn("sync", tmp_path / "docs", *sets, env=env)
    assert failed.code == 3
    assert "OCR not available" in failed.err or "tesseract is not installed" in failed.err
    assert spawn("sync", *sets, env=env).code == 0  # told once
    assert run("sync", *sets).code == 0
    assert hit_names(tmp_path, "serial number 40-0388") == ["t40-plate.png"]
    assert len(list((tmp_path / ".tesela" / "cache" / "ocr").glob("*/*.json"))) == 1
