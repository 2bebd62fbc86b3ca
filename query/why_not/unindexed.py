"""Why a file has no row in the generation."""

import os
from collections.abc import Callable
from pathlib import Path

from index.reader import GenerationReader
from ingest.left_out import left_out_by
from ingest.scan import Skipped, scan
from ingest.sidecar import is_sidecar
from ingest.survey import innermost
from kb.location import Location
from kb.settings import ScanSettings
from kb.store import FileRow, SourceRow, Store
from query.place import read_place
from query.why_not.target import is_id
from query.why_not.verdict import Change, Step, Verdict

_SYNC = "tesela sync"


def unindexed(
    reader: GenerationReader,
    location: Location,
    settings: ScanSettings,
    what: str,
    may_name: Callable[[str], bool],
) -> Verdict:
    """What the sources and the store say of a file.

    A file whose name may not be known is answered exactly as one that is not there, and so is one
    that is reached through a link to it. Nothing outside the sources is looked at.
    """
    generation = reader.manifest.number
    if is_id(what):
        reason = f"generation {generation} holds no chunk of that id, and no document of that name"
        return Verdict(what, "unknown", reason)
    path = Path(what)
    with Store.looking(location) as store:
        sources = store.sources()
        source = innermost(location, sources, path)
        if source is None:
            path = location.absolute(what)  # as hits name it, from wherever one stands
            source = innermost(location, sources, path)
        if source is None:
            reason = "it lies in no folder that is followed, and is not indexed"
            return Verdict(what, "unknown", reason, change=Change(f"{_SYNC} PATH"))
        if not _is_there(location, path, may_name):
            if place := read_place(what):
                return unindexed(reader, location, settings, place.path, may_name)
            reason = f"generation {generation} does not hold it, and there is no such file"
            return Verdict(what, "unknown", reason)
        step, reason, change = _why(location, store, settings, source, path)
    return Verdict(what, step, reason, change=Change(change) if change else None)


def _is_there(location: Location, path: Path, may_name: Callable[[str], bool]) -> bool:
    real = Path(os.path.realpath(path))
    return may_name(location.written(path)) and may_name(location.written(real)) and real.is_file()


def _why(
    location: Location, store: Store, settings: ScanSettings, source: SourceRow, path: Path
) -> tuple[Step, str, str]:
    written = location.written(path)
    row = next((row for row in store.files(source.root) if row.path == written), None)
    if row is not None and row.error:
        return "failed", f"it could not be read: {row.error}", f"{_SYNC} --retry"
    if is_sidecar(written):
        return "not indexed", "it is a sidecar: its fields belong to the document beside it", ""
    if row is not None:
        return _read(store, row)
    root = location.absolute(source.root)
    others = [location.absolute(other.root) for other in store.sources() if other != source]
    found = [e for e in scan(root, location, settings, source, path, others) if e.path == written]
    if not found:
        rule = left_out_by(root, path, settings, source)
        return "ignored", rule or "it is reached through a link, which is not followed", ""
    if isinstance(found[0], Skipped):
        return "ignored", found[0].reason, ""
    return "not indexed", "the file is newer than the last sync", _SYNC


def _read(store: Store, row: FileRow) -> tuple[Step, str, str]:
    if row.chunk_key and next(store.chunks(row.chunk_key), None) is None:
        return "not indexed", "it was read and holds no text", ""
    return "not indexed", "it was read, but the generation asked is of before that", "tesela index"
