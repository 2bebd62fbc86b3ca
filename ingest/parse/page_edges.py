"""What a document repeats at the top and bottom of each page, once."""

import re
from collections.abc import Iterable

from ingest.parse.extracted import ExtractedText

_PAGE_NUMBER = re.compile(
    r"(?:[\W\d]++|(?:pages?|p[aá]ginas?|p[aá]g|seite|of|de|von)(?![^\W\d]))*+", re.I
)
_MOST = 40  # lines


def add_edges(built: ExtractedText, lines: Iterable[str]) -> None:
    """Append page headers and footers at the end, each line once, page numbers left out.

    They often hold what stands nowhere else: a document's code, its revision, who may read it.
    """
    shown = (" ".join(line.split()) for line in lines)
    kept = dict.fromkeys(line for line in shown if line and not _PAGE_NUMBER.fullmatch(line))
    built.close_sections()
    built.add("note", "\n".join(list(kept)[:_MOST]))
