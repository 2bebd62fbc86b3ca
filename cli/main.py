"""Entry point: runs a command and turns errors into messages and exit codes."""

import os
import sys


def main() -> None:
    """Run ``tesela``; never returns."""
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _mute_stdout()
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
        sys.stderr.write(f"tesela: {error}\n")
        return error.exit_code
    except Exit as leave:
        return leave.exit_code
    except TyperException as error:  # wrong flags and arguments
        sys.stderr.write(f"tesela: {error}\n")
        return 2
    except (KeyboardInterrupt, Abort):
        sys.stderr.write("tesela: interrupted\n")
        return 130
    except BrokenPipeError:
        _mute_stdout()
        return 0
    return result if isinstance(result, int) else 0


def _mute_stdout() -> None:
    """The reader of the pipe has gone (``| head -1``): nothing more to say, and no complaint."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
