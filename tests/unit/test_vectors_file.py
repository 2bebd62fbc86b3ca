"""The generation's vectors on disk."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from index.vectors import Floats, open_vectors, write_vectors
from kb.errors import TeselaError


def rows(n: int, d: int = 4) -> Floats:
    return np.arange(n * d, dtype=np.float32).reshape(n, d)


def test_blocks_come_back_as_one_mapped_matrix(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    whole = rows(7)
    write_vectors(path, [whole[:3], whole[3:3], whole[3:]], 7, 4)
    opened = open_vectors(path)
    assert opened.dtype == np.float32
    assert opened.tolist() == whole.tolist()
    assert isinstance(opened.base, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        opened[0, 0] = 1.0


def test_it_is_a_plain_npy_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    write_vectors(path, [rows(3)], 3, 4)
    assert np.load(path, allow_pickle=False).tolist() == rows(3).tolist()


def test_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    write_vectors(path, [], 0, 384)
    opened = open_vectors(path)
    assert opened.shape == (0, 384)
    assert opened.dtype == np.float32


def test_strided_and_wide_blocks_are_stored_as_float32(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    write_vectors(path, [rows(6)[::2]], 3, 4)
    assert open_vectors(path).tolist() == rows(6)[::2].tolist()


def test_blocks_are_taken_one_at_a_time(tmp_path: Path) -> None:
    """When block i is asked for, all before it are handed over: nothing is collected."""
    path = tmp_path / "vectors.npy"
    sizes: list[int] = []

    def blocks() -> Iterator[Floats]:
        for _ in range(3):
            yield np.ones((4096, 64), np.float32)  # 1 MiB, past any file buffer
            sizes.append(path.stat().st_size)

    write_vectors(path, blocks(), 3 * 4096, 64)
    assert [size >> 20 for size in sizes] == [1, 2, 3]


@pytest.mark.parametrize("count", [2, 4])
def test_the_count_must_be_exact(tmp_path: Path, count: int) -> None:
    path = tmp_path / "vectors.npy"
    with pytest.raises(ValueError, match=f"3 vectors were given, {count} were announced"):
        write_vectors(path, [rows(3)], count, 4)
    assert not path.exists()


def test_blocks_of_another_dimension_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    with pytest.raises(ValueError, match=r"\(3, 4\), rows should be 5-d"):
        write_vectors(path, [rows(3)], 3, 5)
    assert not path.exists()


@pytest.mark.parametrize("change", [-16, -1, 16])
def test_a_size_that_disagrees_with_the_header(tmp_path: Path, change: int) -> None:
    """3 rows of 4 numbers: 48 bytes behind a header of 128."""
    path = tmp_path / "vectors.npy"
    write_vectors(path, [rows(3)], 3, 4)
    raw = path.read_bytes()
    assert len(raw) == 128 + 48
    path.write_bytes(raw[:change] if change < 0 else raw + b"x" * change)
    with pytest.raises(TeselaError, match=f"take 176 bytes, the file has {176 + change}.*index"):
        open_vectors(path)


@pytest.mark.parametrize("raw", [b"", b"\x93NUMPY", b"garbage" * 40])
def test_what_is_no_npy_file_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "vectors.npy"
    path.write_bytes(raw)
    with pytest.raises(TeselaError, match="cannot read the vectors"):
        open_vectors(path)


@pytest.mark.parametrize("array", [np.zeros((2, 2)), np.zeros(3, np.float32)])
def test_other_arrays_are_refused(tmp_path: Path, array: np.ndarray) -> None:
    path = tmp_path / "vectors.npy"
    np.save(path, array)
    with pytest.raises(TeselaError, match="not rows of float32"):
        open_vectors(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TeselaError, match="tesela index"):
        open_vectors(tmp_path / "none.npy")
