import pytest

from ingest.parse.latex.inline import line
from ingest.parse.latex.parser import LatexParser
from kb.records import Document
from kb.settings import ParseSettings


def parse(source: str, codec: str = "utf-8") -> Document:
    return LatexParser(ParseSettings()).parse(source.encode(codec), "a.tex")


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"Luc\'{\i}a N\'u\~nez", "Lucía Núñez"),
        (r"ping\"{u}ino, fran\c{c}ais, \c cela, \v{s}", "pingüino, français, çela, š"),
        (r"?`qu\'e? !`ah{\'i}!", "¿qué? ¡ahí!"),
        (r"Stra\ss e \o{} \aa", "Straße ø å"),
        (r"50\% de A\&B, \#1, a\_b, 3\,kg", "50% de A&B, #1, a_b, 3 kg"),
        ("``uno'' --- 2--3 a~b", "“uno” — 2\u20133 a b"),
        (r"\textbf{uno \emph{dos}} \unknown{tres} {\large cuatro}", "uno dos tres cuatro"),
        (r"si $x^2_i < \alpha$ y \(y\)", r"si $x^2_i < \alpha$ y \(y\)"),
        (r"cuesta 5\$ o 6\$", "cuesta 5$ o 6$"),
        (r"\verb|a_b{| \url{http://x.y/a_b}", "a_b{ http://x.y/a_b"),
        (r"\href{http://x.y}{aqui} \cite[p.~3]{knuth84}\label{x}", "aqui (http://x.y) [knuth84]"),
    ],
)
def test_inline(source: str, text: str) -> None:
    assert line(source) == text


def test_sections_lists_tables_captions_notes() -> None:
    found = parse(
        r"""\documentclass{article}
\title{La presa} \author{Ana}
\begin{document}\maketitle
% nada de esto
\section{Uno} % ni esto
Primera l\'inea
% en medio
y segunda\footnote{Al pie.}.

\begin{itemize}
\item a \begin{enumerate} \item b \item c \end{enumerate}
\item[d] e
\end{itemize}
\subsection*{Dos}
\begin{table}\caption{Pesos}
\begin{tabular}{lr}\hline
A & B \\ \hline
1 \& 2 & \textbf{3} \\
\end{tabular}\end{table}
\begin{verbatim}
  x % y
\end{verbatim}
\begin{quote}Dicho.\end{quote}
\input{resto}
\end{document}
basura"""
    )
    assert blocks(found) == [
        ("heading", "La presa"),
        ("paragraph", "Ana"),
        ("heading", "Uno"),
        ("paragraph", "Primera línea y segunda."),
        ("note", "Al pie."),
        ("list", "- a\n  - b\n  - c\n- d e"),
        ("heading", "Dos"),
        ("caption", "Pesos"),
        ("table", "A | B\n1 & 2 | 3"),
        ("code", "  x % y"),
        ("quote", "Dicho."),
    ]
    assert found.elements[-1].heading == ("La presa", "Uno", "Dos")
    assert found.elements[3].lines == (6, 8)
    assert found.warnings == ("resto is not followed",)
    assert found.metadata == {"title": "La presa", "author": "Ana"}


def test_the_declared_charset_is_used() -> None:
    source = "\\usepackage[applemac]{inputenc}\\begin{document}a\xf1o \xa9\\end{document}"
    assert "año" in parse(source, "mac-roman").text


def test_what_is_never_closed_is_kept() -> None:
    assert blocks(parse(r"\section{Uno")) == [("heading", "Uno")]
    assert parse(r"a \begin{itemize} \item b").text == "a\n\n- b"
    assert "cola" in parse(r"\begin{verbatim} cola").text
    assert "{" * 5 not in parse("{" * 5000 + "x").text
