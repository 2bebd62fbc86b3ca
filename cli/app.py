"""The command table; a command's module is imported when it is called."""

import importlib
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

COMMANDS = (  # in the order of the pipeline; the name is the module in cli.commands
    "init",
    "source",
    "sync",
    "ingest",
    "chunk",
    "contextualize",
    "index",
    "reindex",
    "raptor",
    "summarize",
    "graph",
    "query",
    "ask",
    "batch",
    "compare",
    "eval",
    "list",
    "show",
    "open",
    "inspect",
    "scan",
    "diff",
    "snapshot",
    "status",
    "failures",
    "cost",
    "bench",
    "tune",
    "doctor",
    "gc",
    "cron",
    "config",
    "demo",
)


class _LazyGroup(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"cli.commands.{cmd_name}")
        command = get_command(module.app)
        command.name = cmd_name
        return command


_typer = typer.Typer(
    cls=_LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"tesela {version('tesela')}")
        raise typer.Exit


@_typer.callback()
def _root(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_version,
        is_eager=True,  # before "Missing command"
        help="Print the version and leave.",
    ),
) -> None:
    """Builds a knowledge base from folders of documents and answers questions on it.

    Start with 'tesela init' and 'tesela sync FOLDER', then 'tesela query QUESTION' or 'tesela ask
    QUESTION'. 'tesela COMMAND --help' tells more of each.
    """


app = get_command(_typer)
