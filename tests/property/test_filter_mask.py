"""The mask is what judging every document by hand gives."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from index.chunk_table import DocumentEntry
from kb.settings import AclRule, AclSettings
from query.filter import Filter, out_of_date, readable, rows
from tests.filtering import document, reader_of

LABELS = st.sampled_from(["a", "b", "c"])
DATES = st.sampled_from(["2023", "2024-05", "2024-06-15", "2025-01-01"])
PATHS = st.sampled_from(
    ["a.md", "docs/a.md", "docs/b.pdf", "docs/hr/c.md", "docs/hr/d.HTML", "/srv/e.md", "hr/f"]
)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "year": st.sampled_from([2023, 2024]),
        "date": DATES,
        "valid_from": DATES,
        "valid_until": DATES,
    },
)
DOCUMENTS = st.lists(
    st.tuples(
        PATHS,
        METADATA,
        st.lists(st.sampled_from(["Red", "blue"]), max_size=2).map(tuple),
        st.lists(st.lists(LABELS, max_size=2).map(tuple), max_size=2).map(tuple),
        st.sampled_from(["markdown", "pdf"]),
        st.lists(st.sampled_from(["es", "en", ""]), min_size=1, max_size=3),
    ),
    max_size=6,
    unique_by=lambda item: item[0],
)
FILTERS = st.builds(
    Filter,
    paths=st.sampled_from([(), ("*.md",), ("docs/",), ("*.md", "!hr/"), ("!*.md",)]),
    tags=st.sampled_from([(), ("red",), ("BLUE", "green")]),
    types=st.sampled_from([(), ("md",), (".pdf", "html")]),
    languages=st.sampled_from([(), ("es",), ("EN", "fr")]),
    since=st.sampled_from(["", "2024", "2024-06-01"]),
    until=st.sampled_from(["", "2024-05", "2024-12-31"]),
    where=st.sampled_from([(), ("year = 2024",), ("not year = 2024", "exists(date)")]),
    as_of=st.sampled_from(["2023-07-01", "2024-06-15", "2025-06-01"]),
    include_expired=st.booleans(),
    principal=st.lists(LABELS, max_size=2).map(tuple),
    acl=st.builds(
        AclSettings,
        required=st.booleans(),
        rules=st.sampled_from([(), (AclRule(path="hr/", labels=("a", "b")),)]),
    ),
)
FIRST = {"2023": "2023-01-01", "2024-05": "2024-05-01", "2024": "2024-01-01"}
LAST = {"2023": "2023-12-31", "2024-05": "2024-05-31", "2024": "2024-12-31"}


def first(written: str) -> str:
    return FIRST.get(written, written)


def last(written: str) -> str:
    return LAST.get(written, written)


def may_read(entry: DocumentEntry, chosen: Filter) -> bool:
    layers = [set(labels) for labels in entry.about.acl]
    if "hr/" in entry.path and chosen.acl.rules:
        layers.append({"a", "b"})
    if not layers:
        return not chosen.acl.required
    return all(layer & set(chosen.principal) for layer in layers)


def by_path(path: str, globs: tuple[str, ...]) -> bool:
    match globs:
        case ():
            return True
        case ("*.md",):
            return path.endswith(".md")
        case ("docs/",):
            return "docs/" in path
        case ("!*.md",):
            return not path.endswith(".md")
    return path.endswith(".md") and "hr/" not in path


def by_date(metadata: dict[str, Any], chosen: Filter) -> bool:
    if not chosen.since and not chosen.until:
        return True
    written = metadata.get("date")
    return written is not None and (
        (not chosen.since or last(written) >= first(chosen.since))
        and (not chosen.until or first(written) <= last(chosen.until))
    )


def by_where(metadata: dict[str, Any], conditions: tuple[str, ...]) -> bool:
    match len(conditions):
        case 0:
            return True
        case 1:
            return metadata.get("year") == 2024
    return metadata.get("year") == 2023 and "date" in metadata


def matches(entry: DocumentEntry, chosen: Filter) -> bool:
    suffix = entry.path.rpartition(".")[2].lower()
    types = [name.strip(".") for name in chosen.types]
    tags = {tag.lower() for tag in chosen.tags}
    return (
        may_read(entry, chosen)
        and by_path(entry.path, chosen.paths)
        and (not tags or bool(tags & {tag.lower() for tag in entry.about.tags}))
        and (not types or suffix in types or entry.about.parser in types)
        and by_date(entry.about.metadata, chosen)
        and by_where(entry.about.metadata, chosen.where)
    )


def valid(entry: DocumentEntry, day: str) -> bool:
    metadata = entry.about.metadata
    start, end = metadata.get("valid_from"), metadata.get("valid_until")
    return (not start or first(start) <= day) and (not end or day <= last(end))


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS, FILTERS)
def test_the_mask_is_every_document_judged_by_hand(documents: list[Any], chosen: Filter) -> None:
    entries = [
        (document(path, metadata, tags=tags, acl=acl, parser=parser), languages)
        for path, metadata, tags, acl, parser, languages in documents
    ]
    wanted = {language.lower() for language in chosen.languages}
    expected, open_rows, closed = [], [], 0
    for entry, languages in entries:
        met = matches(entry, chosen)
        holds = valid(entry, chosen.as_of)
        closed += met and not holds
        kept = met and (chosen.include_expired or holds)
        expected += [kept and (not wanted or language in wanted) for language in languages]
        open_rows += [may_read(entry, chosen)] * len(languages)
    with tempfile.TemporaryDirectory() as folder:
        reader = reader_of(Path(folder), entries)
        mask = rows(reader, chosen)
        assert readable(reader, chosen).tolist() == open_rows
        assert out_of_date(reader, chosen) == closed
    if all(expected):
        assert mask is None
    else:
        assert mask is not None
        assert mask.tolist() == expected
