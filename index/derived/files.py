"""A derivation's chunks as files of its component, so that it can be taken over as a whole.

Files: ``derived.jsonl``, a chunk a line; ``stands_on.npy`` int64 (s,), leaf rows, those of each chunk
together; ``stands_on_offsets.npy`` int64 (m + 1,) into them; ``failed.json``, why an LLM did not say
what is stood in for, a reason each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from kb.records import Chunk

if TYPE_CHECKING:
    from index.derived.base import Made

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
DERIVED = "derived"  # the component that indexes all derived chunks
_CHUNKS = "derived.jsonl"
_FAILED = "failed.json"
_decode = msgspec.json.Decoder(Chunk).decode


@dataclass(frozen=True, slots=True)
class Standing:
    """Which leaf rows the words of each derived chunk are from."""

    rows: Rows  # (s,)
    offsets: Rows  # (m + 1,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, place: int) -> Rows:
        """The leaf rows of one derived chunk."""
        return self.rows[self.offsets[place] : self.offsets[place + 1]]

    def let_through(self, live: Mask) -> Mask:
        """Which derived chunks stand on live leaves only: bool (n,) → bool (m,)."""
        hidden = np.concatenate([[0], np.cumsum(~live[self.rows])])
        return np.asarray(hidden[self.offsets[1:]] == hidden[self.offsets[:-1]])

    def save(self, folder: Path) -> None:
        """Write the two arrays."""
        np.save(folder / "stands_on.npy", self.rows)
        np.save(folder / "stands_on_offsets.npy", self.offsets)

    @classmethod
    def load(cls, folder: Path) -> "Standing":
        """Read what `save` wrote."""
        return cls(
            np.load(folder / "stands_on.npy"),
            np.load(folder / "stands_on_offsets.npy"),
        )

    @classmethod
    def joined(cls, parts: Sequence["Standing"]) -> "Standing":
        """Those of several derivations, one after the other."""
        shifts = np.cumsum([0, *(len(part.rows) for part in parts)])
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        return cls(
            np.concatenate([np.empty(0, np.int64), *(part.rows for part in parts)]),
            np.concatenate([*offsets, shifts[-1:]]).astype(np.int64),
        )


def write_made(folder: Path, made: "Made") -> Path:
    """Write a derivation's chunks into its component's folder; returns the file that holds them."""
    if len(made.chunks) != len(made.stands_on):
        raise ValueError(f"{len(made.chunks)} chunks stand on {len(made.stands_on)} sets of rows")
    with (folder / _CHUNKS).open("wb") as out:
        for chunk in made.chunks:
            out.write(msgspec.json.encode(chunk) + b"\n")
    counts = [len(rows) for rows in made.stands_on]
    flat = [row for rows in made.stands_on for row in rows]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    Standing(np.asarray(flat, np.int64), offsets).save(folder)
    (folder / _FAILED).write_bytes(msgspec.json.encode(sorted(made.failed.values())))
    return folder / _CHUNKS


def made_chunks(folder: Path) -> Iterator[Chunk]:
    """The chunks in a component's folder."""
    with (folder / _CHUNKS).open("rb") as lines:
        yield from map(_decode, lines)


def failed_answers(folder: Path) -> list[str]:
    """Why an LLM did not say what is stood in for in a component's folder."""
    try:
        return msgspec.json.decode((folder / _FAILED).read_bytes(), type=list[str])
    except (OSError, msgspec.DecodeError):
        return []
