"""One file of each office format, through the whole pipeline: its phrase is found in it."""

import shutil
from pathlib import Path

import pytest

from tests.office import docx, ole, para, xlsx
from tests.running import ROOT, hits, make_kb, run

FOUND = {
    "mantenimiento-canal.docx": ("tercera semana de octubre", ("Vaciado del canal",), None),
    "open-day.pptx": ("school pays nothing", ("Open day at the Sarmo turbine",), 1),
    "spare-parts.xlsx": ("08001", ("Stock",), 1),
    "inspeccion-puente.odt": ("fisura de 14 mm", ("Inspección del puente de la acequia",), None),
    "aforos.ods": ("Caudal medio", ("Aforos",), 1),
    "night-shift.odp": ("red filter", ("Training for the night shift",), 1),
    "historia-molino.epub": ("quedó el eje", ("La rueda de 1911",), None),
    "offer-88.rtf": ("Peñalarga sluice", ("Offer 88",), None),
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("formats")
    shutil.copytree(ROOT / "sample_corpus" / "formats" / "files", home / "docs")
    return make_kb(home, {"gone.doc": ole("WordDocument"), "locked.xlsx": ole("EncryptedPackage")})


@pytest.mark.parametrize("name", FOUND)
def test_the_phrase_of_each_format_is_found(kb: Path, name: str) -> None:
    phrase, heading, page = FOUND[name]
    best = hits(kb, f'"{phrase}"', "-k", "1")[0]
    assert best["path"] == f"docs/{name}"
    assert phrase in best["text"]
    assert (tuple(best["heading"]), best["page"], best["lines"]) == (heading, page, None)


def test_what_was_deleted_under_tracking_is_not_found(kb: Path) -> None:
    assert hits(kb, '"vacía en agosto"', "-k", "1") == []


def test_files_that_cannot_be_read_are_listed_with_the_way_out(kb: Path) -> None:
    told = run("failures", "--kb", kb).out
    assert "save it as docx" in told
    assert "locked by a password" in told


def test_types_are_filtered_by_suffix_and_by_parser(kb: Path) -> None:
    assert {h["path"] for h in hits(kb, "Noria", "--type", "xlsx", "-k", "9")} == {
        "docs/spare-parts.xlsx"
    }


def test_a_row_far_from_its_header_is_found_by_both(tmp_path: Path) -> None:
    lines = [f"| Estación {n} | {n * 37 % 101} |" for n in range(120)]
    table = "\n".join(["# Aforos", "", "| Estación | Caudal |", "|---|---|", *lines])
    home = make_kb(tmp_path, {"a.md": table})
    best = hits(home, "Caudal de la Estación 97", "-k", "1", "--mode", "sparse")[0]
    assert "| Estación 97 |" in best["text"]
    assert "Caudal" not in best["text"]  # the header came from the context


def test_the_suffix_lies_and_the_content_counts(tmp_path: Path) -> None:
    word, cells = docx(para("pregonero municipal")), "<sheetData/>"
    home = make_kb(tmp_path, {"a.txt": word, "b.docx": xlsx({"H": cells})})
    assert hits(home, "pregonero", "-k", "1")[0]["path"] == "docs/a.txt"
