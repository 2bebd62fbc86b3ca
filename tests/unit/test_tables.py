"""Chunks and token codes of a generation, by row."""

from pathlib import Path

import numpy as np
import pytest

from index.chunk_table import ChunkTable, write_chunks
from index.token_table import TokenTable, write_tokens
from kb.records import Chunk


def chunk(path: str, number: int) -> Chunk:
    text = f"línea «{number}»\n\u2028 fin"
    return Chunk(f"id{number}", f"doc-{path}", path, number, number + 9, text, lines=(1, 2))


def test_chunks_by_row_and_documents_by_first_row(tmp_path: Path) -> None:
    chunks = [chunk("a", 0), chunk("a", 1), chunk("b", 2), chunk("c", 3)]
    assert write_chunks(tmp_path, chunks) == (4, 3)
    table = ChunkTable(tmp_path)
    assert (len(table), list(table)) == (4, chunks)
    assert [table[row] for row in (3, 0)] == [chunks[3], chunks[0]]
    assert [(d.path, d.first, d.doc_id) for d in table.documents] == [
        ("a", 0, "doc-a"), ("b", 2, "doc-b"), ("c", 3, "doc-c"),
    ]  # fmt: skip
    for row in (-1, 4):
        with pytest.raises(IndexError):
            table[row]


def test_no_chunks(tmp_path: Path) -> None:
    assert write_chunks(tmp_path, []) == (0, 0)
    assert (list(ChunkTable(tmp_path)), ChunkTable(tmp_path).documents) == ([], [])


def test_token_codes_of_any_rows(tmp_path: Path) -> None:
    codes = [np.full((count, 2), count, np.uint8) for count in (3, 0, 1, 2)]
    write_tokens(tmp_path, codes)
    table = TokenTable(tmp_path, 2)
    taken, offsets = table.take(np.array([3, 1, 0], np.int64))
    assert offsets.tolist() == [0, 2, 2, 5]
    assert taken.tolist() == [[2, 2]] * 2 + [[3, 3]] * 3
    taken, offsets = table.take(np.array([], np.int64))
    assert (taken.shape, offsets.tolist()) == ((0, 2), [0])


@pytest.mark.parametrize("count", [0, 2])
def test_no_token_codes_at_all(tmp_path: Path, count: int) -> None:
    write_tokens(tmp_path, [np.zeros((0, 2), np.uint8)] * count)
    taken, offsets = TokenTable(tmp_path, 2).take(np.arange(count, dtype=np.int64))
    assert (taken.shape, offsets.tolist()) == ((0, 2), [0] * (count + 1))
