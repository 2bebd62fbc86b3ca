import docutils.core
import docutils.nodes
import pytest

from ingest.parse.markdown import MarkdownParser
from ingest.parse.rst import RstParser
from ingest.parse.text import TextParser
from kb.records import Document
from kb.settings import ParseSettings

Row = tuple[str, str]


def markdown(source: str, name: str = "a.md") -> Document:
    return MarkdownParser(ParseSettings()).parse(source.encode(), name)


def rst(source: str) -> Document:
    return RstParser(ParseSettings()).parse(source.encode(), "a.rst")


def text(source: str, name: str = "a.txt") -> Document:
    return TextParser(ParseSettings()).parse(source.encode(), name)


def rows(document: Document) -> list[Row]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


def kinds(document: Document) -> str:
    return " ".join(e.kind for e in document.elements)


def headings(document: Document) -> list[tuple[int, tuple[str, ...]]]:
    return [(e.level, e.heading) for e in document.elements if e.kind == "heading"]


@pytest.mark.parametrize("fence", ["```", "~~~"])
@pytest.mark.parametrize("close", [True, False])
def test_a_comment_in_a_fence_is_no_heading(fence: str, close: bool) -> None:
    code = f"{fence}sh\n# comment\n\n## another" + (f"\n{fence}" if close else "")
    document = markdown(f"# Uno\n\n{code}\n")
    assert headings(document) == [(1, ("Uno",))]
    assert rows(document)[1] == ("code", code)
    assert document.elements[1].heading == ("Uno",)


def test_markdown_blocks_and_heading_path() -> None:
    source = (
        "Título\n======\n\nuno\n\n## A `b` *c* [d](e) { #anchor }\n\n- x\n\n  y\n- z\n\n### B\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n> cita\n\n    code\n\n!!! note\n    ojo\n\n"
        "## C &amp; D\n\n---\n\n[r]: http://x\n"
    )
    document = markdown(source)
    assert headings(document) == [
        (1, ("Título",)),
        (2, ("Título", "A b c d")),
        (3, ("Título", "A b c d", "B")),
        (2, ("Título", "C & D")),
    ]
    assert kinds(document) == (
        "heading paragraph heading list heading table quote code note heading paragraph"
    )
    assert rows(document)[3] == ("list", "- x\n\n  y\n- z")
    assert rows(document)[7] == ("code", "    code")
    assert document.title == "Título"


def test_front_matter_is_metadata_and_no_element() -> None:
    document = markdown("---\ntitle: T\nlang: es-MX\n---\n# H\n")
    assert (document.title, document.language, document.metadata["title"]) == ("T", "es", "T")
    assert rows(document) == [("heading", "# H")]
    assert document.text.startswith("---\ntitle")


def test_broken_front_matter_is_kept_and_said() -> None:
    document = markdown("---\ntitle: a: b\n---\n\nx\n")
    assert "title: a: b" in "".join(t for _, t in rows(document))
    assert document.warnings


def test_title_falls_back_to_the_name() -> None:
    assert markdown("## no h1\n", "informe_anual-2024.md").title == "informe anual 2024"
    assert text("x", "-dash.first.txt").title == "dash.first"


def test_bom_is_dropped_and_offsets_are_of_the_text() -> None:
    document = MarkdownParser(ParseSettings()).parse(b"\xef\xbb\xbf# A\r\n\r\nb\r\n", "a.md")
    assert document.text == "# A\r\n\r\nb\r\n"
    assert rows(document) == [("heading", "# A"), ("paragraph", "b")]


def test_nothing_in_it_is_said() -> None:
    for document in (markdown(" \n"), text(""), rst("\n\n")):
        assert document.elements == ()
        assert document.warnings == ("no text in it",)


def test_text_blocks() -> None:
    assert rows(text("uno\ndos\n \t\n- a\n- b\n\n\n  tres  \n")) == [
        ("paragraph", "uno\ndos"),
        ("list", "- a\n- b"),
        ("paragraph", "tres"),
    ]


def test_source_code_keeps_its_indentation() -> None:
    document = text(
        "import os\n\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    )
    assert [kind for kind, _ in rows(document)] == ["code"] * 3
    assert rows(document)[2][1].startswith("    def g")


RST = """\
=======
Título
=======
:Author: Ana
:Date: 2024-05-01

Ver::

    # no heading
    ====

    más

Sección ``uno``
---------------
- a

  b
- c

.. note:: Ojo
   aquí

.. code-block:: python

   x = 1

====  ====
A     B
====  ====
1     2
====  ====

Sub
~~~
   cita

.. a comment

Otra `sección <http://x>`_
--------------------------
fin
"""


def test_rst_blocks() -> None:
    document = rst(RST)
    assert headings(document) == [
        (1, ("Título",)),
        (2, ("Título", "Sección uno")),
        (3, ("Título", "Sección uno", "Sub")),
        (2, ("Título", "Otra sección")),
    ]
    assert rows(document)[3] == ("code", "    # no heading\n    ====\n\n    más")
    assert kinds(document) == (
        "heading list paragraph code heading list note code table heading quote paragraph heading "
        "paragraph"
    )
    assert document.metadata == {"author": "Ana", "date": "2024-05-01"}


def test_rst_sections_are_those_of_docutils() -> None:
    tree = docutils.core.publish_doctree(
        RST,
        settings_overrides={"doctitle_xform": False, "report_level": 5, "syntax_highlight": "none"},
    )
    theirs = [
        str(node.next_node(docutils.nodes.title).astext())
        for node in tree.findall(docutils.nodes.section)
    ]
    assert [path[-1] for _, path in headings(rst(RST))] == theirs
