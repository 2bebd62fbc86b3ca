"""Train the cross-encoder's question side on mined lists; resumes from its last checkpoint.

    python tools/cross_encoder/train.py --bundled DIR --encoded DIR --mined FILE --out DIR
        [--epochs 4] [--negatives 11] [--lists 8] [--rate 1e-3] [--minutes N] [--device cuda]

Loss: the positive's share under a softmax over 1 positive and `negatives` negatives (listwise), plus binary
cross-entropy on each logit, so that its sigmoid means something. Of one passage in HELD the questions are
kept out; calibrate.py fits the last shift and scale on them.
"""

import argparse
import json
import math
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from data import Encoded, Passages, pairs
from frozen import layers
from model import CrossEncoder

CHECKPOINT_SECONDS = 120
WEIGHT_DECAY = 0.01
CLIP = 1.0
CALIBRATION = 0.2  # the share of the second loss
HELD = 25
EASY = ("question", "keywords")  # kinds that the untrained model gets right nine times in ten


def untrained(bundled: Path) -> CrossEncoder:
    """The model before its first step."""
    import onnx

    torch.manual_seed(0)
    graph = onnx.load(bundled / "encoder-6" / "model.onnx").graph
    return CrossEncoder(layers(graph), torch.tensor(np.load(bundled / "mean.npy")).float())


def learned(model: CrossEncoder) -> dict[str, torch.Tensor]:
    """What training changes; the frozen weights are no part of it."""
    return dict(model.state_dict())


def held_out(passage: str) -> bool:
    """Whether the questions on a passage are left out of training, by its name."""
    return zlib.crc32(passage.encode()) % HELD == 0


class Lists:
    """Lists of one positive and negatives: the given hard ones always, others by chance."""

    def __init__(self, mined: Path, passages: Encoded, negatives: int, held: bool = False) -> None:
        with mined.open(encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        self.records = [r for r in records if held_out(r["positive"]) == held]
        self._row, self._count = passages.row, negatives
        self._all = np.arange(len(passages.ids))

    def rows(self, i: int, chance: np.random.Generator) -> np.ndarray:
        """Passage rows, the positive first. The harder a negative the likelier it is taken."""
        record = self.records[i]
        names = record["negatives"]
        sure, rest = names[: record["sure"]], names[record["sure"] :]
        wanted = self._count - len(sure)
        taken: list[str] = []
        if rest:
            odds = 1 / (np.arange(len(rest)) + 4.0)
            few = min(wanted, len(rest))
            taken = list(chance.choice(rest, few, replace=False, p=odds / odds.sum()))
        rows = [self._row[n] for n in (record["positive"], *sure, *taken)]
        missing = self._count + 1 - len(rows)
        return np.asarray([*rows, *chance.choice(self._all, missing)], np.int64)


def loss_of(logits: torch.Tensor, smooth: float = 0.02) -> torch.Tensor:
    """Of logits (lists, 1 + negatives), the positive first."""
    first = torch.zeros(len(logits), dtype=torch.long, device=logits.device)
    listwise = F.cross_entropy(logits, first, label_smoothing=smooth)
    target = torch.zeros_like(logits)
    target[:, 0] = 1
    binary = F.binary_cross_entropy_with_logits(logits, target)
    return listwise + CALIBRATION * logits.shape[1] * binary / 2


def batches(
    lengths: np.ndarray, easy: np.ndarray, share: float, size: int, epoch: int
) -> list[np.ndarray]:
    """The questions of an epoch in random order, those of a batch about equally long.

    Args:
        lengths: of the questions, in tokens.
        easy: bool, which are of an easy kind.
        share: of those that an epoch takes.
        size: of a batch.
        epoch: its number, the seed.
    """
    chance = np.random.default_rng(epoch)
    taken = chance.permutation(np.flatnonzero(easy))[: int(share * easy.sum())]
    order = np.sort(np.concatenate([np.flatnonzero(~easy), taken]))
    order = order[np.argsort(lengths[order] + chance.uniform(-2, 2, len(order)), kind="stable")]
    whole = len(order) - len(order) % size
    start = int(chance.integers(0, len(order) - whole + 1))
    cut = order[start : start + whole].reshape(-1, size)
    return list(cut[chance.permutation(len(cut))])


class Step:
    """Gradients of a batch: the CPU's threads take its lists in turn, each on one core."""

    def __init__(
        self,
        options: argparse.Namespace,
        model: CrossEncoder,
        questions: Encoded,
        passages: Passages,
    ) -> None:
        self._device, self._drop, self._model = options.device, options.drop, model
        self._questions, self._passages = questions, passages
        self._read = not options.head
        self._learned = list(model.parameters())
        self._threads = options.threads if options.device == "cpu" else 1
        self._pool = ThreadPoolExecutor(self._threads)

    def __call__(self, asked: np.ndarray, rows: np.ndarray) -> tuple[float, float]:
        """Sets `grad` of the model's parameters; the loss, and how often the positive is first."""
        parts = np.array_split(np.arange(len(asked)), self._threads)
        found = list(self._pool.map(lambda part: self._part(asked[part], rows[part]), parts))
        shares = [len(part) / len(asked) for part in parts]
        for i, parameter in enumerate(self._learned):
            gradients = [f[0][i] * share for f, share in zip(found, shares, strict=True)]
            parameter.grad = torch.stack(gradients).sum(0)
        loss, first = np.average([f[1:] for f in found], axis=0, weights=shares)
        return float(loss), float(first)

    def _part(
        self, asked: np.ndarray, rows: np.ndarray
    ) -> tuple[tuple[torch.Tensor, ...], float, float]:
        n = rows.shape[1]
        batch = pairs(
            self._questions,
            self._passages,
            np.repeat(asked, n),
            rows.ravel(),
            self._device,
            self._read,
        )
        with torch.autocast(self._device, dtype=torch.bfloat16):
            logits = self._model(batch, self._drop)
        logits = logits.float().view(rows.shape)
        loss = loss_of(logits)
        gradients = torch.autograd.grad(loss, self._learned, materialize_grads=True)
        first = (logits.detach().argmax(1) == 0).float().mean()
        return gradients, loss.item(), first.item()


def rate_at(step: int, total: int, top: float) -> float:
    """Linear warm-up over 5 %, then a cosine to a twentieth."""
    warm = max(total // 20, 1)
    if step < warm:
        return top * (step + 1) / warm
    return top * (
        0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(total - warm, 1)))
    )


