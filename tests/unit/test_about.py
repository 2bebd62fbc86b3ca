"""Tags, oddities, and front matter that was meant to close its document."""

from typing import Any

import pytest

from ingest.about import NOBODY, acl_of, oddities, tags_of
from ingest.parse.front_matter import split
from kb.registry import load
from kb.settings import ParseSettings


@pytest.mark.parametrize(
    ("metadata", "tags"),
    [
        ({}, ()),
        ({"tags": ["a", "b b", "a", "", None, 2024, True, {"x": 1}]}, ("a", "b b", "2024")),
        ({"tags": "a, b", "tag": "c", "keywords": "d,a"}, ("a", "b", "c", "d")),
        ({"tags": {"a": 1}, "tag": 5}, ("5",)),
    ],
)
def test_tags(metadata: dict[str, Any], tags: tuple[str, ...]) -> None:
    assert tags_of(metadata) == tags


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"acl": ["a"], "valid_from": 2024, "valid_until": "2024-05", "supersedes": ["x"]}, []),
        ({"acl": []}, ["nobody"]),
        ({"valid_from": "soon", "valid_until": [1]}, ["valid_from", "valid_until"]),
        ({"valid_from": "2025", "valid_until": "2024"}, ["never valid"]),
        ({"supersedes": {"a": 1}}, ["supersedes"]),
    ],
)
def test_oddities(metadata: dict[str, Any], words: list[str]) -> None:
    found = oddities(metadata)
    assert len(found) == len(words)
    for warning, word in zip(found, words, strict=True):
        assert word in warning


@pytest.mark.parametrize(
    "text",
    [
        "---\nacl: [group:hr\n---\nx",
        "---\ntitle: a: b\nacl: group:hr\n---\nx",
        "---\n{title: x, acl: [group:hr\n---\nx",
        "---\n- acl: group:hr\n---\nx",
        "---\nACL: group:hr\nnever closed\n",
        "\n---\nacl: group:hr\n---\nx",
        '+++\nacl = ["group:hr"]\n+++\nx',
        "---\na: &x [1]\nb: *x\n'acl': [group:hr]\n---\nx",
        "---\nacl:\n---\nx",
        "---\nacl: [group: hr]\n---\nx",
        "---\nx: " + "y" * 70_000 + "\n---\n",
    ],
)
def test_front_matter_that_is_not_read_closes_a_document_that_it_may_have_closed(text: str) -> None:
    closed = "acl" in text.lower()
    assert acl_of(split(text).metadata) == (NOBODY if closed else None)


def test_words_about_acl_close_nothing() -> None:
    assert acl_of(split("---\ntitle: acl in short\n---\nacl: x").metadata) is None
    assert acl_of(split("Text\n---\nacl: x\n---\n").metadata) is None


@pytest.mark.parametrize(
    ("parser", "source"),
    [
        ("markdown", "---\nacl: [1]\n---\nHola"),
        ("rst", ":acl: ,\n\nHola"),
        ("rst", ":ACL:\n  group:hr\n\nHola"),
        ("html", '<meta name="acl" content=""><p>Hola</p>'),
        ("sidecar", "acl = 5"),
        ("sidecar", "acl: [a\n"),
    ],
)
def test_every_format_with_metadata_warns(parser: str, source: str) -> None:
    document = load("parser", parser)(ParseSettings()).parse(source.encode(), "a")
    assert acl_of(document.metadata) == NOBODY
    assert any("nobody can read" in warning for warning in document.warnings)


def test_html_and_rst_fields() -> None:
    html = '<meta name="acl" content="group:hr, user:ana"><meta name="keywords" content="a,b">x'
    document = load("parser", "html")(ParseSettings()).parse(html.encode(), "a")
    assert (acl_of(document.metadata), tags_of(document.metadata)) == (
        ("group:hr", "user:ana"),
        ("a", "b"),
    )
    document = load("parser", "rst")(ParseSettings()).parse(
        b":acl: group:hr\n:tags: a, b\n\nx", "a"
    )
    assert (acl_of(document.metadata), tags_of(document.metadata)) == (("group:hr",), ("a", "b"))
