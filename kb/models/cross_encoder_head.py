"""What a cross-encoder's numbers mean: from its output to a probability."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.errors import Unavailable
from kb.models.onnx_graph import last_operator
from kb.models.onnx_model import PER_TOKEN, POOLED

SCORES = ("logits", "scores", "score", "probabilities", "probability")
_VECTORS = PER_TOKEN + POOLED
_SQUASHED = ("Sigmoid", "Softmax")
_POSITIVE = frozenset(["relevant", "positive", "yes", "true", "match", "1", "label1"])
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Head:
    """One output of the model and how to read it."""

    path: Path
    output: str
    squashed: bool  # the graph itself ends in a sigmoid or a softmax
    positive: int  # of two outputs, the one that speaks for the passage

    def probability(self, values: Sequence[float]) -> float:
        """That the passage answers, 0 to 1.

        One value is a logit: 1 / (1 + e^-x). Two are one for each class: e^y / (e^x + e^y), which is
        the sigmoid of y - x.

        Raises:
            Unavailable: the values are none of that.
        """
        if not all(map(math.isfinite, values)):
            raise Unavailable(
                f"{self.path} gave {', '.join(map(str, values))} for a passage: its weights are broken"
            )
        if len(values) not in (1, 2):
            raise Unavailable(
                f"{self.path} gave {len(values)} numbers for a passage: a cross-encoder gives one, "
                "or two (does not answer, answers)"
            )
        positive = values[self.positive] if len(values) == 2 else values[0]
        if not self.squashed:
            return _sigmoid(positive - (values[1 - self.positive] if len(values) == 2 else 0.0))
        if not 0 <= positive <= 1:
            raise Unavailable(f"{self.path} ends in a sigmoid and yet gave {positive}")
        return positive


def find_head(
    path: Path, outputs: Sequence[tuple[str, Sequence[object]]], labels: Sequence[str]
) -> Head:
    """The output that scores a pair.

    Args:
        path: the model.
        outputs: names and shapes; what is not a number in a shape is open.
        labels: what the model calls its classes, () where it does not say.

    Raises:
        Unavailable: there is none; the message says what the model is instead.
    """
    named = dict(outputs)
    flat = [name for name, shape in outputs if len(shape) <= 2 and name not in _VECTORS]
    output = next((name for name in SCORES if name in flat), None)
    if output is None and len(flat) == len(outputs) == 1:
        output = flat[0]
    if output is None and len(flat) < len(outputs):
        raise Unavailable(
            f"{path} gives {', '.join(named)}: it is an encoder, which makes vectors "
            '(embed.embedder = "onnx" takes those); a cross-encoder gives one score for a question '
            "and a passage"
        )
    if output is None:
        raise Unavailable(
            f"{path} has outputs {', '.join(named)}: expected one of {', '.join(SCORES)}"
        )
    width = named[output][-1] if len(named[output]) > 1 else 1
    if isinstance(width, int) and width > 2:
        classes = f" ({', '.join(labels)})" if len(labels) == width else ""
        raise Unavailable(
            f"{path} tells {width} classes apart{classes}: a cross-encoder gives one score, or two "
            "(does not answer, answers)"
        )
    return Head(path, output, last_operator(path, output) in _SQUASHED, _positive(labels))


def _positive(labels: Sequence[str]) -> int:
    """The second of two, unless the first alone has a name that says yes."""
    means_yes = [_NO_LETTER.sub("", label.casefold()) in _POSITIVE for label in labels]
    return 0 if means_yes == [True, False] else 1


def _sigmoid(x: float) -> float:
    """Without overflow, and exact near 0, where most passages are."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    power = math.exp(x)
    return power / (1 + power)
