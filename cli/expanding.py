"""The option ``--expand``, and how the text around a hit is shown."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cli import say
from cli.snippet import mark
from kb.errors import UsageError
from kb.records import Expansion, Hit

if TYPE_CHECKING:
    from rich.text import Text

ExpandOption = Annotated[
    str | None,
    typer.Option(
        metavar="section|window:N|document|leaves",
        help="Each hit with the text around it: its section, N chunks before and after, or all of "
        "its document; or a summary with the passages under it. As far as query.expand_characters "
        "goes.",
        show_default=False,
    ),
]


def check_expand(expand: str | None, form: str | None, textless: Collection[str]) -> None:
    """See that the option can be read and that the format shows text.

    Raises:
        UsageError: it is not so.
    """
    if expand is None:
        return
    from query.expand import read_expand

    read_expand(expand)
    if form in textless:
        raise UsageError(
            f"--expand adds text, and --format {form} shows none: leave one of them out"
        )


def pieces(found: Expansion, hits: Sequence[Hit]) -> Iterator[tuple[str, bool]]:
    """The text in parts, and for each whether it is a hit's own words."""
    spans = sorted((h.chunk.start, h.chunk.end) for h in hits if h.rank in found.ranks)
    at = found.start
    for start, end in spans:
        if start > at:
            yield found.text[at - found.start : start - found.start], False
        if end > at:
            yield found.text[max(start, at) - found.start : end - found.start], True
            at = end
    if at < found.end:
        yield found.text[at - found.start :], False


def left_out(found: Expansion) -> list[str]:
    """What was cut, in words."""
    sides = (("before", found.before), ("after", found.after))
    return [
        f"{say.count(number, 'character')} of the {found.kind} {side} this left out "
        "(query.expand_characters)"
        for side, number in sides
        if number
    ]


def _pointer(hit: Hit) -> str:
    return f"in the text of hit {hit.expanded_in}"


def quoted(hit: Hit, hits: Sequence[Hit]) -> list[str]:
    """Markdown: the passage in a quote; with text around it, in a quote inside that one's."""
    from query.leaves import cited

    if hit.expanded_in is not None:
        return [f"({_pointer(hit)})"]
    if hit.expanded is None:
        return [f"> {line}" for line in hit.chunk.text.splitlines()]
    lines: list[str] = []
    for text, where in cited(hit.expanded):
        lines += [f"> {line}" for line in f"{text} ({say.in_line(where)})".splitlines()]
    for text, own in () if lines else pieces(hit.expanded, hits):
        if not text.strip():
            continue
        if lines:
            lines.append(">")  # a line that follows a deeper quote would be taken into it
        lines += [f"{'>>' if own else '>'} {line}" for line in text.strip("\n").splitlines()]
    for text in left_out(hit.expanded):
        lines += ["", f"*{text}*"]
    return lines


def whole(hit: Hit, hits: Sequence[Hit], words: frozenset[str]) -> "Text | None":
    """For a terminal: what is around the passage is dim; None where nothing was asked for."""
    from rich.text import Text

    from query.leaves import cited

    if hit.expanded_in is not None:
        return Text(f"({_pointer(hit)})", "dim")
    if hit.expanded is None:
        return None
    shown = Text()
    for text, where in cited(hit.expanded):
        start = len(shown)
        shown.append(say.visible(text))
        mark(shown, words, start)
        shown.append(f"  {say.visible(where)}\n", "dim")
    for text, own in () if len(shown) else pieces(hit.expanded, hits):
        start = len(shown)
        shown.append(say.visible(text), "" if own else "dim")
        if own:
            mark(shown, words, start)
    shown.rstrip()
    for text in left_out(hit.expanded):
        shown.append(f"\n… {text}", "dim")
    return shown
