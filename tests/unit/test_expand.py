"""``--expand``: which chunks are joined, how they are joined, and what is said of what is not."""

import json
from dataclasses import replace

import pytest

from index.chunk_table import ChunkTable
from index.reader import GenerationReader
from kb.errors import UsageError
from kb.records import Chunk, Expansion, Hit
from kb.settings import QuerySettings
from query.around import Expand
from query.expand import expanded, read_expand
from query.joined import joined
from query.results import hit_json
from tests.fake_embedder import FakeEmbedder, synced
from tests.running import write

SECTION = "\n\n".join(f"Frase número {i} sobre la bomba del pozo que gira." for i in range(8))
BEGINNING = "Al principio no había nada en el pozo, ni agua ni bomba, y nadie decía nada de él."
FILES = {
    "docs/a.md": f"# Uno\n\n{BEGINNING}\n\n## Dos\n\n{SECTION}\n\n## Tres\n\nEl fin.\n",
    "docs/b.txt": "Otra cosa del todo, sin títulos. " * 30,
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GenerationReader:
    location, _ = synced(write(tmp_path_factory.mktemp("kb"), FILES), FakeEmbedder())
    return GenerationReader.open(location)


def chunks(reader: GenerationReader, path: str) -> list[Chunk]:
    return [chunk for chunk in reader.chunks if chunk.path == path]


def expand(
    reader: GenerationReader, found: list[Chunk], how: str, characters: int = 100_000
) -> list[Hit]:
    hits = [Hit(rank, 1.0, chunk) for rank, chunk in enumerate(found, 1)]
    settings = QuerySettings(expand=how, expand_characters=characters)
    return expanded(hits, reader, settings)


def the(hit: Hit) -> Expansion:
    assert hit.expanded is not None
    return hit.expanded


def test_how_it_is_written() -> None:
    assert read_expand("none") is None
    assert read_expand("section") == Expand("section")
    assert read_expand("document") == Expand("document")
    assert read_expand("window:12") == Expand("window", 12)
    assert read_expand("leaves") == Expand("leaves")
    for text in ("", "window", "window:", "window:0", "window:-1", "window:2.5", "page", "Section"):
        with pytest.raises(UsageError, match=r"write section, document, leaves, or window:N"):
            read_expand(text)


def test_a_section_is_what_has_the_same_heading(reader: GenerationReader) -> None:
    of_file = chunks(reader, "docs/a.md")
    section = [chunk for chunk in of_file if chunk.heading == ("Uno", "Dos")]
    assert 3 <= len(section) < len(of_file)
    (hit,) = expand(reader, [section[1]], "section")
    found = the(hit)
    text = FILES["docs/a.md"]
    assert (found.start, found.end) == (section[0].start, section[-1].end)
    assert found.text == text[found.start : found.end]
    assert found.lines == (section[0].lines[0], section[-1].lines[1])  # type: ignore[index]
    assert (found.kind, found.before, found.after, found.ranks) == ("section", 0, 0, (1,))


def test_a_section_may_begin_and_end_inside_a_chunk(
    reader: GenerationReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chunk has the heading that it begins under; its text tells of another that begins in it."""
    of_file = chunks(reader, "docs/a.md")
    places = [i for i, chunk in enumerate(of_file) if chunk.heading == ("Uno", "Dos")]
    first, last = places[0], places[-1]
    assert first > 0
    merged = replace(of_file[first - 1], text="El final de uno.\n\n## *Dos*\n\nY algo de dos.")
    other = replace(of_file[first - 1], text="Nada de las dos.")
    for before, begins in ((merged, first - 1), (other, first)):
        rows = dict(enumerate(of_file)) | {first - 1: before}
        with monkeypatch.context() as patch:
            patch.setattr(ChunkTable, "__getitem__", lambda _table, row, rows=rows: rows[row])
            hit = the(expand(reader, [of_file[last]], "section")[0])
            assert (hit.start, hit.end) == (of_file[begins].start, of_file[last].end)
            # a hit that holds the beginning of the next section shows that one, too
            ahead = the(expand(reader, [before], "section")[0])
            assert ahead.end == (of_file[last] if before is merged else before).end


def test_without_headings_the_section_is_the_document(reader: GenerationReader) -> None:
    of_file = chunks(reader, "docs/b.txt")
    (section,) = expand(reader, [of_file[2]], "section")
    (document,) = expand(reader, [of_file[2]], "document")
    assert len(of_file) > 3
    assert the(section) == replace(the(document), kind="section")
    assert the(document).text.split() == FILES["docs/b.txt"].split()


def test_a_window_ends_where_the_document_does(reader: GenerationReader) -> None:
    of_file = chunks(reader, "docs/a.md")
    (hit,) = expand(reader, [of_file[0]], "window:1")
    assert (the(hit).start, the(hit).end) == (of_file[0].start, of_file[1].end)
    (hit,) = expand(reader, [of_file[2]], "window:1")
    assert (the(hit).start, the(hit).end) == (of_file[1].start, of_file[3].end)
    (hit,) = expand(reader, [of_file[2]], "window:9999")
    assert (the(hit).start, the(hit).end) == (of_file[0].start, of_file[-1].end)


def test_what_is_too_long_is_cut_at_chunks_and_counted(reader: GenerationReader) -> None:
    of_file = chunks(reader, "docs/b.txt")
    middle = of_file[len(of_file) // 2]
    whole = the(expand(reader, [middle], "document")[0])
    for most in range(1, 900, 40):
        found = the(expand(reader, [middle], "document", most)[0])
        assert found.start <= middle.start
        assert middle.end <= found.end
        assert len(found.text) <= max(most, len(middle.text))
        assert found.start in {chunk.start for chunk in of_file}
        assert (found.before, found.after) == (found.start - whole.start, whole.end - found.end)
    assert found.before > 0 < found.after
    least = the(expand(reader, [middle], "document", 1)[0])
    assert least.text == middle.text


def test_hits_that_meet_are_shown_once_by_the_best(reader: GenerationReader) -> None:
    of_file = chunks(reader, "docs/a.md")
    other = chunks(reader, "docs/b.txt")[0]
    first, other_hit, second = expand(reader, [of_file[3], other, of_file[2]], "window:1")
    assert the(first).ranks == (1, 3)
    assert (the(first).start, the(first).end) == (of_file[1].start, of_file[4].end)
    assert (second.expanded, second.expanded_in) == (None, 1)
    assert (the(other_hit).ranks, other_hit.expanded_in) == ((2,), None)
    assert hit_json(second)["expanded"] == {"in": 1}
    assert hit_json(first)["expanded"]["hits"] == [1, 3]


def test_a_hit_between_two_joins_them(reader: GenerationReader) -> None:
    of_file = chunks(reader, "docs/a.md")
    hits = expand(reader, [of_file[0], of_file[4], of_file[2]], "window:1")
    assert the(hits[0]).ranks == (1, 2, 3)
    assert (the(hits[0]).start, the(hits[0]).end) == (of_file[0].start, of_file[5].end)
    assert [hit.expanded_in for hit in hits] == [None, 1, 1]


def test_none_changes_nothing(reader: GenerationReader) -> None:
    hits = expand(reader, list(reader.chunks)[:3], "none")
    assert [hit.expanded for hit in hits] == [None] * 3
    assert "expanded" not in hit_json(hits[0])


def test_json_says_what_was_cut(reader: GenerationReader) -> None:
    middle = chunks(reader, "docs/b.txt")[3]
    (hit,) = expand(reader, [middle], "document", 1)
    shown = json.loads(json.dumps(hit_json(hit)))["expanded"]
    assert shown["cut"] == {"before": the(hit).before, "after": the(hit).after}
    assert shown["span"] == [middle.start, middle.end]
    assert hit_json(expand(reader, [middle], "document")[0])["expanded"]["cut"] is None


def piece(start: int, text: str, lines: tuple[int, int] | None = None) -> Chunk:
    return Chunk("", "", "a", start, start + len(text), text, lines=lines)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (piece(0, "uno"), piece(4, "dos"), "uno dos"),  # PDF: no lines
        (piece(0, "uno"), piece(5, "dos"), "uno\n\ndos"),
        (piece(0, "uno", (1, 1)), piece(4, "dos", (2, 2)), "uno\ndos"),
        (piece(0, "uno", (1, 1)), piece(4, "dos", (1, 1)), "uno dos"),
        (piece(0, "uno\n", (1, 1)), piece(6, "dos", (3, 3)), "uno\n\n dos"),  # 2 of 4: "\n "
        (piece(0, "uno", (1, 1)), piece(7, "dos", (2, 2)), "uno\n   dos"),  # indented
        (piece(0, "uno", (1, 1)), piece(40, "dos", (2, 2)), f"uno{' ' * 36}\ndos"),  # a comment
        (piece(0, "uno", (1, 1)), piece(5, "dos", (9, 9)), "uno\n\ndos"),  # HTML: source lines
        (piece(0, "uno", (1, 1)), piece(5, "dos", (1, 1)), "uno\n\ndos"),  # HTML on one line
        (piece(0, "uno dos"), piece(4, "dos tres"), "uno dos tres"),  # overlap
        (piece(0, "uno dos"), piece(4, "dos"), "uno dos"),
        (piece(0, "uno dos"), piece(4, "do"), "uno dos"),  # one inside the other
        (piece(0, "uno"), piece(3, "dos"), "unodos"),
    ],
)
def test_seams(before: Chunk, after: Chunk, text: str) -> None:
    assert joined([before, after]) == text
    assert len(text) == max(after.end, before.end)
