"""``tesela inspect`` and ``tesela ingest --compare``: pages looked at, ways compared."""

import io
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from tests.running import run, spawn
from tests.scans import NEEDS_TESSERACT, encoded, picture, prose, scanned

PHRASE = "en un libro que guarda el secretario"


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    document = pymupdf.open("pdf", scanned([prose, picture(prose)]))
    document[0].insert_text((60, 500), "al pie de la hoja", fontsize=12)
    path = tmp_path / "acta.pdf"
    path.write_bytes(document.tobytes())
    return path


def size_of(png: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
        return image.size


def test_a_page_and_a_region_of_it(pdf: Path) -> None:
    whole = run("inspect", pdf, "--format", "json")
    assert whole.code == 0, whole.err
    assert (whole.json["page"], whole.json["pages"]) == (1, 2)
    assert any(PHRASE in element["text"] for element in whole.json["elements"])
    x0, y0, x1, y1 = whole.json["elements"][-1]["bbox"]
    part = run("inspect", pdf, "--region", f"{x0 - 5},{y0 - 5},{x1 - x0 + 10},{y1 - y0 + 10}")
    assert part.out.strip() == "al pie de la hoja"


@NEEDS_TESSERACT
def test_a_bare_page_is_read_when_it_is_looked_at(pdf: Path) -> None:
    read = run("inspect", pdf, "--page", "2", "--set", "parse.ocr_dpi=150")
    assert PHRASE in " ".join(read.out.split())
    assert "page 2 has a picture" in read.err
    line = run("inspect", pdf, "--page", "2", "--region", "50,84,500,24", "--format", "json")
    (element,) = line.json["elements"]
    assert PHRASE in element["text"]
    x0, y0, x1, y1 = element["bbox"]
    assert 50 < x0 < 70
    assert 84 < y0 < y1 < 110  # of the page, not of the region
    assert x1 > 300


def test_a_page_is_drawn(pdf: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.png"
    done = run("inspect", pdf, "--page", "2", "-o", out, "--dpi", "72")
    assert (done.code, done.out) == (0, "")
    assert size_of(out.read_bytes()) == (596, 843)  # 1240 x 1754 at 150 dots an inch
    run("inspect", pdf, "-o", out, "--dpi", "144", "--region", "10,20,100,50")
    assert size_of(out.read_bytes()) == (200, 100)
    piped = run("inspect", pdf, "-o", tmp_path / "no" / "page.png")
    assert piped.code == 2
    assert "No such file" in piped.err


def test_a_page_goes_through_a_pipe(pdf: Path) -> None:
    import subprocess

    from tests.running import TESELA, environment

    command = [*TESELA, "inspect", str(pdf), "-o", "-", "--dpi", "36"]
    done = subprocess.run(command, env=environment(), capture_output=True, check=True)
    assert size_of(done.stdout)[0] == 298  # 595 points at 36 dots an inch
    assert spawn("inspect", pdf, "--page", "9").code == 2


def test_an_image_is_a_page_of_its_pixels(tmp_path: Path) -> None:
    photo = tmp_path / "foto.png"
    photo.write_bytes(encoded(picture(prose, dpi=72), "PNG"))
    out = tmp_path / "part.png"
    run("inspect", photo, "-o", out, "--dpi", "144", "--region", "0,0,100,50")
    assert size_of(out.read_bytes()) == (200, 100)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--page", "3"), "there is no page 3: --page is 1 to 2"),
        (("--region", "1,2,3"), "write X,Y,W,H"),
        (("--region", "0,0,0,5"), "must be above 0"),
        (("--region", "9000,9000,5,5", "-o", "x.png"), "outside the page"),
        (("--page", "2", "--set", "parse.ocr=off"), "OCR is off"),
    ],
)
def test_mistakes_are_told(pdf: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run("inspect", pdf, *arguments, cwd=pdf.parent)
    assert done.code in (2, 6)
    assert said in done.err


def test_what_has_no_pages(tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("hola")
    assert "no pages to look at" in run("inspect", note).err
    assert "one way only" in run("ingest", "--compare", note).err
    assert run("inspect", tmp_path / "gone.pdf").code == 2


def test_ways_are_compared_on_one_file_and_question(pdf: Path) -> None:
    sets = ("--set", "parse.ocr=off", "--set", "embed.model=encoder-6")
    args = ("ingest", "--compare", pdf, "--question", "¿Quién guarda el libro de turnos?", *sets)
    found = run(*args, "--format", "json").json
    extract, tools, native = found["ways"]
    assert (extract["way"], tools["way"], native["way"]) == ("extract", "tools", "native")
    assert "none is set" in native["error"]
    assert extract["pages"] == tools["pages"] == 2
    assert extract["best"]["page"] == 1
    assert tools["characters"] < extract["characters"]
    assert any("inspect" in warning for warning in tools["warnings"])
    assert found["needs_pixels"] == ""
    told = run(*args).out
    assert f"then: tesela inspect {pdf} --page 1" in told
    assert "pixels: not needed" in told
    asked = run("ingest", "--compare", pdf, "--question", "¿Qué muestra la foto?", *sets)
    assert "page 2 is a picture with next to no text" in asked.out


def test_a_summary_can_be_what_is_indexed(pdf: Path, tmp_path: Path) -> None:
    run("init", tmp_path, "--preset", "fast")
    done = run("sync", pdf, "--kb", tmp_path, "--set", "parse.multimodal=tools")
    assert done.code == 0, done.err
    shown = run("show", pdf, "--kb", tmp_path).out
    assert "página 1: El caudal de la acequia" in shown
    assert "página 2: figura sin texto" in shown
    assert "compuerta" not in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ingest", "a", "--question", "x"), "goes with --compare"),
        (("ingest", "a", "--compare", "b"), "takes the place of PATH"),
    ],
)
def test_options_that_do_not_fit(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert said in done.err
