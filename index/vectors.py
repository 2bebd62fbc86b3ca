"""One generation's vectors in one ``.npy`` file: streamed out, mapped in."""

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from kb.errors import TeselaError

Floats = NDArray[np.float32]
STORED = np.dtype("<f4")


def write_vectors(path: Path, blocks: Iterable[Floats], count: int, dimension: int) -> None:
    """Write `count` rows of `dimension` numbers, one block in memory at a time, and sync to disk.

    Args:
        path: the file to make; an existing one is replaced.
        blocks: float32 (m, dimension) each, m may vary and may be 0.
        count: rows in all.
        dimension: length of a row.

    Raises:
        ValueError: a block has another shape, or the rows are not `count`; no file is left behind.
    """
    try:
        with path.open("wb") as file:
            header = {"descr": STORED.str, "fortran_order": False, "shape": (count, dimension)}
            npy.write_array_header_1_0(file, header)
            written = 0
            for block in blocks:
                if block.ndim != 2 or block.shape[1] != dimension:
                    raise ValueError(
                        f"a block of shape {block.shape}, rows should be {dimension}-d"
                    )
                written += len(block)
                file.write(np.ascontiguousarray(block, STORED).data)
            if written != count:
                raise ValueError(f"{written} vectors were given, {count} were announced")
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def open_vectors(path: Path) -> Floats:
    """The vectors of `write_vectors`, float32 (n, d), read-only and memory-mapped.

    Raises:
        TeselaError: the file is missing, is not such a file, or its size disagrees with its header.
    """
    remedy = "build the index again: tesela index"
    try:
        shape, offset, size = _read_header(path)
    except (OSError, ValueError) as error:
        raise TeselaError(f"cannot read the vectors in {path} ({error}); {remedy}") from error
    expected = offset + shape[0] * shape[1] * STORED.itemsize
    if size != expected:
        raise TeselaError(
            f"the vectors in {path} are damaged: {shape[0]} rows of {shape[1]} numbers take "
            f"{expected} bytes, the file has {size}; {remedy}"
        )
    if size == offset:  # zero bytes cannot be mapped
        return np.empty(shape, np.float32)
    return np.asarray(np.memmap(path, STORED, "r", offset, shape))


def _read_header(path: Path) -> tuple[tuple[int, int], int, int]:
    """Shape, where the numbers start, and the file's size in bytes."""
    with path.open("rb") as file:
        version = npy.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"unknown npy version {version}")
        shape, fortran, dtype = npy.read_array_header_1_0(file)
        if len(shape) != 2 or fortran or dtype != STORED:
            raise ValueError(f"holds {dtype} of shape {shape}, not rows of float32")
        return (shape[0], shape[1]), file.tell(), os.fstat(file.fileno()).st_size
