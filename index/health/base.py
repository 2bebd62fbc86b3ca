"""What a check gets and gives."""

import enum
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property

from index.reader import GenerationReader
from kb import generations
from kb.errors import TeselaError
from kb.generations import Manifest
from kb.location import Location
from kb.models.embedder import Embedder
from kb.settings import Settings
from kb.store import Store
from kb.store.repair import problem


class Remedy(enum.IntEnum):
    """What ``doctor --fix`` does, in the order it does it."""

    STORE = 1  # put the store aside, keep its sources, sync
    CACHE = 2  # put a cache or the ledger aside: it fills again
    KEYS = 3  # have the files read again whose results are gone
    CURRENT = 4  # name the newest whole generation
    OLD = 5  # remove an old generation that is damaged
    BUILD = 6  # build the generation anew from the store
    LEFTOVERS = 7  # remove what killed runs left


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a check found."""

    what: str
    mend: str  # the command that mends it
    remedy: Remedy | None = None  # None: only the user can
    wrong: bool = True  # False: worth knowing, no harm
    number: int = 0  # of the generation, for `Remedy.OLD`


@dataclass
class Checkup:
    """A knowledge base under examination; nothing in it is changed."""

    location: Location
    settings: Settings | None  # None: they do not hold, `settings_error` says why
    settings_error: str
    load_embedder: Callable[[], Embedder]

    @cached_property
    def manifest(self) -> Manifest | None:
        """Of the current generation; None where there is none or it cannot be read."""
        folder = generations.current_folder(self.location)
        try:
            return generations.read_manifest(folder) if folder is not None else None
        except TeselaError:
            return None

    @cached_property
    def damaged(self) -> list[str]:
        """Files of the current generation that are not what the manifest says."""
        folder = generations.current_folder(self.location)
        if folder is None or self.manifest is None:
            return []
        return generations.damaged_files(folder, self.manifest)

    @cached_property
    def reader(self) -> GenerationReader | None:
        """Of the current generation; None unless every file of it is what it was."""
        if self.manifest is None or self.damaged:
            return None
        return GenerationReader.open(self.location)

    @cached_property
    def store_problem(self) -> str:
        """What is wrong with the store's file, "" for nothing."""
        return problem(self.location.store)

    def store(self) -> AbstractContextManager[Store] | None:
        """The store, to be closed; None where it is not there or cannot be read."""
        if not self.location.store.exists() or self.store_problem:
            return None
        try:
            with Store.looking(self.location):  # whether it opens, before it is handed out
                pass
            return Store.looking(self.location)
        except TeselaError:
            return None


Check = Callable[[Checkup], Iterator[Finding]]
