"""What is made of tesseract's words and answers, without it."""

import re
import stat
from pathlib import Path

import pytest

from ingest.parse.ocr.tesseract import TesseractOcr, _cut, _lines
from kb.errors import Unavailable
from kb.settings import ParseSettings

TABLE = """level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
4\t1\t1\t1\t1\t0\t0\t0\t100\t20\t-1\t
5\t1\t1\t1\t1\t1\t10\t5\t30\t10\t90\tla
5\t1\t1\t1\t1\t2\t44\t5\t40\t10\t80\tjunta
5\t1\t1\t1\t2\t1\t10\t25\t30\t10\t70\tanota
5\t1\t1\t2\t1\t1\t10\t60\t30\t10\t12\t~~
5\t1\t2\t1\t1\t1\t10\t90\t30\t10\t90\tBK12
5\t1\t2\t1\t1\t2\t60\t90\t30\t10\t90\t45
"""


def test_words_become_lines_of_paragraphs() -> None:
    lines = [(line.block, line.text) for b, words in _lines(TABLE) for line in _cut(words, b)]
    # "~~" is too unsure; 20 px between BK12 and 45 are more than 1.5 times the height of 10
    assert lines == [(1, "la junta"), (1, "anota"), (3, "BK12"), (3, "45")]


def test_a_line_is_as_sure_as_its_letters() -> None:
    block, words = next(_lines(TABLE))
    (line,) = _cut(words, block)
    assert line.box == (10, 5, 84, 15)
    assert line.confidence == pytest.approx((2 * 0.9 + 5 * 0.8) / 7)


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, languages: str) -> None:
    program = folder / "tesseract"
    program.write_text(f"#!/bin/sh\nprintf 'List of available languages\\n{languages}'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("there", "identity", "note"),
    [
        (r"eng\nosd\nspa\n", "tesseract spa+eng", None),
        (r"eng\nosd\n", "tesseract eng", "reads as eng: .*for spa: .*install tesseract-ocr-spa"),
        (r"fra\nosd\n", "tesseract fra", "no data for spa, eng"),
    ],
)
def test_languages_that_are_missing_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str, identity: str, note: str | None
) -> None:
    fake(tmp_path, monkeypatch, there)
    engine = TesseractOcr(ParseSettings())
    assert engine.identity == identity
    if note is None:
        assert engine.notes == ()
    else:
        assert re.search(note, engine.notes[0])


def test_no_language_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, r"osd\n")
    with pytest.raises(Unavailable, match="apt-get install tesseract-ocr-chi-sim"):
        TesseractOcr(ParseSettings(ocr_languages="chi_sim"))


def test_a_tesseract_that_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "")
    (tmp_path / "tesseract").write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(Unavailable, match="does not work"):
        TesseractOcr(ParseSettings())
