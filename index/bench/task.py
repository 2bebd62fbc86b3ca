"""What goes to the processes that measure one engine, and what comes back."""

from msgspec import Struct

from kb.settings import EngineSettings


class Build(Struct, frozen=True, tag=True):
    """Build an engine and save it."""

    settings: EngineSettings
    vectors: str
    folder: str  # an empty one


class Search(Struct, frozen=True, tag=True):
    """Load a saved engine and search with each of some settings that need no other build."""

    settings: tuple[EngineSettings, ...]
    vectors: str
    folder: str
    queries: str
    floors: str


class Built(Struct, frozen=True):
    """What a build comes to."""

    seconds: float
    disk_bytes: int
    note: str


class Point(Struct, frozen=True):
    """What one way to search comes to."""

    recall: float  # @10, against exact search
    qps: float  # questions a second, one at a time
    p95_ms: float
    batch_qps: float  # all questions at once


class Searched(Struct, frozen=True):
    """What a loaded engine comes to."""

    load_seconds: float
    memory_bytes: int | None  # that it holds beside the mapped vectors; None: not known here
    points: tuple[Point, ...]
