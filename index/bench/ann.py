"""All engines measured on the same vectors and questions, each in a process of its own."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from index.bench.material import Material
from index.bench.subjects import KINDS, efforts, own_effort, settings_for, with_effort
from index.bench.task import Build, Built, Point, Search, Searched
from kb import registry
from kb.errors import TeselaError, Unavailable
from kb.settings import EngineSettings

Result = TypeVar("Result")
_BOOT = "import sys; sys.path[:] = sys.argv[1:]; from index.bench.worker import main; main()"


@dataclass(frozen=True, slots=True)
class Measured:
    """One engine."""

    name: str  # of `KINDS`
    effort: str  # the setting that the points differ in; "": there is one point
    efforts: tuple[int, ...]
    built: Built
    searched: Searched
    own: int  # which point is that of the settings

    @property
    def point(self) -> Point:
        """What the settings as they are come to."""
        return self.searched.points[self.own]


@dataclass(frozen=True, slots=True)
class Left:
    """An engine that could not be measured."""

    name: str
    reason: str
    missing: bool  # its package is not installed


def measure(
    material: Material, names: Sequence[str], base: EngineSettings
) -> Iterator[Measured | Left]:
    """Measure each engine, one after the other.

    Args:
        material: what they are measured on.
        names: of `KINDS`.
        base: the settings that say what each engine's parameters are.
    """
    for name in names:
        try:
            registry.choose("engine", KINDS[name].engine)
            yield _measured(material, name, base)
        except Unavailable as error:
            yield Left(name, str(error), missing=True)
        except TeselaError as error:
            yield Left(name, str(error), missing=False)


def _measured(material: Material, name: str, base: EngineSettings) -> Measured:
    kind = KINDS[name]
    settings = settings_for(kind, base)
    tried = efforts(kind, settings, material.rows)
    searches = tuple(with_effort(kind, settings, effort) for effort in tried) or (settings,)
    own = own_effort(kind, settings, material.rows)
    place = tried.index(own) if own is not None else 0
    with tempfile.TemporaryDirectory(dir=material.queries.parent) as folder:
        built = build(material, settings, folder)
        searched = search(material, searches, folder)
    return Measured(name, kind.effort, tuple(tried), built, searched, place)


def build(material: Material, settings: EngineSettings, folder: str) -> Built:
    """Build an engine into an empty folder, in a process of its own.

    Raises:
        TeselaError: it failed or was ended; the message has its last words.
    """
    return _in_a_process(Build(settings, str(material.vectors), folder), settings.name, Built)


def search(material: Material, ways: Sequence[EngineSettings], folder: str) -> Searched:
    """Search what `build` saved in each way, in a process of its own. Raises as `build` does."""
    task = Search(
        tuple(ways), str(material.vectors), folder, str(material.queries), str(material.floors)
    )
    return _in_a_process(task, ways[0].name, Searched)


def _in_a_process(task: Build | Search, engine: str, result: type[Result]) -> Result:
    path = [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100  (it may hold "")
    done = subprocess.run(
        [sys.executable, "-I", "-c", _BOOT, *path],
        input=msgspec.json.encode(task),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [
            f"its process ended with {done.returncode}, perhaps for want of memory"
        ]
        raise TeselaError(f"engine {engine!r} could not be measured: {last[0]}")
    return msgspec.json.decode(done.stdout, type=result)
