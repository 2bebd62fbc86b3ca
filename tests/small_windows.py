"""A worker that keeps documents in small parts."""

from functools import partial

from ingest import parsing
from ingest.chunk.windows import windows
from ingest.workers import child

LEAST, MOST = 4000, 16000


def main(arguments: list[str]) -> None:
    parsing.windows = partial(windows, least=LEAST, most=MOST)
    child.main(arguments)
