"""The question asked, and asked again another way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.location import Location
from kb.models.embedder import Embedder
from kb.records import Chunk
from kb.settings import QuerySettings, ScanSettings
from query.asked import Asked, ask, narrowed
from query.filter import Filter, rows
from query.hits import Trail
from query.pipeline import Searcher
from query.question import Question
from query.ranking import Ranking
from query.retrieve import MODES
from query.retrieve.dense import dense_of_all
from query.retrieve.sparse import sparse
from query.select.choose import Selection, choose

if TYPE_CHECKING:
    from kb.models.llm.llm import Llm

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask: settings, filter, and which files' hits are wanted."""

    settings: QuerySettings
    filter: Filter
    wanted: Callable[[Chunk], bool] | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """What was asked, of which generation."""

    reader: GenerationReader
    location: Location
    scan: ScanSettings
    embedder: Callable[[], Embedder]
    text: str
    lex: str = ""
    vec: str = ""
    llm: "Callable[[], Llm] | None" = None

    def run(self, way: Way) -> "Run":
        """Ask it."""
        asked = ask(self.text, self.lex, self.vec, way.settings.operators)
        return Run(self.reader, asked, narrowed(asked, way.settings), way, self.embedder, self.llm)


class Run:
    """One way to ask, as far as it is looked at."""

    def __init__(
        self,
        reader: GenerationReader,
        asked: Asked,
        settings: QuerySettings,
        way: Way,
        embedder: Callable[[], Embedder],
        llm: "Callable[[], Llm] | None" = None,
    ) -> None:
        self.asked, self.settings = asked, settings
        self._wanted = way.wanted
        self._searcher = Searcher(reader, settings, embedder, llm)
        self.reader = self._searcher.reader
        self._live = rows(reader, way.filter)  # of leaves
        self.question: Question = self._searcher.question(asked)

    @cached_property
    def live(self) -> NDArray[np.bool_] | None:
        """The rows that may answer on the route that was taken, bool (n,); None for all."""
        _ = self._found
        return self._searcher.admitted(self.question, self._live)

    @cached_property
    def _found(self) -> tuple[Trail, Selection]:
        return self._searcher.chosen(self.question, self._live, self._wanted)

    @property
    def trail(self) -> Trail:
        """Rankings of every step."""
        return self._found[0]

    @property
    def selection(self) -> Selection:
        """The hits."""
        return self._found[1]

    def rank(self, targets: Iterable[int]) -> int | None:
        """Of the first hit among the targets; None where none is a hit."""
        wanted = set(targets)
        picked = (int(self.trail.final.rows[pick.place]) for pick in self.selection.picks)
        return next((rank for rank, row in enumerate(picked, 1) if row in wanted), None)

    def rank_without_end(self, targets: Iterable[int]) -> int | None:
        """As `rank`, if the list went on to the last candidate."""
        wanted = set(targets)
        rows = (int(self.trail.final.rows[place]) for place in self.endless.collapsed.heads)
        return next((rank for rank, row in enumerate(rows, 1) if row in wanted), None)

    @cached_property
    def endless(self) -> Selection:
        """The hits if there were no k, no pruning and no diversity."""
        final = self.trail.final
        endless = replace(self.settings, k=max(len(final), 1), prune=False, diversity=0.0)
        return choose(final, self.reader, endless, self._wanted)

    def legs(self) -> dict[str, Ranking]:
        """Each leg's ranking of all rows that may answer in it."""
        found = {}
        for name in MODES[self._searcher.route(self.question).mode]:
            allowed = self.question.allowed(name, self.live, len(self.reader))
            found[name] = (
                dense_of_all(self.question, self.reader, allowed)
                if name == "dense"
                else sparse(self.question, self.reader, len(self.reader), allowed)
            )
        return found
