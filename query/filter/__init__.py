"""Which rows may answer, decided before any leg looks.

`rows` turns options (`Filter`) into the mask that every leg takes; `marked` notes on hits what their
documents are on the day in question. `readable`, `closed_paths` and `may_name` are what rights alone
leave, for commands that show what they are asked for by name.
"""

from query.filter.apply import (
    closed_paths,
    documents,
    marked,
    may_name,
    out_of_date,
    readable,
    rows,
)
from query.filter.options import Filter, principal_of

__all__ = [
    "Filter",
    "closed_paths",
    "documents",
    "marked",
    "may_name",
    "out_of_date",
    "principal_of",
    "readable",
    "rows",
]
