"""The context stage with an LLM: what it said is kept beside the contexts, and outlives edits."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.batches import batches
from ingest.chunk.windows import joined, with_chunks
from ingest.contextualize.asking import Asker, Situating
from ingest.contextualize.llm import LlmContext
from ingest.contextualize.wish import ContextReport, Wish, told
from ingest.keys import IndexKeys, asked_key
from ingest.read_report import Progress
from kb.location import Location
from kb.models.llm.lazily import lazily
from kb.models.llm.llm import Llm
from kb.settings import Settings
from kb.store import FileRow, Said, Store


def stale_rows(store: Store, keys: IndexKeys, wish: Wish) -> list[list[FileRow]]:
    """Files whose contexts are to be written, those of the same content together.

    What is said of the first of them is taken for all.
    """
    groups: dict[str, list[FileRow]] = {}
    for row in store.files():
        if row.chunk_key and (wish.refresh or not keys.is_situated(row, retry=wish.retry)):
            groups.setdefault(row.chunk_key, []).append(row)
    return list(groups.values())


def ask_contexts(
    location: Location,
    store: Store,
    settings: Settings,
    keys: IndexKeys,
    provider: LlmContext,
    wish: Wish,
    progress: Progress,
) -> ContextReport:
    """Write the contexts that are missing or out of date, in batches that are each committed."""
    report = ContextReport()
    stale = stale_rows(store, keys, wish)
    if not stale:
        return report
    with lazily(location, settings.llm, report.notes.append) as llm:
        opened: list[Llm] = []

        def get() -> Llm:
            opened[:] = [llm()]
            return opened[0]

        model, most = settings.llm.model, settings.llm.concurrency
        asker = Asker(provider, model, get, most, wish, progress)
        for batch in batches(stale, lambda rows: rows[0].size):
            _situate(store, keys, asker, batch, report)
            progress("contexts", sum(map(len, batch)))
        report.calls = opened[0].calls if opened else 0
    report.stopped = asker.stopped
    return report


def _situate(
    store: Store,
    keys: IndexKeys,
    asker: Asker,
    batch: Sequence[list[FileRow]],
    report: ContextReport,
) -> None:
    documents = [Situating(said_before(store, rows)) for rows in batch]
    asker.situate(
        (
            into,
            with_chunks(
                joined(store.documents(rows[0].parse_key)), store.chunks(rows[0].chunk_key)
            ),
        )
        for into, rows in zip(documents, batch, strict=True)
    )
    results, changed = [], []
    for into, rows in zip(documents, batch, strict=True):
        key = _key(keys, rows[0].chunk_key, into)
        _note(report, rows, into)
        moved = [row for row in rows if (row.context_key, row.asked_key) != (key, key)]
        report.documents += len(moved)
        if not moved:
            continue
        store.put_said(key, into.said.values())
        results.append((key, [tuple(part) for part in into.parts]))
        changed += [replace(row, context_key=key, asked_key=key) for row in moved]
    if changed:
        store.put("contexts", results, changed)


def said_before(store: Store, rows: list[FileRow]) -> dict[str, Said]:
    """What an LLM said of the chunks of files that have the same content, by chunk."""
    before: dict[str, Said] = {}
    for key in {row.asked_key for row in rows if row.asked_key}:
        before |= {k: s for k, s in store.said(key).items() if not s.problem or k not in before}
    return before


def _key(keys: IndexKeys, chunk_key: str, into: Situating) -> str:
    contexts = (context for part in into.parts for context in part)
    seen = sorted(f"{one.chunk}{one.document}" for one in into.said.values())
    return asked_key(
        keys.situated(chunk_key),
        [*contexts, *seen],
        pending=into.pending > 0,
        failed=bool(into.failed),
    )


def _note(report: ContextReport, rows: list[FileRow], into: Situating) -> None:
    report.pending += into.pending
    if into.failed:
        reason = told(len(into.failed), into.failed[0])
        report.failed |= {row.path: reason for row in rows}
