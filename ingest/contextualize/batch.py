"""Contexts by a provider's batch service: leave what is to be asked, fetch what was answered."""

from dataclasses import dataclass

from ingest.chunk.windows import joined, with_chunks
from ingest.contextualize.asking import Asker, Situating
from ingest.contextualize.llm import LlmContext
from ingest.contextualize.stage import said_before, stale_rows
from ingest.contextualize.wish import Wish
from ingest.keys import IndexKeys
from kb.errors import BudgetReached
from kb.models.llm.batches import Batches
from kb.models.llm.llm import Llm
from kb.settings import LlmSettings
from kb.store import Store


@dataclass(slots=True)
class Submitted:
    """What was left with the service."""

    calls: int = 0
    stopped: BudgetReached | None = None


def submit_contexts(
    store: Store,
    settings: LlmSettings,
    keys: IndexKeys,
    provider: LlmContext,
    wish: Wish,
    llm: Llm,
    batches: Batches,
) -> Submitted:
    """Leave what the stage would ask, in batches, each written down before it is sent.

    Raises:
        Unavailable: the service does not take it; what it has taken before is written down.
    """
    done = Submitted()
    asker = Asker(
        provider, settings.model, lambda: llm, settings.concurrency, wish, lambda *_: None
    )
    try:
        for rows in stale_rows(store, keys, wish):
            into = Situating(said_before(store, rows))
            documents, chunks = rows[0].parse_key, rows[0].chunk_key
            for window, inside in with_chunks(
                joined(store.documents(documents)), store.chunks(chunks)
            ):
                for item in asker.wanted(into, window.document, inside):
                    done.calls += batches.add(item.make())
    except BudgetReached as error:
        done.stopped = error
    batches.flush()
    return done
