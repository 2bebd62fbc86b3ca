"""Questions, passages and what the frozen encoder said of them, as batches."""

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from model import Pairs, said
from numpy.typing import NDArray

Rows = NDArray[np.int64]


class Encoded:
    """What encode.py wrote: arrays over all tokens, and where each text's begin."""

    def __init__(self, folder: Path) -> None:
        self.ids: list[str] = json.loads((folder / "ids.json").read_text())
        self.row = {name: i for i, name in enumerate(self.ids)}
        self.bounds = np.load(folder / "bounds.npy")
        self.top = np.load(folder / "top.npy", mmap_mode="r")
        inner = "kv.npy" if (folder / "kv.npy").exists() else "start.npy"
        self.inner = np.load(folder / inner, mmap_mode="r")
        self.lengths = np.diff(self.bounds)

    def padded(self, rows: Rows, of: str) -> torch.Tensor:
        """`inner` or `top` of texts, padded to the longest with 0."""
        lengths, source = self.lengths[rows], getattr(self, of)
        shape = (len(rows), int(lengths.max()), *source.shape[1:])
        found = torch.zeros(shape, dtype=torch.float16)
        for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
            begin = self.bounds[row]
            found[i, :length] = torch.tensor(source[begin : begin + length])
        return found

    def real(self, rows: Rows) -> torch.Tensor:
        """Which tokens of `padded` are some."""
        lengths = self.lengths[rows]
        return torch.from_numpy(np.arange(int(lengths.max())) < lengths[:, None])


class Passages(Encoded):
    """Passages, with what late interaction and the means read of them worked out."""

    def __init__(self, folder: Path, centre: torch.Tensor) -> None:
        super().__init__(folder)
        tops = [torch.from_numpy(self.top[a:b].astype(np.float32)) for a, b in self._spans()]
        self.mean = F.normalize(torch.stack([top.mean(0) for top in tops]), dim=-1)
        self.top = torch.cat([said(top, centre).half() for top in tops]).numpy()

    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True))


def pairs(
    questions: Encoded,
    passages: Passages,
    asked: Rows,
    read: Rows,
    device: str = "cpu",
    kv: bool = True,
) -> Pairs:
    """Question asked[i] with passage read[i]; without `kv` they are only compared."""
    unique, back = np.unique(asked, return_inverse=True)
    again = torch.from_numpy(back)
    start, plain = (questions.padded(unique, of)[again].float() for of in ("inner", "top"))
    fast = torch.bfloat16
    return Pairs(
        start.to(device),
        plain.to(device),
        questions.real(unique)[again].to(device),
        passages.padded(read, "inner").to(device).to(fast) if kv else None,
        passages.padded(read, "top").to(device).to(fast),
        passages.mean[torch.from_numpy(read)].to(device),
        passages.real(read).to(device),
    )
