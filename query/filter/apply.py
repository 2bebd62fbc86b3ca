"""From options to a mask: each document is judged once, then spread over its rows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import DocumentEntry
from index.fields import lookup_in, type_of
from index.reader import GenerationReader
from index.validity import document_days, validities
from index.where import parse
from index.where.values import fold
from ingest.sidecar import candidates
from kb.records import Hit, Validity
from query.filter.options import Filter, date_option, folded
from query.filter.paths import path_matcher
from query.filter.rights import may_read, may_read_path

Mask = NDArray[np.bool_]
_Test = Callable[[DocumentEntry], bool]


def rows(reader: GenerationReader, filter: Filter) -> Mask | None:
    """True for the rows that may answer, bool (n,); None when all may.

    Raises:
        UsageError: an option that cannot be read.
        Unavailable: the generation was built by a version that kept no metadata.
    """
    documents = reader.chunks.documents
    kept = _kept(documents, filter)
    if not filter.include_expired:
        kept &= _valid(documents, filter)
    mask = _spread(reader, kept)
    if filter.languages:
        mask &= reader.chunks.written_in(folded(filter.languages))
    return None if mask.all() else mask


def documents(reader: GenerationReader, filter: Filter) -> list[tuple[int, Validity]]:
    """Numbers of the documents that have a passage to give, on whatever day, and what each is on the day.

    Raises as `rows`.
    """
    entries = reader.chunks.documents
    mask = rows(reader, replace(filter, include_expired=True))
    states = validities(entries, filter.day)
    return [
        (number, state)
        for number, state in enumerate(states)
        if mask is None or mask[slice(*reader.chunks.rows(number))].any()
    ]


def readable(reader: GenerationReader, filter: Filter) -> Mask:
    """True for the rows of the documents that the filter's principal may read, bool (n,)."""
    return _spread(
        reader, _judge(reader.chunks.documents, [may_read(filter.acl, filter.principal)])
    )


def closed_paths(reader: GenerationReader, filter: Filter) -> set[str]:
    """The documents that the filter's principal may not read."""
    open_to = may_read(filter.acl, filter.principal)
    return {document.path for document in reader.chunks.documents if not open_to(document)}


def may_name(reader: GenerationReader | None, filter: Filter) -> Callable[[str], bool]:
    """Whether the filter's principal may see the name of a file, indexed or not.

    Args:
        reader: of the current generation, None where there is none.
        filter: who asks, and the rules by path.
    """
    closed = closed_paths(reader, filter) if reader is not None else set()
    closed |= {name for path in closed for name in candidates(path)}
    open_to = may_read_path(filter.acl, filter.principal)
    return lambda path: path not in closed and open_to(path)


def out_of_date(reader: GenerationReader, filter: Filter) -> int:
    """How many documents only the day keeps out: the rest of the filter lets them through."""
    documents = reader.chunks.documents
    return int((_kept(documents, filter) & ~_valid(documents, filter)).sum())


def marked(hits: Iterable[Hit], reader: GenerationReader, filter: Filter) -> list[Hit]:
    """The hits with their documents' `Hit.validity`, and that of their duplicates'."""
    if not filter.include_expired:
        return list(hits)
    documents = reader.chunks.documents
    states = validities(documents, filter.day)
    of_path = {document.path: state for document, state in zip(documents, states, strict=True)}
    return [
        replace(
            hit,
            validity=of_path[hit.chunk.path] if hit.chunk.kind == "text" else "valid",
            duplicates=tuple(
                replace(d, validity=of_path.get(d.path, "valid")) for d in hit.duplicates
            ),
        )
        for hit in hits
    ]


def _kept(documents: Sequence[DocumentEntry], filter: Filter) -> Mask:
    return _judge(documents, list(_tests(filter)))


def _valid(documents: Sequence[DocumentEntry], filter: Filter) -> Mask:
    states = validities(documents, filter.day)
    return np.array([state == "valid" for state in states], np.bool_)


def _judge(documents: Sequence[DocumentEntry], tests: Sequence[_Test]) -> Mask:
    places = list(range(len(documents)))
    for test in tests:
        places = [place for place in places if test(documents[place])]
    kept = np.zeros(len(documents), np.bool_)
    kept[places] = True
    return kept


def _spread(reader: GenerationReader, kept: Mask) -> Mask:
    bounds = [*(document.first for document in reader.chunks.documents), len(reader)]
    counts = [end - first for first, end in pairwise(bounds)]
    return np.repeat(kept, counts) if counts else np.zeros(0, np.bool_)


def _tests(filter: Filter) -> Iterable[_Test]:
    """One for each option; rights first, so that no other looks at what is hidden."""
    yield may_read(filter.acl, filter.principal)
    if filter.paths:
        matches = path_matcher(filter.paths)
        yield lambda document: matches(document.path)
    if filter.tags:
        tags = folded(filter.tags)
        yield lambda document: not tags.isdisjoint(map(fold, document.about.tags))
    if filter.types:
        types = frozenset(name.removeprefix(".") for name in folded(filter.types))
        yield lambda document: type_of(document) in types or document.about.parser in types
    if filter.since or filter.until:
        yield _dated(filter)
    for condition in filter.where:
        yield _met(condition)


def _dated(filter: Filter) -> _Test:
    since, until = date_option("since", filter.since), date_option("until", filter.until)

    def test(document: DocumentEntry) -> bool:
        days = document_days(document)
        if days is None:
            return False
        return (since is None or days.last >= since.first) and (
            until is None or days.first <= until.last
        )

    return test


def _met(condition: str) -> _Test:
    node = parse(condition)
    return lambda document: node.truth(lookup_in(document)) is True
