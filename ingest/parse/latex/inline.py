"""LaTeX within a paragraph as plain text."""

import re

from ingest.parse.latex.letters import SYMBOLS, accented, typed
from ingest.parse.latex.source import after_options, group
from ingest.words import words

MAX_DEPTH = 30
# Their argument is no text.
SILENT = words(
    """
    label index vspace hspace vskip hskip pagestyle thispagestyle bibliographystyle usepackage
    setlength addtolength setcounter addtocounter input include includeonly graphicspath
    includegraphics newcommand renewcommand providecommand newenvironment renewenvironment def
    pagenumbering hypersetup selectlanguage color documentclass RequirePackage newtheorem
    DeclareMathOperator bibliography addbibresource phantomsection glsaddall setstretch
    definecolor lstset geometry cline cmidrule rule stepcounter refstepcounter fontsize
    """
)
_TWO = words("newcommand renewcommand providecommand def setlength addtolength DeclareMathOperator")
_TWO |= words("setcounter addtocounter newtheorem hypersetup fontsize rule definecolor")
_THREE = words("newenvironment renewenvironment definecolor")
_TOKEN = re.compile(
    r"\\verb\*?([^A-Za-z\s*])[^\n]{0,500}?\1"  # its delimiter may be anything
    # math
    r"|\\(?:\(.{0,2000}?\\\)|\[.{0,2000}?\\\])"
    r"|(?<!\\)\$\$.{0,2000}?\$\$|(?<!\\)\$(?:\\.|[^$\\]){0,2000}+\$"
    r"|\\([A-Za-z@]+)\*?|\\(.)|[{}&]|\0+\s*",
    re.S,
)
_BLANKS = re.compile(r"[ \t]+")


def plain(source: str, depth: int = 0, cells: str = "&") -> str:
    """The text of `source`: math as written, unknown macros without their name.

    `cells` stands for ``&``. Paragraph and line breaks stay.
    """
    source = accented(source)
    out: list[str] = []
    at = 0
    while match := _TOKEN.search(source, at):
        out.append(typed(source[at : match.start()]))
        text, at = _token(source, match, depth, cells)
        out.append(text)
    out.append(typed(source[at:]))
    return "".join(out)


def line(source: str, depth: int = 0) -> str:
    """`plain` on one line."""
    return " ".join(plain(source, depth).split()).replace(" , ", ", ")


def _token(source: str, match: re.Match[str], depth: int, cells: str) -> tuple[str, int]:
    """The text of a token and where the source goes on."""
    whole = match[0]
    if match[1]:
        return whole[whole.index(match[1]) + 1 : -1], match.end()
    if match[2]:
        return _macro(source, match[2], match.end(), depth)
    if match[3]:
        return _sign(match[3]), _after_break(source, match)
    if whole == "&":
        return cells, match.end()
    if whole[0] in "{}\0":
        return "", match.end()
    return whole.replace("\0", ""), match.end()


def _sign(sign: str) -> str:
    if sign == "\\":
        return "\n"
    if sign in "%&#_{}$ ":
        return sign
    return {",": " ", ";": " ", ":": " ", "\n": " ", "@": "", "/": "", "-": ""}.get(sign, "")


def _after_break(source: str, match: re.Match[str]) -> int:
    return after_options(source, match.end()) if match[3] == "\\" else match.end()


def _macro(source: str, name: str, at: int, depth: int) -> tuple[str, int]:
    if name in SYMBOLS:
        rest = source[at : at + 1]
        return SYMBOLS[name], at + (1 if rest == " " else 2 if source[at : at + 2] == "{}" else 0)
    if name in SILENT:
        groups = 3 if name in _THREE else 2 if name in _TWO else 1
        if name == "def":
            at = max(source.find("{", at), at)
            groups = 1
        return "", after_options(source, at, groups)
    if name == "href":
        return _link(source, at, depth)
    if name in ("cite", "citep", "citet", "parencite", "textcite", "autocite", "footcite"):
        end = after_options(source, at)
        inner = group(source, end)
        return (f"[{source[inner[0] : inner[1]].strip()}]", inner[1] + 1) if inner else ("", end)
    begin = after_options(source, at)
    return ("" if source[begin : begin + 1] == "{" else " ", begin)


def _link(source: str, at: int, depth: int) -> tuple[str, int]:
    r"""``\href{address}{words}`` as ``words (address)``."""
    address = group(source, at)
    words_ = group(source, address[1] + 1) if address else None
    if address is None or words_ is None or depth > MAX_DEPTH:
        return "", at
    shown = plain(source[words_[0] : words_[1]], depth + 1)
    url = source[address[0] : address[1]].replace("\\", "")
    return f"{shown} ({url})", words_[1] + 1


def paragraph(source: str) -> str:
    """The text of one paragraph: single blanks, lines only where LaTeX breaks them."""
    source = source.replace("\n", " ")
    rows = (_BLANKS.sub(" ", row).strip() for row in plain(source).splitlines())
    return "\n".join(row for row in rows if row)
