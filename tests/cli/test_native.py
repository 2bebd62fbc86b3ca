"""``parse.multimodal = "native"``: a vision model of the tests' own describes pages with pictures."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw

from kb.location import at
from tests.llm_making import PRICE
from tests.llm_server import WIRES, Server, images_of, openai, says, serving, text_of
from tests.running import Ran, hits, make_kb, run, snapshot, write
from tests.scans import encoded, prose

OFF = ("--set", "parse.ocr=off")
FELINE = "A striped tomcat sleeps on a windmill sail."


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(says(200, openai(FELINE))) as made:
        yield made


def native(server: Server, kind: str = "openai", *more: str) -> tuple[str, ...]:
    values = (
        "parse.multimodal=native",
        f"llm.url={server.url}",
        "llm.model=seer-1",
        f"llm.kind={kind}",
        *more,
    )
    return tuple(word for value in values for word in ("--set", value)) + OFF


def photo(shade: int = 90) -> bytes:
    image = Image.new("RGB", (300, 200), (shade, 120, 40))
    ImageDraw.Draw(image).ellipse((60, 30, 240, 170), fill=(250, 240, 30))
    return encoded(image, "PNG")


def paper(*pages: str, shade: int = 90) -> bytes:
    """A PDF: ``t`` is a page of text, ``p`` one of text with a photograph, ``f`` a photograph alone."""
    document = pymupdf.open()
    for number, kind in enumerate(pages):
        page = document.new_page()
        if kind in "tp":
            prose(page)
        if kind in "pf":
            page.insert_image((100, 300, 500, 700), stream=photo(shade + number))
    return bytes(document.tobytes())


def sync(home: Path, *args: object) -> Ran:
    return run("sync", "--kb", home, *args)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_kb(tmp_path, {"a.pdf": paper("t", "p", "f")}, *OFF)


@pytest.mark.parametrize("kind", list(WIRES))
def test_pages_with_pictures_are_described_and_found(home: Path, kind: str) -> None:
    with serving(says(200, WIRES[kind](FELINE))) as server:
        done = sync(home, *native(server, kind))
        assert done.code == 0, done.err
        assert "2 pages described by a model" in done.err
        assert len(server.bodies) == 2  # not the page of text
        sent = [Image.open(io.BytesIO(raw)) for body in server.bodies for raw in images_of(body)]
        assert [max(image.size) for image in sent] == [1568, 1568]
        asked = "\n".join(map(text_of, server.bodies))
        assert "page 2 of this document" in asked
        assert "Nadie puede abrir una compuerta" in asked  # what is known need not be said again
    (hit, *_) = hits(home, "Which animal sleeps on the windmill?")
    assert FELINE in hit["text"]
    assert "[Descrito por seer-1]" in hit["text"]
    assert hit["described_by"] == {"model": "seer-1", "whole": False}
    assert "described by seer-1]" in run("query", "--kb", home, "tomcat windmill").out
    shown = run("show", home / "docs" / "a.pdf", "--kb", home, "--elements").out
    assert "[description] page 3" in shown
    assert "Nadie puede abrir una compuerta" in shown
    filtered = run("query", "--kb", home, "tomcat", "--where", "described_by = 'seer-1'")
    assert filtered.code == 0, filtered.err


def test_the_same_is_asked_once(home: Path, server: Server) -> None:
    assert sync(home, *native(server)).code == 0
    before = snapshot(home)
    again = sync(home, *native(server))
    assert (again.code, len(server.bodies)) == (0, 2)
    assert snapshot(home) == before
    shutil.copy(home / "docs" / "a.pdf", home / "docs" / "b.pdf")
    (home / "docs" / "a.pdf").write_bytes(paper("t", "p", "f", "f"))
    done = sync(home, *native(server))
    assert done.code == 0, done.err
    assert len(server.bodies) == 3  # of the edited file the new page only
    assert sync(home, *OFF).code == 0
    assert "seer-1" not in run("show", home / "docs" / "a.pdf", "--kb", home).out
    assert sync(home, *native(server)).code == 0
    assert len(server.bodies) == 3
    sync(home, *native(server, "openai", "llm.model=seer-2"))
    assert len(server.bodies) > 3


def test_an_image_without_text_is_a_document(tmp_path: Path, server: Server) -> None:
    home = make_kb(tmp_path, {"a.md": "# Nothing\n\nelse"})
    write(
        home / "docs",
        {"cat.png": photo(), "white.png": encoded(Image.new("L", (90, 90), 255), "PNG")},
    )
    done = sync(home, *native(server))
    assert done.code == 3
    assert "white.png: no text, and no picture of which a model had anything to say" in done.err
    assert "failed: docs/cat.png" not in done.err
    assert len(server.bodies) == 1
    assert Path(hits(home, "tomcat")[0]["path"]).name == "cat.png"
    assert sync(home, *native(server)).code == 0
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("sets", "code"),
    [((), 6), (("--set", "llm.url=http://127.0.0.1:9"), 2)],
)
@pytest.mark.parametrize("command", [("sync",), ("sync", "--dry-run"), ("ingest",)])
def test_without_a_model(
    home: Path, command: tuple[str, ...], sets: tuple[str, ...], code: int
) -> None:
    before = snapshot(home / "docs")
    done = run(*command, "--kb", home, "--set", "parse.multimodal=native", *sets)
    assert done.code == code
    assert "llm.model" in done.err
    assert snapshot(home / "docs") == before
    assert hits(home, "compuerta")


def test_a_cap_stops_it_and_the_next_run_goes_on(tmp_path: Path, server: Server) -> None:
    home = make_kb(tmp_path, {"x.md": "# x\n\ny"})
    for number in range(4):
        write(home / "docs", {f"{number}.pdf": paper("p", shade=20 * number)})
    capped = native(server, "openai", "llm.max_calls=2", "llm.concurrency=1")
    done = sync(home, *capped)
    assert done.code == 4
    assert "the cap is 2" in done.err
    assert "2 pages still to be described" in done.err
    assert len(hits(home, "compuerta permiso", "--no-collapse")) >= 4  # the text of all is there
    done = sync(home, *capped)
    assert (done.code, len(server.bodies)) == (0, 4)
    assert "2 pages described by a model" in done.err
    assert sync(home, *capped).code == 0
    assert len(server.bodies) == 4


def test_a_refusal_is_listed_and_the_text_kept(home: Path, server: Server) -> None:
    server.usual = says(200, openai("I'm sorry, I can't help with that."))
    done = sync(home, *native(server))
    assert done.code == 3
    assert "pages 2-3 not described: it is an excuse" in done.err
    assert len(server.bodies) == 4  # each page twice
    assert hits(home, "compuerta")
    assert "excuse" in run("failures", "--kb", home).out
    server.usual = says(200, openai(FELINE))
    assert sync(home, *native(server)).code == 0
    assert len(server.bodies) == 4  # it would only be refused, and paid, again
    assert sync(home, "--retry", *native(server)).code == 0  # nothing bad was kept
    assert FELINE in hits(home, "tomcat windmill")[0]["text"]
    assert run("failures", "--kb", home).out == ""


def test_a_model_that_does_not_see(home: Path, server: Server) -> None:
    server.usual = says(400, {"error": {"message": "image_url is not supported"}})
    done = sync(home, *native(server))
    assert done.code == 3
    assert "image_url is not supported" in done.err
    assert "sync --retry" in done.err
    asked = len(server.bodies)
    assert sync(home, *native(server)).code == 0
    assert len(server.bodies) == asked
    server.usual = says(200, openai(FELINE))
    assert sync(home, "--retry", *native(server)).code == 0
    assert len(server.bodies) == asked + 2


def test_a_key_that_is_refused_ends_the_run_and_keeps_the_text(home: Path, server: Server) -> None:
    write(home / "docs", {"b.pdf": paper("p", shade=10)})
    server.usual = says(401, {"error": {"message": "no such key"}})
    done = sync(home, *native(server, "openai", "llm.concurrency=1"))
    assert done.code == 6
    assert "no such key" in done.err
    assert len({hit["path"] for hit in hits(home, "compuerta", "--no-collapse")}) == 2
    server.usual = says(200, openai(FELINE))
    assert sync(home, *native(server)).code == 0
    assert "tomcat" in hits(home, "tomcat windmill")[0]["text"]


def test_a_plan_tells_the_price_and_asks_nothing(home: Path, server: Server) -> None:
    at(home).prices.write_text(PRICE.replace('"m"', '"seer-1"'))
    before = snapshot(home)
    found = sync(home, "--dry-run", "--format", "json", *native(server)).json
    assert (found["llm_calls"], found["exact"]) == (2, False)
    # a page of 1109 x 1568 pixels by 750 is 2,319 tokens; its answer has 500 at most
    assert 2 * (2319 + 500) < found["llm_tokens"] < 2 * (2319 + 500 + 600)
    assert found["llm_usd"] > 0
    assert "2 calls to an LLM" in sync(home, "--dry-run", *native(server)).out
    assert snapshot(home) == before
    assert server.bodies == []
    assert sync(home, *native(server)).code == 0
    found = sync(home, "--dry-run", "--format", "json", "--retry", *native(server)).json
    assert (found["llm_calls"], found["exact"]) == (0, True)


def test_the_largest_pictures_of_a_long_document(tmp_path: Path, server: Server) -> None:
    document = pymupdf.open("pdf", paper("p", "p"))
    page = document.new_page()
    page.insert_image(page.rect, stream=photo(3))
    home = make_kb(tmp_path, {"a.pdf": document.tobytes()}, *OFF)
    done = sync(home, *native(server, "openai", "parse.describe_pages=1"))
    assert done.code == 0
    assert "2 more pages with pictures not described" in done.err
    (body,) = server.bodies
    assert "page 3 of this document" in text_of(body)


def test_nothing_to_say(home: Path, server: Server) -> None:
    server.usual = says(200, openai("NOTHING"))
    done = sync(home, *native(server))
    assert done.code == 0
    assert "description" not in run("show", home / "docs" / "a.pdf", "--kb", home, "--elements").out
    assert sync(home, *native(server)).code == 0
    assert len(server.bodies) == 2


def test_three_ways_are_compared(tmp_path: Path, server: Server) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(paper("t", "f"))
    args: tuple[Any, ...] = ("ingest", "--compare", file, "--question", "Which animal sleeps?")
    sets = (*native(server)[2:], "--set", "embed.model=encoder-6")
    done = run(*args, *sets, "--format", "json", cwd=tmp_path)
    assert done.code == 0, done.err
    extract, tools, seen = done.json["ways"]
    assert [way["way"] for way in (extract, tools, seen)] == ["extract", "tools", "native"]
    assert (extract["llm_calls"], seen["llm_calls"], seen["best"]["page"]) == (0, 1, 2)
    assert FELINE in seen["best"]["text"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]
    told = run(*args, *OFF, "--set", "embed.model=encoder-6", cwd=tmp_path).out
    assert 'native: parse.multimodal = "native" has a vision model describe pictures' in told
    capped = run(*args, *sets, "--set", "llm.max_calls=0", cwd=tmp_path)
    assert "described as far as it went: the budget is reached" in capped.out


def test_a_picture_that_no_pipe_holds(tmp_path: Path, server: Server) -> None:
    noise = Image.effect_noise((1400, 1400), 90)
    document = pymupdf.open()
    prose(document.new_page())
    page = document.new_page(width=1400, height=1400)
    page.insert_image(page.rect, stream=encoded(noise, "PNG"))
    home = make_kb(tmp_path, {"a.pdf": document.tobytes(), "b.md": "# b\n\nplain"}, *OFF)
    done = sync(home, *native(server))
    assert done.code == 0, done.err
    (raw,) = images_of(server.bodies[0])
    assert len(raw) > 1 << 18  # more than goes inline
    assert hits(home, "compuerta")
    assert FELINE in hits(home, "tomcat windmill")[0]["text"]


def test_a_price_that_is_not_known_cannot_be_capped(home: Path, server: Server) -> None:
    done = sync(home, *native(server, "openai", "llm.max_usd=1"))
    assert done.code == 2
    assert "no price of seer-1" in done.err
    assert server.bodies == []
    assert hits(home, "compuerta")
