"""``sync --dry-run`` over scans: OCR reads nothing for it, and nothing is written."""

from pathlib import Path

from tests.running import make_kb, run, snapshot, write
from tests.scans import NEEDS_TESSERACT, encoded, picture, prose, scanned

QUICK = ("--set", "parse.ocr_dpi=150")


@NEEDS_TESSERACT
def test_a_dry_run_does_no_ocr(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "# Turbine\n\nNotes."})
    files = {
        "mixed.pdf": scanned([prose, picture(prose)]),
        "scan.pdf": scanned([picture(prose)]),
        "photo.png": encoded(picture(prose), "PNG"),
    }
    write(home / "docs", files)
    before = snapshot(home)
    done = run("sync", "--kb", home, "--dry-run", "--format", "json", *QUICK)
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert (found["ocr_pages"], found["exact"]) == (3, False)
    assert found["chunks_to_embed"] == 1  # of the page that has text
    assert found["counts"]["failed"] == 0
    assert found["counts"]["added"] == 3
    told = run("sync", "--kb", home, "--dry-run", *QUICK).out
    assert "3 pages for OCR to read, whose text is not counted" in told
    assert snapshot(home) == before


@NEEDS_TESSERACT
def test_a_dry_run_knows_what_ocr_has_read_before(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"scan.pdf": scanned([picture(prose)])}, *QUICK)
    before = snapshot(home)
    changed = (*QUICK, "--set", "parse.json_text=body")  # all is to be parsed again
    found = run("sync", "--kb", home, "--dry-run", "--format", "json", *changed).json
    assert (found["ocr_pages"], found["exact"], found["counts"]["again"]) == (0, True, 1)
    assert found["chunks_to_embed"] == 0
    assert snapshot(home) == before
