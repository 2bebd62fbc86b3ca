"""TREC run lines: ``qid Q0 docid rank score tag``."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from kb.records import Hit

DocId = Literal["path", "chunk"]
_TAG = "tesela"
_BLANKS = re.compile(r"\s")


def run_lines(qid: str, hits: Sequence[Hit], docid: DocId) -> Iterator[str]:
    """One line a hit; of a document's chunks only the best where `docid` is its path.

    Evaluators sort by score and break ties as they like, so scores fall from line to line: where the
    next would not, it is the next lower float32. Blanks in names become ``%20`` and the like.
    """
    seen: set[str] = set()
    before = np.float32(np.inf)
    for hit in hits:
        name = _word(hit.chunk.path if docid == "path" else hit.chunk.id)
        if name in seen:
            continue
        seen.add(name)
        before = min(np.float32(hit.score), np.nextafter(before, np.float32(-np.inf)))
        yield f"{_word(qid)} Q0 {name} {len(seen)} {before:.9g} {_TAG}"


def _word(name: str) -> str:
    return _BLANKS.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), name) or "-"
