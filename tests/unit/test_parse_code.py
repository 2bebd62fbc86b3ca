import pytest

from ingest.parse.code.other import CodeParser
from ingest.parse.code.outline import defined
from ingest.parse.code.python import PythonParser
from kb.records import Document
from kb.settings import ParseSettings


def python(source: str) -> Document:
    return PythonParser(ParseSettings()).parse(source.encode(), "a.py")


def other(source: str) -> Document:
    return CodeParser(ParseSettings()).parse(source.encode(), "a.js")


def blocks(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(e.kind, e.heading, document.text[e.start : e.end]) for e in document.elements]


SOURCE = '''"""Riego de la huerta.

Más cosas.
"""
import os

LIMIT = 3

# un comentario
@dataclass
class Bomba:
    """Una bomba."""

    caudal: float

    @property
    def lenta(self) -> bool:
        """Si va despacio."""

        def inner(): ...
        return self.caudal < LIMIT


async def main(
    a: int,
):
    await a

main(1)
'''


def test_python_is_cut_at_definitions_below_their_names() -> None:
    found = python(SOURCE)
    assert found.text == SOURCE
    assert found.title == "Riego de la huerta."
    assert blocks(found) == [
        ("code", (), '"""Riego de la huerta.\n\nMás cosas.\n"""'),
        ("code", (), "import os"),
        ("code", (), "LIMIT = 3"),
        (
            "code",
            ("Bomba",),
            '# un comentario\n@dataclass\nclass Bomba:\n    """Una bomba."""\n\n    caudal: float',
        ),
        (
            "code",
            ("Bomba", "lenta"),
            '    @property\n    def lenta(self) -> bool:\n        """Si va despacio."""\n\n'
            "        def inner(): ...\n        return self.caudal < LIMIT",
        ),
        ("code", ("main",), "async def main(\n    a: int,\n):\n    await a"),
        ("code", (), "main(1)"),
    ]


def test_a_long_definition_is_cut_at_its_blank_lines_and_its_head_stands_alone() -> None:
    body = "".join(f"    a = {n}\n" for n in range(50))
    found = python(f"def f():\n    'doc'\n{body}\n{body}")
    assert [(text.count("a = "), path) for _, path, text in blocks(found)] == [
        (0, ("f",)),
        (50, ("f",)),
        (50, ("f",)),
    ]


def test_python_declares_its_charset() -> None:
    source = "#!/usr/bin/python\n# -*- coding: koi8-r -*-\nx = 'Привет'\n"
    assert PythonParser(ParseSettings()).parse(source.encode("koi8-r"), "a").text == source


def test_python_that_does_not_compile_is_read_by_its_look() -> None:
    found = python("def viejo(x):\n    print x\n\ndef otro(): return 1\n")
    assert [e.heading for e in found.elements] == [("viejo",), ("otro",)]
    assert found.warnings == ("not valid Python 3: read by its look",)


@pytest.mark.parametrize(
    "source", ["x = 1\r\n\r\ndef f():\r\n    pass\r\n", "def f(): pass; x = 2\n"]
)
def test_python_loses_no_line(source: str) -> None:
    found = python(source)
    kept = "".join(text for *_, text in blocks(found))
    assert "".join(kept.split()) == "".join(source.split())


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("export default class Foo extends Bar {", "Foo"),
        ("  async run(a, b) {", "run"),
        ("const f = async (x) => {", "f"),
        ("pub(crate) fn close(&mut self) {", "close"),
        ("impl<T> Valve<T> {", "Valve"),
        ("func (s *Server) Start(port int) error {", "Start"),
        ("static void helper(const char *p)", "helper"),
        ("public List<String> names() {", "names"),
        ("CREATE OR REPLACE VIEW ventas.mes AS", "ventas.mes"),
        ("instalar() {", "instalar"),
        ("  def to_s", "to_s"),
        ("if (a) {", ""),
        ("} else {", ""),
        ("return f(x);", ""),
        ("foo(1);", ""),
        ("// class Foo", ""),
        ("x = 1", ""),
    ],
)
def test_what_a_line_defines(row: str, name: str) -> None:
    assert defined(row) == name


def test_indentation_tells_what_lies_in_what() -> None:
    source = "/** Doc */\nclass Foo {\n  // lee\n  run(a) {\n    go(a);\n\n    stop();\n  }\n}\n\nvar x;\n"
    found = other(source)
    assert found.text == source
    assert blocks(found) == [
        ("code", ("Foo",), "/** Doc */\nclass Foo {"),
        ("code", ("Foo", "run"), "  // lee\n  run(a) {\n    go(a);\n\n    stop();\n  }\n}"),
        ("code", (), "var x;"),
    ]
