import time

import pytest

from ingest.parse.latex.macros import written_out
from ingest.parse.latex.parser import LatexParser
from kb.settings import ParseSettings


def text(source: str) -> str:
    return LatexParser(ParseSettings()).parse(source.encode(), "a.tex").text


@pytest.mark.parametrize(
    ("definition", "used", "shown"),
    [
        (r"\newcommand{\sys}{Tesela}", r"We call it \sys{} here.", "We call it Tesela here."),
        (r"\newcommand\sys{Tesela}", r"We use \sys, and \sys.", "We use Tesela, and Tesela."),
        (r"\newcommand{\sys}{Tesela\xspace}", r"We use \sys now.", "We use Tesela now."),
        (r"\newcommand{\beast}[1]{the #1 beast}", r"See \beast{big}.", "See the big beast."),
        (r"\newcommand{\of}[2][a]{#2 of #1}", r"\of{x}, \of[b]{y}", "x of a, y of b"),
        (r"\def\pair#1#2{#2 before #1}", r"\pair{one}{two}", "two before one"),
        (r"\newcommand{\a}{in \b}\newcommand{\b}{deep}", r"It is \a{}.", "It is in deep."),
        (r"\newcommand{\R}{reals}", r"In $\R$ and \verb|\R|.", r"In $\R$ and \R."),
        (r"\newcommand{\old}{x}\renewcommand{\old}{new}", r"The \old{} one.", "The new one."),
        (r"\newcommand{\cond}{\ifdraft secret\fi}", r"A \cond{} B", "A B"),
    ],
)
def test_own_commands_are_written_out(definition: str, used: str, shown: str) -> None:
    source = (
        f"\\documentclass{{article}}{definition}\n\\begin{{document}}\n{used}\n\\end{{document}}"
    )
    assert text(source) == shown


def test_a_command_in_the_title_and_one_that_opens_an_environment() -> None:
    source = (
        "\\newcommand{\\sys}{Tesela}\\newcommand{\\bi}{\\begin{itemize}}\n"
        "\\title{The \\sys{} paper}\\begin{document}\\maketitle\n\\bi\\item one\n\\end{itemize}"
    )
    document = LatexParser(ParseSettings()).parse(source.encode(), "a.tex")
    assert document.title == "The Tesela paper"
    assert [element.kind for element in document.elements][-1] == "list"


def test_lines_keep_their_numbers() -> None:
    source = "\\newcommand{\\two}[2]{\n #1 and\n #2 again #2}\nA \\two{x\ny}\n{z} B\n\nlast"
    written = written_out(source)
    assert written.count("\n") == source.count("\n")
    assert written.splitlines().index("last") == source.splitlines().index("last")


@pytest.mark.parametrize(
    "definitions",
    [
        r"\newcommand{\a}{\b\b}\newcommand{\b}{\a\a}",
        "".join(
            rf"\newcommand{{\m{chr(98 + i)}}}{{{(chr(92) + 'm' + chr(97 + i)) * 10}}}"
            for i in range(12)
        )
        + r"\newcommand{\ma}{xxxxxxxxxx}\newcommand{\a}{\mm}",
    ],
)
def test_what_grows_without_end_does_not(definitions: str) -> None:
    began = time.monotonic()
    shown = text(definitions + r"\begin{document}\a\a\a and the end\end{document}")
    assert shown.endswith("and the end")
    assert len(shown) < 500_000
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "unclosed", [r"\x{", "\\begin{equation}\n", "{", r"\x{\x{y}", r"\newcommand{\y}{"]
)
def test_what_is_never_closed_is_read_in_one_pass(unclosed: str) -> None:
    began = time.monotonic()
    source = r"\newcommand{\x}[1]{y #1}" + unclosed * 20_000 + " the end"
    assert written_out(source).endswith(" the end")
    assert time.monotonic() - began < 5
