"""What a query says of files that are no longer as they were indexed."""

from typing import TYPE_CHECKING

from cli import say
from kb.errors import PartialFailure

if TYPE_CHECKING:
    from kb.records import Hit
    from query.fresh import FreshnessCheck


def require(check: "FreshnessCheck", hits: "list[Hit]") -> None:
    """Every hit must be fresh.

    Raises:
        PartialFailure: some are not; lists their files.
        TeselaError: the store cannot be read.
    """
    stale = {hit.chunk.path: hit.fresh for hit in hits if not check.is_fresh(hit.chunk)}
    if stale:
        for path, state in stale.items():
            say.note(f"  {state}: {say.in_line(path)}")
        files = say.count(len(stale), "file")
        raise PartialFailure(
            f"{files} with an answer changed or went since the last sync, and --fresh fail was "
            "asked for: run 'tesela sync'"
        )


def footer(check: "FreshnessCheck") -> None:
    """One line where the index is behind its files."""
    behind = check.behind()
    if behind is not None and behind.files:
        least = "" if behind.all_seen else "at least "
        files = say.count(behind.files, "file")
        say.note(f"{least}{files} changed since the last sync: run tesela sync")
