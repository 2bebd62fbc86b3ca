"""Shift and stretch the logits of a checkpoint so that their sigmoid is a probability.

    python tools/cross_encoder/calibrate.py --bundled DIR --encoded DIR --mined FILE --questions FILE
        --checkpoint FILE --out FILE

Fits sigmoid(a · logit + b) (Platt, 1999) on the questions that training left out, each with its positive
and with DEPTH - 1 of the hardest negatives: about what the product gives to the model. Since the logit is
a sum of linear parts, a and b are worked into them.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from data import Encoded, Passages, pairs
from train import Lists, untrained

DEPTH = 20
_ROUNDS = 25  # of Newton's method


def fit(logits: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
    """The a and b of greatest likelihood."""
    x = np.stack([logits, np.ones_like(logits)], 1)
    found = np.array([1.0, 0.0])
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-x @ found))
        slope = x.T @ (answers - p)
        curve = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        found = found + np.linalg.solve(curve, slope)
    return float(found[0]), float(found[1])


def main() -> None:
    """Score, fit, write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("bundled", "encoded", "mined", "questions", "checkpoint", "out"):
        arguments.add_argument(f"--{name}", type=Path, required=True)
    arguments.add_argument("--every", type=int, default=1, help="only each n-th question")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    model = untrained(options.bundled).eval()
    state = torch.load(options.checkpoint, map_location="cpu")["model"]
    model.load_state_dict(state)
    passages = Passages(options.encoded / "train_p", model.centre)
    questions = Encoded(options.encoded / "train_q")
    asked = {text: i for i, text in enumerate(json.loads(options.questions.read_text()))}
    logits, answers = [], []
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for record in Lists(options.mined, passages, 1, held=True).records[:: options.every]:
            names = [record["positive"], *record["negatives"][: DEPTH - 1]]
            rows = np.asarray([passages.row[name] for name in names])
            mine = np.full(len(rows), asked[record["query"]])
            logits.append(model(pairs(questions, passages, mine, rows)).float().numpy())
            answers.append(np.arange(len(rows)) == 0)
    a, b = fit(
        np.concatenate(logits).astype(np.float64), np.concatenate(answers).astype(np.float64)
    )
    first = np.mean([int(x.argmax()) == 0 for x in logits])
    print(f"a {a:.4f} b {b:.4f}, {len(logits)} questions, the positive first in {first:.3f}")
    for name in ("scale", "tell.weight", "tell.bias", "whole.weight", "whole.bias", "bias"):
        state[name] = state[name] * a
    state["bias"] = state["bias"] + b
    torch.save({"model": state}, options.out)


if __name__ == "__main__":
    main()
