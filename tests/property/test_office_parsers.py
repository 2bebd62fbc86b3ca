"""Office files and books whose bytes no one chose: a sound document or a parse error, nothing else."""

import zipfile
from collections.abc import Callable
from functools import cache
from io import BytesIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.parse.sniff import choose_parser
from kb.errors import ParseError
from kb.records import Document
from tests.office import (
    docx,
    epub,
    members,
    odf,
    para,
    parse,
    pptx,
    shape,
    sheet,
    word_table,
    xlsx,
    zipped,
)
from tests.property.test_parsers import check

TABLE = word_table([["Zona", "Caudal"], ["Norte", "12"]])
BODIES = {
    "docx": lambda: docx(
        para("Uno", '<w:outlineLvl w:val="0"/>') + para("texto") + TABLE,
        {"numbering": '<w:abstractNum w:abstractNumId="1"/>', "styles": ""},
    ),
    "pptx": lambda: pptx([shape("Título", "title") + shape("a\nb", "body")], {1: "nota"}),
    "xlsx": lambda: xlsx({"Hoja": sheet([["Zona", "Caudal"], ["Norte", 12.5]])}, ["x"]),
    "odt": lambda: odf(
        "text",
        '<text:h text:outline-level="1">Uno</text:h><text:p>a<text:s text:c="2"/>b</text:p>'
        "<table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
        "</table:table-row></table:table>",
    ),
    "ods": lambda: odf(
        "spreadsheet",
        '<table:table table:name="H"><table:table-row table:number-rows-repeated="2">'
        '<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>'
        "</table:table-row></table:table>",
    ),
    "odp": lambda: odf(
        "presentation",
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>T</text:p>'
        "</draw:text-box></draw:frame></draw:page>",
    ),
    "epub": lambda: epub({"a.xhtml": "<h1>Uno</h1><p>x</p>"}, {"a.xhtml": "Uno"}),
}
RTF = rb"{\rtf1\ansi{\fonttbl{\f0\fcharset204 A;}}{\stylesheet{\s1 heading 1;}}\pard\s1 Uno\par "
RTF += rb"\trowd\cellx1\cellx2\intbl a\cell b\cell\row\pard \u241?\'f1{\footnote x}\par}"
RTF_PIECES = st.sampled_from(
    [
        *(rb"{", rb"}", rb"\par", rb"\cell", rb"\row", rb"\u-10179?", rb"\'", rb"\bin9", rb"\f7"),
        *(rb"{\*\x ", rb"{\info{\title x}}", rb"{\listtext a}", rb"\uc99", rb"\s1", rb"\intbl"),
        *(rb"\clvmrg\cellx9", rb"{\upr{a}{\*\ud{b}}}", rb"{\footnote ", rb"\ansicpg9999 "),
        *(b"\xff\0", b"texto "),
    ]
)
RELAXED = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@cache
def sound(parser: str) -> bytes:
    make: Callable[[], bytes] = BODIES[parser]
    return make()


def read(parser: str, data: bytes) -> None:
    try:
        document = parse(parser, data)
    except ParseError as error:
        assert str(error)
        return
    assert isinstance(document, Document)
    check(document)


def damaged(data: bytes, edits: list[tuple[int, bytes, int]]) -> bytes:
    """`data` with each edit's bytes in place of some of its own."""
    for place, new, dropped in edits:
        at = place % (len(data) + 1)
        data = data[:at] + new + data[at + dropped :]
    return data


EDITS = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.binary(max_size=8), st.integers(0, 40)),
    min_size=1,
    max_size=4,
)
NUMBERS = st.sampled_from(["-1", "0", "99999999999", "1e9", "", "x", "1048577"])


@pytest.mark.parametrize("parser", BODIES)
def test_the_sound_file_is_read(parser: str) -> None:
    assert choose_parser("a", sound(parser)) == parser
    assert parse(parser, sound(parser)).elements


@pytest.mark.parametrize("parser", BODIES)
@RELAXED
@given(edits=EDITS)
def test_damage_to_the_container(parser: str, edits: list[tuple[int, bytes, int]]) -> None:
    read(parser, damaged(sound(parser), edits))


@pytest.mark.parametrize("parser", BODIES)
@RELAXED
@given(edits=EDITS, which=st.integers(0, 99))
def test_damage_within_a_member(
    parser: str, edits: list[tuple[int, bytes, int]], which: int
) -> None:
    inside = members(sound(parser))
    name = sorted(inside)[which % len(inside)]
    read(parser, zipped({**inside, name: damaged(inside[name], edits)}))


@pytest.mark.parametrize("parser", BODIES)
@RELAXED
@given(number=NUMBERS, which=st.integers(0, 99), at=st.integers(0, 99))
def test_absurd_numbers_in_attributes(parser: str, number: str, which: int, at: int) -> None:
    inside = members(sound(parser))
    name = sorted(inside)[which % len(inside)]
    pieces = inside[name].split(b'"')
    place = 2 * (at % max(len(pieces) // 2, 1)) + 1
    if place < len(pieces):
        pieces[place] = number.encode()
    read(parser, zipped({**inside, name: b'"'.join(pieces)}))


@RELAXED
@given(edits=EDITS, pieces=st.lists(RTF_PIECES, max_size=30))
def test_damaged_rtf(edits: list[tuple[int, bytes, int]], pieces: list[bytes]) -> None:
    read("rtf", damaged(RTF, edits))
    read("rtf", RTF[:-1] + b"".join(pieces))


@RELAXED
@given(data=st.binary(max_size=600).map(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".__add__))
def test_ole_containers_of_any_bytes_are_told_or_refused(data: bytes) -> None:
    try:
        parser = choose_parser("a.doc", data)
    except ParseError:
        return
    read(parser, data)


@pytest.mark.parametrize("parser", ["docx", "pptx", "xlsx", "odt", "epub"])
def test_nests_of_any_depth_are_read_as_far_as_they_go(parser: str) -> None:
    inside = members(sound(parser))
    tags = {"docx": "w:ins", "pptx": "p:grpSp", "xlsx": "x", "odt": "text:section", "epub": "div"}
    for name, content in inside.items():
        tag = tags[parser].encode()
        if b"<" + tag.split(b":")[0] not in content and parser not in ("epub", "xlsx"):
            continue
        at = content.find(b">", content.find(b"ody") if b"ody" in content else 0) + 1
        deep = content[:at] + (b"<" + tag + b">") * 5000 + content[at:]
        read(parser, zipped({**inside, name: deep}))


def test_a_locked_member_says_so() -> None:
    data = bytearray(sound("docx"))
    with zipfile.ZipFile(BytesIO(bytes(data))) as container:
        at = container.getinfo("word/document.xml").header_offset
    data[at + 6] |= 1
    central = data.rindex(b"word/document.xml") - 46
    data[central + 8] |= 1
    with pytest.raises(ParseError, match="locked by a password"):
        parse("docx", bytes(data))
