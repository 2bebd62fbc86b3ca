"""What every registered parser promises, on bytes that no one chose."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.parse.sniff import choose_parser
from kb.errors import ParseError, Unavailable
from kb.records import Document
from kb.registry import load, names
from kb.settings import ParseSettings

ENGINES = ("pymupdf", "pypdfium2")
PIECES = [
    "# ",
    "## ",
    "---\n",
    "===\n",
    "```",
    "~~~",
    "\n\n",
    "    ",
    "- ",
    "* ",
    "1. ",
    "> ",
    "|",
    "\r\n",
    "\r",
]
PIECES += [
    ":: ",
    ".. note:: ",
    ":a: b",
    "<p>",
    "</p>",
    "<table>",
    "<tr><td>",
    "<ul>",
    "<li>",
    "<h1>",
    "<pre>",
]
PIECES += [
    "<!--",
    "</div>",
    "<br>",
    "&amp;",
    "&#0;",
    "<nav>",
    "<title>",
    "{{",
    "[x](y)",
    "\x00",
    "\ud800",
    "\ufeff",
]
PIECES += [
    "def f(x):\n    ",
    "class A:\n",
    "@a\n",
    "  key:\n",
    "[sec]\n",
    "# c\n",
    "fn g() {\n",
    "}\n",
]
PIECES += [
    '{"a": ',
    '"',
    "[1, ",
    "]",
    "}",
    "\\begin{itemize}",
    "\\item",
    "\\section{",
    "%",
    "$",
    "\\\\",
]
PIECES += ["From: a\n", "Subject: =?utf-8?q?=F1?=\n", "Content-Type: multipart/mixed; boundary=b\n"]
PIECES += ["--b\n", "a;b;c\n", "<a b='c'>", "<?xml version='1.0'?>", "2024-01-02 10:00:00 x\n"]
PIECES += ["é", "ñ", "👨‍👩‍👧", "%PDF-1.7", "obj<<>>endobj", "title: a\n"]
MARKUP = st.sampled_from(PIECES)
TEXTS = st.lists(st.one_of(MARKUP, st.text(max_size=12)), max_size=40).map("".join)
ENCODED = TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
BYTES = st.one_of(
    st.binary(max_size=300), ENCODED, st.binary(max_size=300).map(b"%PDF-1.4\n".__add__)
)
SUFFIXES = [
    ".md",
    ".pdf",
    ".html",
    ".rst",
    ".txt",
    ".xyz",
    "",
    ".csv",
    ".json",
    ".eml",
    ".tex",
    ".xml",
]
VARIANTS = [
    (name, engine)
    for name in names("parser")
    for engine in ENGINES
    if name == "pdf" or engine == "pymupdf"
]
SLOW_IS_FINE = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)


def parse(variant: tuple[str, str], data: bytes) -> Document | str:
    name, engine = variant
    settings = ParseSettings(pdf_engine=engine, ocr="off")
    try:
        return load("parser", name)(settings).parse(data, "informe_2024.x")
    except (ParseError, Unavailable) as error:  # what is not installed is tested elsewhere
        return str(error)


def check(document: Document, titled: bool = True) -> None:
    text = document.text
    assert not re.search("[\x00\ud800-\udfff]", text)
    done = 0
    for element in document.elements:
        assert done <= element.start < element.end <= len(text)
        assert text[element.start : element.end].strip()
        assert (element.level > 0) == (element.kind == "heading")
        assert element.lines is None or 1 <= element.lines[0] <= element.lines[1]
        if element.kind == "heading" and element.heading:
            assert element.heading[-1] == " ".join(element.heading[-1].split())
        done = element.end
    assert document.title or not titled
    assert document.language == "" or re.fullmatch("[a-z]{2,3}", document.language)


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
@SLOW_IS_FINE
@given(data=BYTES)
def test_any_bytes_give_a_sound_document_or_a_parse_error(
    variant: tuple[str, str], data: bytes
) -> None:
    found = parse(variant, data)
    assert found == parse(variant, data)
    if isinstance(found, Document):
        check(found)


@pytest.mark.parametrize("name", ["markdown", "text", "rst", "python", "code", "config"])
@SLOW_IS_FINE
@given(text=TEXTS)
def test_verbatim_formats_lose_no_character(name: str, text: str) -> None:
    document = parse((name, "pymupdf"), text.encode("utf-8", "surrogatepass"))
    assert isinstance(document, Document)
    assert document.verbatim
    covered = (
        set().union(*(range(e.start, e.end) for e in document.elements))
        if document.elements
        else set()
    )
    lost = [i for i, c in enumerate(document.text) if not c.isspace() and i not in covered]
    if lost and name == "markdown":  # front matter, which is at the top only
        assert document.text.startswith("---")
        assert lost == [i for i in range(lost[-1] + 1) if not document.text[i].isspace()]
    else:
        assert not lost


@SLOW_IS_FINE
@given(data=BYTES, suffix=st.sampled_from(SUFFIXES))
def test_whatever_the_sniffer_chooses_can_read_it(data: bytes, suffix: str) -> None:
    try:
        name = choose_parser("a" + suffix, data[:4096])
    except ParseError as error:
        assert str(error)
        return
    assert name in names("parser")


@pytest.mark.parametrize("name", ["markdown", "text", "rst"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_kept_and_change_nothing_else(name: str, end: str) -> None:
    source = "Título\n======\n\nuno\ndos\n\n- a\n- b\n"
    unix = parse((name, "pymupdf"), source.encode())
    other = parse((name, "pymupdf"), source.replace("\n", end).encode())
    assert isinstance(unix, Document)
    assert isinstance(other, Document)
    assert other.text == source.replace("\n", end)
    flat = [unix.text[e.start : e.end] for e in unix.elements]
    assert [other.text[e.start : e.end].replace(end, "\n") for e in other.elements] == flat
