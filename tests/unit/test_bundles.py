"""Options in bundles: what Typer is shown, and what the command gets."""

import inspect
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
import typer

from cli.bundles import BundledCommand, with_bundles


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option(help="How wide.")]
    height: Annotated[int, typer.Option("--high")] = 2


def test_a_bundle_stands_where_its_parameter_stands() -> None:
    got: list[object] = []

    @with_bundles
    def command(*, name: str, size: Size, last: bool = False) -> None:
        """What it does."""
        got.append((name, size, last))

    parameters = inspect.signature(command).parameters
    assert list(parameters) == ["name", "width", "height", "last"]
    assert parameters["width"].default is inspect.Parameter.empty
    assert (parameters["height"].default, parameters["last"].default) == (2, False)
    assert (command.__name__, command.__doc__) == ("command", "What it does.")
    command(name="a", width=1, height=5, last=True)
    assert got == [("a", Size(1, 5), True)]


def test_typer_reads_names_defaults_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    got: list[Size] = []
    app = typer.Typer(rich_markup_mode=None, add_completion=False)

    @app.command()
    @with_bundles
    def command(*, size: Size) -> None:
        got.append(size)

    app(["--width", "3"], standalone_mode=False)
    app(["--width", "3", "--high", "4"], standalone_mode=False)
    assert got == [Size(3, 2), Size(3, 4)]
    app(["--help"], standalone_mode=False)
    assert "How wide." in capsys.readouterr().out


def test_help_shows_a_bundle_below_its_title(capsys: pytest.CaptureFixture[str]) -> None:
    @dataclass(frozen=True)
    class Titled(Size):
        TITLE: ClassVar[str] = "Measures"

    app = typer.Typer(rich_markup_mode=None, add_completion=False)

    def command(*, size: Titled, name: str = "x") -> None: ...

    command.__annotations__["size"] = Titled
    app.command(cls=BundledCommand)(with_bundles(command))
    app(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    places = [
        shown.index(word) for word in ("Options:", "--name", "Measures:", "--width", "--high")
    ]
    assert places == sorted(places)
