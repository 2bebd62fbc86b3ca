"""``tesela contextualize --batch submit|collect``."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from cli import say
from cli.progress import progress
from cli.workspace import Workspace, keep, writing

if TYPE_CHECKING:
    from ingest.contextualize.llm import LlmContext
    from ingest.contextualize.wish import Wish
    from kb.models.llm.batches import Batches
    from kb.models.llm.llm import Llm


def submit(
    workspace: Workspace, kept: Mapping[str, Any], wish: "Wish", wait_seconds: float
) -> None:
    """Leave what is to be asked.

    Raises:
        BudgetReached: a cap is reached; what it allows was left.
    """
    from ingest.contextualize.batch import submit_contexts
    from ingest.pipeline import check_provider, chunk_documents, contextualizer, index_keys

    check_provider(workspace.settings)
    embedder = workspace.embedder
    with writing(workspace, wait_seconds) as store, progress() as advance:
        keep(workspace, kept)
        settings = workspace.settings
        chunk_documents(store, settings, embedder, advance)
        with _batches(workspace) as (llm, batches):
            provider = cast("LlmContext", contextualizer(settings, embedder))
            keys = index_keys(settings, embedder)
            done = submit_contexts(store, settings.llm, keys, provider, wish, llm, batches)
            under_way = sum(len(batch.calls) for batch in batches.sent)
    say.note(
        f"{say.count(done.calls, 'call')} left with the batch service, {under_way:,} under way; "
        "later: tesela contextualize --batch collect"
    )
    if done.stopped is not None:
        raise done.stopped


def collect(
    workspace: Workspace, kept: Mapping[str, Any], wish: "Wish", wait_seconds: float
) -> None:
    """Fetch what is answered, and write the contexts of it. Exits as ``contextualize`` does."""
    from dataclasses import replace

    from cli.commands.contextualize import tell
    from ingest.contextualize.prompt import lacks
    from ingest.pipeline import check_provider, chunk_documents, contextualize_chunks

    check_provider(workspace.settings)
    embedder = workspace.embedder
    with writing(workspace, wait_seconds) as store, progress() as advance:
        keep(workspace, kept)
        with _batches(workspace) as (_, batches):
            had = len(batches.sent)
            found = batches.collect(lacks)
        if not had:
            say.note("nothing was left with a batch service: tesela contextualize --batch submit")
            return
        chunk_documents(store, workspace.settings, embedder, advance)
        wish = replace(wish, ask=False)
        done = contextualize_chunks(store, workspace.settings, embedder, advance, wish)
    say.note(f"{say.count(found.answers, 'answer')} fetched")
    if found.running:
        say.note(
            f"{say.count(found.running, 'batch', 'batches')} not done yet: collect again later"
        )
    if lost := found.unusable + found.missing:
        say.note(
            f"{say.count(lost, 'call')} came to nothing: submit again, or run contextualize, to ask"
        )
    if done.pending:
        left = say.count(done.pending, "chunk")
        say.note(f"the structural context stands in at {left} that the LLM has not answered")
    tell(workspace, done)


@contextlib.contextmanager
def _batches(workspace: Workspace) -> "Iterator[tuple[Llm, Batches]]":
    from kb.models.llm.batch_services import batch_service
    from kb.models.llm.batches import Batches
    from kb.models.llm.open import open_llm

    llm = open_llm(workspace.location, workspace.settings.llm, say.note)
    try:
        yield llm, Batches(workspace.location, llm, batch_service(llm.client))
    finally:
        llm.close()
