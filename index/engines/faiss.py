"""flat, ivf or hnsw by faiss, chosen by `settings.faiss_kind`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Protocol

from index.engines.approximate import ApproximateEngine
from index.engines.base import Floats, Rows
from kb.settings import EngineSettings


class Kind(Protocol):
    """One of faiss' structures."""

    def build(self, vectors: Floats) -> str:
        """As `ApproximateEngine._build`."""
        ...

    def save(self, folder: Path) -> None:
        """As `ApproximateEngine._save`."""
        ...

    def load(self, folder: Path, vectors: Floats) -> None:
        """As `ApproximateEngine._load`."""
        ...

    def candidates(self, queries: Floats, count: int) -> Rows:
        """As `ApproximateEngine._candidates`."""
        ...


class FaissEngine(ApproximateEngine):
    """Hands over to the structure that the settings name; none of them stores the vectors as they are."""

    version: ClassVar[int] = 2

    def __init__(self, settings: EngineSettings) -> None:
        super().__init__(settings)
        self.name = f"faiss {settings.faiss_kind}"
        self._kind = _new_kind(settings)

    def _build(self, vectors: Floats) -> str:
        with _one_thread():
            return self._kind.build(vectors)

    def _save(self, folder: Path) -> None:
        self._kind.save(folder)

    def _load(self, folder: Path, vectors: Floats) -> None:
        self._kind.load(folder, vectors)

    def _candidates(self, queries: Floats, count: int) -> Rows:
        return self._kind.candidates(queries, count)


def _new_kind(settings: EngineSettings) -> Kind:
    if settings.faiss_kind == "hnsw":
        from index.engines.faiss_hnsw import FaissHnsw

        return FaissHnsw(settings)
    if settings.faiss_kind == "ivf":
        from index.engines.faiss_ivf import FaissIvf

        return FaissIvf(settings)
    from index.engines.faiss_flat import FaissFlat

    return FaissFlat()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sums and insertions in one order, so that the same vectors build the same bytes."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
