import json

import pytest

from ingest.parse.notebook import MAX_OUTPUT, NotebookParser
from kb.records import Document
from kb.settings import ParseSettings


def parse(notebook: object) -> Document:
    return NotebookParser(ParseSettings()).parse(json.dumps(notebook).encode(), "n.ipynb")


def blocks(document: Document) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(e.kind, document.text[e.start : e.end], e.heading) for e in document.elements]


def code(source: object, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def test_cells_stay_in_order_below_their_headings() -> None:
    text = {"cell_type": "markdown", "source": ["# Caudal\n", "\n", "Una *medida*."]}
    printed = {"output_type": "stream", "text": ["q = 4\n", "fin\n"]}
    found = parse({"nbformat": 4, "cells": [text, code(["q = 2 * 2\n", "print(q)"], printed)]})
    assert blocks(found) == [
        ("heading", "# Caudal", ("Caudal",)),
        ("paragraph", "Una *medida*.", ("Caudal",)),
        ("code", "q = 2 * 2\nprint(q)", ("Caudal",)),
        ("code", "q = 4\nfin", ("Caudal",)),
    ]
    assert found.title == "Caudal"


def test_outputs_pictures_apart_and_long_ones_cut() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "iVBOR" * 100}}
    table = {"output_type": "execute_result", "data": {"text/plain": "a b", "text/html": "<p>"}}
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0"]}
    long = {"output_type": "stream", "text": "y" * (MAX_OUTPUT + 1)}
    found = parse({"cells": [code("f()", picture, table, error), code("g()", long)]})
    assert [text for _, text, _ in blocks(found)] == [
        "f()",
        "a b\nKeyError: 'x'",
        "g()",
        "y" * MAX_OUTPUT,
    ]
    assert found.warnings == (f"long output of 1 cells was cut to {MAX_OUTPUT} characters each",)


def test_the_old_format() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Viejo"},
        {"cell_type": "code", "input": "1 + 1", "outputs": [{"output_type": "pyout", "text": "2"}]},
    ]
    found = parse({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert [(kind, text) for kind, text, _ in blocks(found)] == [
        ("heading", "Viejo"),
        ("code", "1 + 1"),
        ("code", "2"),
    ]


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"a": 1}', b"[" * 100_000, b""])
def test_what_is_no_notebook_says_so(data: bytes) -> None:
    found = NotebookParser(ParseSettings()).parse(data, "n.ipynb")
    assert found.warnings[0] == "no sound notebook"


def test_a_notebook_that_breaks_off_keeps_what_was_there() -> None:
    found = NotebookParser(ParseSettings()).parse(b'{"cells": [{"source": ["# Caudal"]', "n.ipynb")
    assert "# Caudal" in found.text
