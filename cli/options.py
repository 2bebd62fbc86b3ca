"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from kb.errors import UsageError
from kb.registry import names


def given_path(text: str) -> Path:
    """A path argument; an empty one would mean the working folder, which nobody wrote.

    Raises:
        UsageError: it is empty.
    """
    if not text:
        raise UsageError("a path is given and empty: name a file or folder ('.' is this folder)")
    return Path(text)


KbOption = Annotated[
    Path | None,
    typer.Option(
        "--kb",
        parser=given_path,
        metavar="DIR",
        help="The folder that holds the knowledge base. [default: what TESELA_KB names, else this folder "
        "or the nearest above it that holds one]",
        show_default=False,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Any setting, for this run; see 'tesela config show'.",
        show_default=False,
    ),
]

WaitOption = Annotated[
    str | None,
    typer.Option(
        "--wait",
        metavar="TIME",
        help="How long to wait while another run writes, e.g. 30s, 10m. [default: not at all]",
        show_default=False,
    ),
]
ForceDeleteOption = Annotated[
    bool,
    typer.Option(
        "--force-delete",
        help="Forget what is gone, also where a source is missing, empty or much smaller.",
    ),
]
FileTimeoutOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How long one file, or one step of a long one, may take; kept for later runs. "
        "[default: 60s]",
        show_default=False,
    ),
]
FileMemoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="How much memory reading one file may take; kept for later runs. [default: 1GB]",
        show_default=False,
    ),
]
GenerationOption = Annotated[
    str | None,
    typer.Option(
        "--generation",
        metavar="NAME|NUMBER|DATE",
        help="The knowledge base as it was: a snapshot, a generation, or the newest of a date.",
        show_default=False,
    ),
]


def plain_app() -> typer.Typer:
    """A command's table of one, or of subcommands: help in plain text, which costs no import."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


def choices(kind: str) -> str:
    """The names registered for a kind of part, as help shows them; settings refuse any other."""
    return "|".join(names(kind))
