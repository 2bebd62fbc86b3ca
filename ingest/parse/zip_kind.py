"""What a zip container holds, told by its members."""

import re
from io import BytesIO
from itertools import islice

from kb.errors import ParseError

_ODF = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}
_OFFICE = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_FOREIGN = (
    (
        "index/document.iwa",
        "Apple Pages, Numbers or Keynote file: export it to an Office format or PDF",
    ),
    ("index.zip", "Apple Pages, Numbers or Keynote file: export it to an Office format or PDF"),
    ("androidmanifest.xml", "Android program"),
    ("meta-inf/manifest.mf", "Java program"),
)
_MIMETYPE = re.compile(
    rb"mimetypeapplication/(?:vnd\.oasis\.opendocument\.([a-z]+)(-master|-template)?|(epub\+zip))"
)
_NAME = re.compile(rb"PK\x03\x04.{22}(..)(..)", re.S)
_MOST_NAMES, _LONGEST_NAME = 2000, 300  # looked at in a damaged container


def zip_parser(data: bytes) -> str:
    """The registry name of the parser for what a zip holds, "" where its members do not tell.

    Args:
        data: the file, or its beginning.

    Raises:
        ParseError: it holds something that no parser reads; the message says what.
    """
    if match := _MIMETYPE.search(data[:200]):
        return "epub" if match.group(3) else _open_document(match.group(1).decode("ascii"))
    names = _names(data)
    if "meta-inf/container.xml" in names:
        return "epub"
    if "xl/workbook.bin" in names:
        return "xls"
    for start, parser in _OFFICE:
        if any(name.startswith(start) for name in names):
            return parser
    for mark, kind in _FOREIGN:
        if mark in names:
            raise ParseError(kind)
    return "odt" if {"content.xml", "meta-inf/manifest.xml"} <= names else ""


def _open_document(kind: str) -> str:
    if kind not in _ODF:
        raise ParseError(f"OpenDocument {kind}: no parser for it")
    return _ODF[kind]


def _names(data: bytes) -> set[str]:
    """Names of members, from the directory at the end or else from those that the data begins with."""
    import zipfile

    try:
        with zipfile.ZipFile(BytesIO(data)) as container:
            found = [member.filename for member in container.infolist()]
    except Exception:  # damaged, or its end is not there; `Archive` says so
        found = [_name_after(data, m) for m in islice(_NAME.finditer(data), _MOST_NAMES)]
    return {name.replace("\\", "/").lstrip("/").lower() for name in found}


def _name_after(data: bytes, header: re.Match[bytes]) -> str:
    length = min(int.from_bytes(header.group(1), "little"), _LONGEST_NAME)
    return data[header.end() : header.end() + length].decode("utf-8", "replace")
