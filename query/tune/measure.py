"""Makes one trial: an index of the settings beside the KB, and the questions asked of it."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from index import beside
from index.facts import bytes_under
from index.reader import GenerationReader
from ingest.read_report import Progress
from kb import generations
from kb.digest import digest, digest_settings
from kb.location import Location
from kb.models.embedder import Embedder
from kb.settings import QuerySettings, Settings
from query.asked import Asked
from query.evaluate.held import Documents, resolve
from query.evaluate.measures import Measure
from query.evaluate.outcome import Outcome
from query.evaluate.rankings import ANSWER, Ranked, Ranker
from query.evaluate.relocate import Relocator
from query.evaluate.run import run
from query.filter import Filter, readable, rows
from query.tune.material import Material, Part
from query.tune.trial import Changes, Trial

_TIMED = 24  # chunks embedded to tell what all would take


@dataclass
class Bench:
    """What trials are made with.

    `read_tokens` cuts each ranking where so many tokens of hits have been read, so that settings with
    larger chunks do not win by showing more; None: it is not cut.
    """

    location: Location
    embedder: Embedder
    material: Material
    measure: Measure
    read_tokens: int | None
    filter: Filter
    progress: Callable[[], AbstractContextManager[Progress]]
    wait_seconds: float = 0.0
    embedding_seconds: dict[str, float] = field(default_factory=dict)  # by index

    def key(self, settings: Settings, split: str) -> str:
        """Of a trial."""
        return digest("trial", split, str(self.measure), digest_settings(settings))

    def is_built(self, settings: Settings) -> bool:
        """Whether its index is there."""
        return beside.find(self.location, settings, self.embedder, self.material.only).ready

    def trial(self, settings: Settings, changes: Changes, split: str) -> Trial:
        """Make a trial.

        Raises:
            Locked: another run writes, and something has to be built.
        """
        where, built = self._index(settings)
        reader = GenerationReader.open(where, settings.bm25)
        part = self.material.tune if split == "tune" else self.material.test
        with reader.blaming_damage():
            outcome = self._ask(reader, settings.query, part)
            seconds = self._build_seconds(reader, built)
        folder = generations.current_folder(where)
        values = [row.scored[ANSWER].values[str(self.measure)] for row in outcome.rows]
        times = [row.scored[ANSWER].seconds for row in outcome.rows]
        return Trial(
            key=self.key(settings, split),
            changes=changes,
            split=split,
            ids=[row.id for row in outcome.rows],
            values=values,
            query_ms=1000 * float(np.median(times)),
            build_seconds=seconds,
            disk_bytes=bytes_under(folder) if folder is not None else 0,
            chunks=len(reader),
        )

    def _index(self, settings: Settings) -> tuple[Location, beside.Built | None]:
        only = self.material.only
        variant = beside.find(self.location, settings, self.embedder, only)
        if variant.ready:
            return variant.location, None
        (built,) = beside.build(
            self.location,
            [(variant, settings, lambda: self.embedder)],
            self.progress,
            self.wait_seconds,
            only,
        )
        return variant.location, built

    def _ask(self, reader: GenerationReader, settings: QuerySettings, part: Part) -> Outcome:
        live = rows(reader, self.filter)
        documents = Documents(reader, self.location, readable(reader, self.filter), live)
        targets = resolve(part.judgements, documents, Relocator(reader)).targets
        ranker = _Reading(reader, settings, lambda: self.embedder, live)
        ranker.read_tokens = self.read_tokens
        return run(
            part.questions,
            targets,
            {ANSWER: ranker},
            [self.measure],
            settings.k,
            settings.operators,
        )

    def _build_seconds(self, reader: GenerationReader, built: beside.Built | None) -> float:
        """What a build takes that embeds every chunk; much of this one came from caches."""
        name = str(reader.folder)
        if name not in self.embedding_seconds:
            self.embedding_seconds[name] = self._seconds_to_embed(reader)
        embedding = self.embedding_seconds[name]
        if built is None or not len(reader):
            return embedding
        own = embedding * built.report.embedded / len(reader)
        return embedding + max(built.seconds - own, 0.0)

    def _seconds_to_embed(self, reader: GenerationReader) -> float:
        count = len(reader)
        if not count:
            return 0.0
        some = np.linspace(0, count - 1, min(_TIMED, count)).astype(int)
        texts = [reader.chunks[int(row)].embedded_text for row in some]
        began = time.perf_counter()
        self.embedder.embed(texts, "passage")
        return (time.perf_counter() - began) * count / len(texts)


class _Reading(Ranker):
    """A ranker whose hits end where so many tokens have been read; the first is always there."""

    read_tokens: int | None = None

    def rank(self, asked: Asked, depth: int, of_documents: bool) -> Ranked:
        """See `Ranker.rank`."""
        ranked = super().rank(asked, depth, of_documents)
        if self.read_tokens is None:
            return ranked
        read = np.cumsum([hit.chunk.tokens for hit in ranked.hits])
        kept = max(int(np.searchsorted(read, self.read_tokens, "right")), 1)
        return Ranked(ranked.hits[:kept], ranked.seconds)
