"""Which parser reads a text: by its own marks first, by its suffix second."""

import re

from ingest.parse.decode import decode
from ingest.parse.mail.mbox import looks_like_mail
from ingest.words import words

MAIL = words(".eml .mbox .mbx .mht .mhtml .mail .emlx")
BY_SUFFIX: dict[str, str] = {
    **dict.fromkeys(words(".md .markdown .mdown .mkd .mdx .qmd .rmd"), "markdown"),
    **dict.fromkeys(words(".rst .rest"), "rst"),
    **dict.fromkeys(words(".html .htm .xhtml"), "html"),
    **dict.fromkeys(words(".csv .tsv .tab .psv"), "csv"),
    **dict.fromkeys(
        words(".json .jsonl .ndjson .geojson .jsonld .json5 .webmanifest .har"), "json"
    ),
    **dict.fromkeys(words(".ipynb"), "notebook"),
    **dict.fromkeys(words(".tex .latex .ltx"), "latex"),
    **dict.fromkeys(words(".py .pyi .pyw"), "python"),
    **dict.fromkeys(
        words(
            """
            .c .h .cc .cpp .cxx .hpp .hh .hxx .m .mm .java .kt .kts .scala .groovy .gradle .cs .fs
            .vb .go .rs .swift .dart .js .mjs .cjs .jsx .ts .tsx .vue .svelte .css .scss .less .php
            .rb .pl .pm .lua .r .jl .sh .bash .zsh .fish .ps1 .psm1 .bat .cmd .sql .ex .exs .erl
            .hs .ml .clj .lisp .el .f .f90 .f95 .pas .asm .s .tf .proto .thrift .graphql .zig .nim
            .sty .cls .cmake .mk .dockerfile .ada .adb .ads .cob .cbl .sol .v .vhd .vhdl .sv .awk
            """
        ),
        "code",
    ),
    **dict.fromkeys(
        words(".yaml .yml .toml .ini .cfg .conf .properties .env .editorconfig .desktop .service"),
        "config",
    ),
    **dict.fromkeys(
        words(
            """
            .xml .xsl .xslt .xsd .rss .atom .svg .plist .kml .gpx .opml .xliff .xlf .tmx .resx .pom
            .wsdl .rdf .owl .dtbook .nfo .tei .jats .nxml .dita .docbook .dbk .fb2 .wml .ttml
            """
        ),
        "xml",
    ),
    **dict.fromkeys(MAIL, "mail"),
}
# Formats whose text may begin like another's: their suffix is believed.
_OWN_WORDS = frozenset(("markdown", "rst", "python", "code", "latex", "html", "config"))
_SHEBANG = re.compile(r"#!\s*\S*/(?:env\s+(?:-S\s+)?)?([A-Za-z]+)")
_NOTEBOOK = re.compile(r'"(?:cell_type|nbformat)"\s*:')
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_JSON = re.compile(
    rf"\s*(?:\{{\s*(?:{_STRING}\s*:|\}})|\[\s*(?:\{{\s*[\"}}]|\[\s*[\"\d{{\[-]|{_STRING}\s*[,\]]))"
)
_LATEX = re.compile(
    r"(?:\s*%[^\n]*\n|\s*\n)*\s*\\(?:documentclass|documentstyle|begin\{document\})"
)
_XML = re.compile(r"\s*<\?xml\b|\s*(?:<!--.*?-->\s*)?<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?/?>", re.S)
_TABLE_LINES = 4


def text_parser(head: bytes, suffix: str) -> str:
    """The registry name of the parser for a text whose first bytes are `head`.

    Source code of a known language, Markdown and the like go by their suffix, for they may begin with
    anything; text of an unknown suffix that shows no mark goes to ``text``.
    """
    by_suffix = BY_SUFFIX.get(suffix, "text")
    if by_suffix in _OWN_WORDS:
        return by_suffix
    if by_suffix == "mail" or looks_like_mail(head):
        return "mail"
    sample = decode(head[:16384])
    if _JSON.match(sample):
        return "notebook" if by_suffix == "notebook" or _is_notebook(sample) else "json"
    if _LATEX.match(sample):
        return "latex"
    if by_suffix == "text":
        return _unnamed(sample)
    return by_suffix


def _is_notebook(sample: str) -> bool:
    return '"cells"' in sample[:200] and _NOTEBOOK.search(sample) is not None


def _unnamed(sample: str) -> str:
    """By content alone."""
    if shebang := _SHEBANG.match(sample):
        return "python" if shebang[1].startswith("python") else "code"
    if sample.lstrip("\ufeff \t\r\n").startswith("<?xml"):
        return "xml"
    if sample[:4].lower() == "sep=" or _is_table(sample):
        return "csv"
    return "text"


def _is_table(sample: str) -> bool:
    """Whether every line has the same number of tabs, or of semicolons, two at least."""
    lines = [line for line in sample.splitlines()[:-1] if line.strip()][:40]
    if len(lines) < _TABLE_LINES:
        return False
    for sign in "\t;":
        counts = {line.count(sign) for line in lines}
        if len(counts) == 1 and counts.pop() >= 2:
            return True
    return False