def save(path: Path, model: CrossEncoder, optimiser: torch.optim.Optimizer, step: int) -> None:
    """Replace the checkpoint in one go."""
    state = {"model": learned(model), "optimiser": optimiser.state_dict(), "step": step}
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def train(options: argparse.Namespace) -> None:
    """Run to the end, or until the minutes are over."""
    device, started = options.device, time.monotonic()
    model = untrained(options.bundled).to(device)
    passages = Passages(options.encoded / "train_p", model.centre.cpu())
    questions = Encoded(options.encoded / "train_q")
    lists = Lists(options.mined, passages, options.negatives)
    asked = {r: i for i, r in enumerate(json.loads(options.questions.read_text()))}
    optimiser = torch.optim.AdamW(model.parameters(), options.rate, weight_decay=WEIGHT_DECAY)
    path, first = options.out / "checkpoint.pt", 0
    options.out.mkdir(parents=True, exist_ok=True)
    if options.start:
        model.load_state_dict(torch.load(options.start, map_location=device)["model"])
    if path.exists():
        state = torch.load(path, map_location=device)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first = state["step"]
    mine = np.asarray([asked[record["query"]] for record in lists.records])
    lengths = questions.lengths[mine]
    easy = np.asarray([record["kind"] in EASY for record in lists.records])
    plan = (lengths, easy, options.easy, options.lists)
    epoch_steps = len(batches(*plan, 0))
    total, step = int(epoch_steps * options.epochs), first
    saved, seen = time.monotonic(), []
    gradients = Step(options, model, questions, passages)
    model.train()
    for step in range(first, total):
        epoch, within = divmod(step, epoch_steps)
        chance = np.random.default_rng([epoch, within])
        chosen = batches(*plan, epoch)[within]
        rows = np.stack([lists.rows(int(i), chance) for i in chosen])
        seen.append(gradients(mine[chosen], rows))
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, total, options.rate)
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimiser.step()
        if step % 20 == 19:
            mean = np.mean(seen[-20:], axis=0)
            spent = time.monotonic() - started
            print(
                f"{spent:.0f} s step {step + 1} of {total} loss {mean[0]:.4f} first {mean[1]:.3f} "
                f"open {[round(x.open.mean().item(), 2) for x in model.layers]}",
                flush=True,
            )
        if time.monotonic() - saved > CHECKPOINT_SECONDS:
            save(path, model, optimiser, step + 1)
            saved = time.monotonic()
        if options.minutes and time.monotonic() - started > 60 * options.minutes:
            break
    save(path, model, optimiser, step + 1)


def main() -> None:
    """Read arguments and train."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--bundled", type=Path, required=True)
    arguments.add_argument("--encoded", type=Path, required=True)
    arguments.add_argument("--mined", type=Path, required=True)
    arguments.add_argument(
        "--questions", type=Path, required=True, help="JSON list: the encoded ones"
    )
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--epochs", type=float, default=3)
    arguments.add_argument("--negatives", type=int, default=7)
    arguments.add_argument("--lists", type=int, default=8, help="in a batch")
    arguments.add_argument("--rate", type=float, default=1e-3)
    arguments.add_argument("--easy", type=float, default=1, help="share of the easy kinds an epoch")
    arguments.add_argument("--drop", type=float, default=0.1)
    arguments.add_argument("--minutes", type=float, default=0, help="stop after; 0: at the end")
    arguments.add_argument("--device", default="cpu")
    arguments.add_argument(
        "--head", action="store_true", help="only compare; the passage is unread"
    )
    arguments.add_argument("--start", type=Path, help="checkpoint whose weights to begin with")
    arguments.add_argument("--threads", type=int, default=2, help="of the CPU")
    options = arguments.parse_args()
    torch.set_num_threads(1 if options.device == "cpu" else 8)
    train(options)


if __name__ == "__main__":
    main()
