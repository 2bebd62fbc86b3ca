import random

import pytest

from ingest.parse.sniff import choose_parser
from kb.errors import ParseError
from tests.office import ODF_SPACES, docx, epub, odf, ole, pptx, xlsx, zipped


@pytest.mark.parametrize(
    ("name", "head", "parser"),
    [
        ("a.md", b"# x", "markdown"),
        ("UPPER.MD", b"# x", "markdown"),
        ("a.rst", b"x\n=\n", "rst"),
        ("a.txt", b"hola", "text"),
        ("README", b"hola", "text"),
        ("a.py", b"import os\n", "python"),
        ("a.weird", "año".encode("cp1252"), "text"),
        ("a.txt", b"", "text"),
        ("a.pdf", b"", "pdf"),
        ("a.txt", b"%PDF-1.7\n\x00\xff", "pdf"),
        ("a.pdf", b"junk\n%PDF-1.7\n", "pdf"),
        ("a.pdf", b"<!DOCTYPE html><p>x", "html"),
        ("a.pdf", b"just text", "text"),
        ("a", b"\n<!-- c -->\n<html>", "html"),
        ("a.htm", b"<p>fragment", "html"),
        ("a", "<!doctype html>".encode("utf-16"), "html"),
        ("a.xsl", b'<?xml version="1.0"?><xsl:stylesheet>', "xml"),
        ("a.csv", b"a,b\n1,2\n", "csv"),
        ("a.txt", b"sep=;\na;b\n", "csv"),
        ("a.dat", b"a\tb\tc\n" * 5, "csv"),
        ("a.txt", b"uno;\ndos;\n" * 5, "text"),
        ("a", b'{"a": 1}\n', "json"),
        ("a.txt", b'[\n {"a": 1}]', "json"),
        ("a.txt", b"[1] Primera nota\n", "text"),
        ("a.csv", '{"a": 1}'.encode("utf-16"), "json"),
        ("a", b'{"cells": [{"cell_type": "code"}]}', "notebook"),
        ("a.json", b'{"cells": [1, 2], "x": 1}', "json"),
        ("a.ipynb", b'{"nbformat": 4}', "notebook"),
        ("a.eml", b"From: a\n\nhola", "mail"),
        ("a", b"Received: x\nFrom: a\nTo: b\n\nhola", "mail"),
        ("a.txt", b"% x\n\\documentclass{article}", "latex"),
        ("a", b"#!/usr/bin/env python3\nx = 1", "python"),
        ("a", b"#!/bin/sh\necho", "code"),
        ("a.go", b"package main", "code"),
        ("a.toml", b"a = 1", "config"),
        ("a.svg", b"<svg>", "xml"),
        ("a.xml", b"<!DOCTYPE html><html>", "html"),
        ("a.txt", b"El qu\xc3\xb3rum\0 fue de once\0 vocales", "text"),
        ("a.txt", "hola".encode("utf-16-le"), "text"),
        ("a.txt", "hola".encode("utf-32"), "text"),
        ("a.docx", b"", "docx"),
        ("a.docx", b"just text", "text"),
        ("a.txt", docx(""), "docx"),
        ("a.zip", pptx([]), "pptx"),
        ("a.docx", xlsx({}), "xlsx"),
        ("a.doc", odf("text", ""), "odt"),
        ("a.odt", odf("spreadsheet", ""), "ods"),
        ("a", odf("presentation", ""), "odp"),
        ("a.zip", epub({}, {}), "epub"),
        ("a.docx", b"PK\x03\x04 and no more", "docx"),
        ("a.txt", docx("")[:-30], "docx"),
        ("a.doc", b"{\\rtf1 hola}", "rtf"),
        (
            "a.xml",
            f"<office:document {ODF_SPACES} office:mimetype="
            '"application/vnd.oasis.opendocument.text"/>'.encode(),
            "odt",
        ),
    ],
)
def test_content_first_suffix_second(name: str, head: bytes, parser: str) -> None:
    assert choose_parser(name, head) == parser


@pytest.mark.parametrize(
    ("name", "head", "reason"),
    [
        ("a.bin", b"PK\x03\x04", "zip"),
        ("a.txt", zipped({"notes.txt": "word/document.xml"}), "zip archive: unpack it"),
        ("a.pages", zipped({"Index/Document.iwa": "x"}), "Apple Pages"),
        ("a.odg", odf("graphics", ""), "OpenDocument graphics"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office"),
        ("a.docx", ole("EncryptedPackage"), "locked by a password"),
        ("a.doc", ole("WordDocument"), "save it as docx"),
        ("a.ppt", ole("PowerPoint Document"), "save it as pptx"),
        ("a.msg", ole("__properties_version1.0"), "Outlook message"),
        ("a.txt", b"\0\0\0\x18ftypheic", "image"),
        ("a.txt", random.Random(1).randbytes(1024), "binary data, no parser for it"),
        ("a.pdf", random.Random(2).randbytes(1024), "binary data, no parser for it"),
    ],
)
def test_what_has_no_parser_is_named(name: str, head: bytes, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        choose_parser(name, head)


def test_an_old_workbook_is_read() -> None:
    assert choose_parser("a.doc", ole("Workbook")) == "xls"
    assert choose_parser("a.xls", ole("Book")) == "xls"


def test_streams_of_embedded_files_do_not_count() -> None:
    with pytest.raises(ParseError, match="save it as docx"):
        choose_parser("a.xls", ole("WordDocument", inner="Workbook"))


def test_a_head_cut_inside_a_letter_is_still_text() -> None:
    assert choose_parser("a.txt", ("ñ" * 500).encode()[:999]) == "text"
