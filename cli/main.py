"""Entry point: runs a command and turns errors into messages and exit codes."""

import errno
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import TyperException

_INTERRUPTED = 130


def main() -> None:
    """Run ``tesela``; never returns."""
    _open_streams()
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _mute_stdout()
    except OSError as error:  # a full disk shows only here
        _tell(f"cannot write the output: {error.strerror}")
        code = 1
    # Skips the interpreter's tear-down, which costs 50-100 ms once onnxruntime is loaded. Everything
    # that must be closed was closed by its own context.
    sys.stderr.flush()
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    from typer import Abort, Exit, TyperException

    from cli.app import app
    from kb.errors import TeselaError

    try:
        result = app(args=arguments, prog_name="tesela", standalone_mode=False)
    except TeselaError as error:
        _tell(error)
        return error.exit_code
    except Exit as leave:
        return leave.exit_code
    except TyperException as error:  # wrong flags and arguments
        sys.stderr.write(f"{error}\n" if _is_help(error) else f"tesela: {_of_usage(error)}\n")
        return 2
    except (KeyboardInterrupt, Abort):
        _tell("interrupted")
        return _INTERRUPTED
    except (BrokenPipeError, SystemExit):  # Typer leaves by SystemExit on a broken pipe only
        _mute_stdout()
        return 0
    except OSError as error:
        if os.environ.get("TESELA_DEBUG"):
            raise
        _tell(_of_system(error))
        return 1
    if result == _INTERRUPTED:  # what Typer makes of a Ctrl-C
        _tell("interrupted")
    return result if isinstance(result, int) else 0


def _is_help(error: Exception) -> bool:
    """``tesela`` alone: the message is the whole help."""
    return str(error).startswith("Usage:")


def _on_dash(error: Exception) -> str:
    """``tesela query -word``: taken for options, letter by letter."""
    name = getattr(error, "option_name", "")
    unknown = type(error).__name__ == "NoSuchOption" and not name.startswith("--")
    return "; a text that begins with - goes after --" if unknown else ""


def _of_usage(error: "TyperException") -> str:
    """What is wrong, with the option's name, and where the command's help is."""
    text = error.format_message().rstrip(".")
    if "extra argument" in text:
        text += "; a text of several words stands in quotes"
    context = getattr(error, "ctx", None)
    if context is not None and text.startswith("No such command"):
        text += _nearest(text.split("'")[1], context.command.list_commands(context))
    text += _on_dash(error)
    return f"{text} (see '{context.command_path} --help')" if context is not None else text


def _nearest(word: str, names: list[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(word, names, 1)
    return f": did you mean '{found[0]}'?" if found else ""


def _tell(error: object) -> None:
    from cli import say

    say.note(f"tesela: {error}")


def _of_system(error: OSError) -> str:
    """What the system refused, and on which file: a full disk, a folder that may not be written."""
    if error.filename is None:
        return str(error.strerror or error)
    way_out = ": free some space and run it again" if error.errno == errno.ENOSPC else ""
    return f"{os.fsdecode(error.filename)}: {error.strerror or error}{way_out}"


def _open_streams() -> None:
    """Streams that the shell closed lead nowhere; characters the terminal lacks are escaped."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif isinstance(stream, TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="backslashreplace")


def _mute_stdout() -> None:
    """The reader of the pipe has gone (``| head -1``): nothing more to say, and no complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
