"""Finds groups and arguments in LaTeX source; comments are cut out with their place kept."""

import re

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_BRACE = re.compile(r"\\.|[{}]", re.S)
_BRACKET = re.compile(r"\\.|[{}\]]", re.S)
VERBATIM = r"(verbatim\*?|lstlisting|minted|Verbatim|alltt|comment|filecontents\*?|tikzpicture)"
_VERBATIM = re.compile(rf"\\begin\{{{VERBATIM}\}}.*?(?:\\end\{{\1\}}|\Z)", re.S)


def without_comments(source: str) -> str:
    """`source` with comments outside verbatim text blanked, so that every offset stays."""
    pieces: list[str] = []
    at = 0
    for match in _VERBATIM.finditer(source):
        if _COMMENT.search(source[source.rfind("\n", 0, match.start()) + 1 : match.start()]):
            continue  # it is commented out itself
        pieces += [_COMMENT.sub(_blank, source[at : match.start()]), match[0]]
        at = match.end()
    pieces.append(_COMMENT.sub(_blank, source[at:]))
    return "".join(pieces)


def _blank(match: re.Match[str]) -> str:
    """A comment alone on its line must not become a blank line, which would end the paragraph."""
    return match[1] + "\x00" * (len(match[0]) - len(match[1]))


def group(source: str, at: int) -> tuple[int, int] | None:
    """Inner bounds of the ``{…}`` at `at`, blanks before it skipped; None where there is none."""
    while at < len(source) and source[at] in " \t\r\n\0":
        at += 1
    if not source.startswith("{", at):
        return None
    depth = 0
    for match in _BRACE.finditer(source, at):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return at + 1, match.start()
    return at + 1, len(source)


def option(source: str, at: int) -> tuple[int, int] | None:
    """Inner bounds of the ``[…]`` right at `at`; None where there is none."""
    if not source.startswith("[", at):
        return None
    depth = 0
    for match in _BRACKET.finditer(source, at + 1, at + 2000):
        if match[0] == "]" and depth == 0:
            return at + 1, match.start()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return None


def after_options(source: str, at: int, groups: int = 0) -> int:
    """Where source goes on after all options at `at` and up to `groups` arguments."""
    while True:
        if span := option(source, at):
            at = span[1] + 1
        elif groups and (inner := group(source, at)):
            at = min(inner[1] + 1, len(source))
            groups -= 1
        else:
            return at
