"""From a request to a plan: scan, compare, and see whether too much would go."""

import time
from dataclasses import dataclass

from ingest import guard
from ingest.keys import ReadKeys
from ingest.plan import Judge, Plan, make_plan
from ingest.sidecar import PARSER, is_sidecar
from ingest.survey import Request, Survey, survey
from kb.digest import sha256_file
from kb.errors import TeselaError
from kb.location import Location
from kb.records import SourceFile
from kb.settings import Settings
from kb.store import FileRow, Store


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan, what it was made from, and what speaks against it."""

    plan: Plan
    survey: Survey
    objections: list[str]

    def insist(self) -> None:
        """Stop where something speaks against the plan.

        Raises:
            TeselaError: more would go than the request allows.
        """
        if self.objections:
            raise TeselaError(f"{'; '.join(self.objections)}: {guard.WAY_OUT}")


def prepare(location: Location, store: Store, settings: Settings, request: Request) -> Prepared:
    """Find out what a run has to do; reads the folders and the store, and writes nothing.

    Raises:
        UsageError: a path is not there.
    """
    now_ns = time.time_ns()
    known = {row.path: row for row in store.files()}
    served = (path for path, row in known.items() if row.parse_key)
    found = survey(location, store.sources(), served, settings.scan, request.paths)
    there = found.found
    if request.limit is None:  # asked to let go of what is gone: a source that is, is no failure
        there = [entry for entry in there if entry.path not in found.missing]
    plan = make_plan(there, known, found.covers, _judge(settings, request), now_ns)
    plan.new_sources = found.new_sources
    plan.missing = sorted(found.missing) if request.limit is None else []
    objections = (
        guard.objections(plan, found, known.values(), request.limit) if request.limit else []
    )
    return Prepared(plan, found, objections)


def _judge(settings: Settings, request: Request) -> Judge:
    keys = ReadKeys(settings.parse, settings.llm)

    def parse_holds(row: FileRow) -> bool:
        in_kind = is_sidecar(row.path) == (row.parser == PARSER)
        return in_kind and row.parse_key == keys.parsed(row.sha256, row.parser)

    def failure_holds(row: FileRow) -> bool:
        return row.failed_key == keys.failed(row.sha256, row.path)

    def hashed(entry: SourceFile) -> str:
        return sha256_file(entry.absolute)

    return Judge(hashed, parse_holds, failure_holds, request.verify, request.retry)
