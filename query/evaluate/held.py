"""What the knowledge base holds of that which judgements name."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.location import Location
from query.evaluate.judge import Target
from query.evaluate.judgements import Judgement
from query.evaluate.relocate import Relocator

Mask = NDArray[np.bool_]


@dataclass(slots=True)
class Resolved:
    """Judgements as targets, and what became of the others."""

    targets: list[tuple[Target, ...]] = field(default_factory=list)  # of each question
    missing: Counter[str] = field(default_factory=Counter)  # name → judgements; nothing has it
    ambiguous: Counter[str] = field(default_factory=Counter)  # several documents are called so
    hidden: Counter[str] = field(default_factory=Counter)  # there, and kept out by a filter
    moved: int = 0  # spans whose words stand elsewhere in the document now
    gone: list[int] = field(default_factory=list)  # questions whose evidence has changed or gone

    @property
    def unheld(self) -> int:
        """Judgements that no ranking can meet."""
        return sum(map(Counter.total, (self.missing, self.ambiguous, self.hidden)))


class Documents:
    """Documents and chunks of a generation, by what people call them."""

    def __init__(
        self, reader: GenerationReader, location: Location, readable: Mask, live: Mask | None
    ) -> None:
        """`readable` and `live` are rows, bool (n,): what whoever asks may read, and what may answer."""
        self._reader = reader
        self._location = location
        self._live = live
        entries = reader.chunks.documents
        self._open = {
            entry.path: number
            for number, entry in enumerate(entries)
            if readable[slice(*reader.chunks.rows(number))].all()
        }
        self._by_id = {entries[n].doc_id: path for path, n in self._open.items()}
        self._by_end: dict[str, set[str]] = {}
        for path in self._open:
            for name in _endings(path):
                self._by_end.setdefault(name, set()).add(path)
        self._chunks: dict[str, int] = {}

    def look_for_chunks(self, names: Iterable[str]) -> None:
        """Read which of the names are chunks: one pass over all of them."""
        wanted = set(names)
        if not wanted:
            return
        for row, chunk in enumerate(self._reader.chunks):
            if chunk.id in wanted and chunk.path in self._open:
                self._chunks[chunk.id] = row

    def called(self, name: str) -> set[str]:
        """The documents of a name: a path, an id, the end of a path, or that without its suffix."""
        for exact in (name, self._by_id.get(name, ""), self._location.written(Path(name))):
            if exact in self._open:
                return {exact}
        return self._by_end.get(name.strip("/"), set())

    def chunk(self, name: str) -> int | None:
        """The row of a chunk."""
        return self._chunks.get(name)

    def answers(self, path: str) -> bool:
        """Whether some of a document passes the filters."""
        return self._live is None or bool(self._live[slice(*self.rows(path))].any())

    def row_answers(self, row: int) -> bool:
        """Whether a chunk passes the filters."""
        return self._live is None or bool(self._live[row])

    def rows(self, path: str) -> tuple[int, int]:
        """First row of a document and the row after its last."""
        return self._reader.chunks.rows(self._open[path])


def resolve(
    judged: Sequence[Sequence[Judgement]], documents: Documents, relocator: Relocator
) -> Resolved:
    """The targets of each question.

    What the KB does not hold stays a target that nothing meets: it counts against recall, and is
    named. Evidence with its words noted is looked for where it stands now; a question none of whose
    evidence is left, or none that whoever asks may read, is listed in `Resolved.gone`.
    """
    named = {j.name for found in judged for j in found if j.names != "document" and not j.span}
    documents.look_for_chunks(name for name in named if not documents.called(name))
    done = Resolved()
    for number, found in enumerate(judged):
        targets = [_target(judgement, documents, relocator, done) for judgement in found]
        left = tuple(target for target in targets if target is not None)
        if not left:
            done.gone.append(number)
        done.targets.append(left)
    return done


def whole_documents(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The documents that targets are in, each once with its best grade; chunks stay chunks."""
    best: dict[Target, int] = {}
    for target in targets:
        whole = Target(path=target.path, chunk=target.chunk)
        best[whole] = max(best.get(whole, 0), target.grade)
    return tuple(Target(path=t.path, chunk=t.chunk, grade=grade) for t, grade in best.items())


def _target(
    judgement: Judgement, documents: Documents, relocator: Relocator, done: Resolved
) -> Target | None:
    name, grade = judgement.name, judgement.grade
    paths = set() if judgement.names == "chunk" else documents.called(name)
    if not paths and (row := documents.chunk(name)) is not None:
        if not documents.row_answers(row):
            done.hidden[name] += 1
        return Target(chunk=name, grade=grade)
    if not paths and judgement.quote:
        return None
    if len(paths) != 1:
        (done.ambiguous if paths else done.missing)[name] += 1
        return Target(path=name, grade=grade, span=judgement.span)
    (path,) = paths
    if not documents.answers(path):
        done.hidden[name] += 1
    span = judgement.span
    if span is None or not judgement.quote:
        return Target(path=path, span=span, grade=grade)
    now = relocator.find(documents.rows(path), span, judgement.quote)
    if now is None:
        return None
    done.moved += now != span
    return Target(path=path, span=now, grade=grade)


def _endings(path: str) -> Iterable[str]:
    """``docs/a/b.md`` is also ``a/b.md``, ``b.md`` and ``b``, and each of them without ``.md``."""
    parts = PurePosixPath(path).parts
    for first in range(len(parts)):
        end = PurePosixPath(*parts[first:])
        yield str(end)
        if end.suffix:
            yield str(end.with_suffix(""))
