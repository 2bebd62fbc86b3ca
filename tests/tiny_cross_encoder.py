"""Cross-encoders of a dozen nodes: the logit is how many words of the passage stand in the question."""

import json
from pathlib import Path

import numpy as np

from tests.tiny_onnx import FLOAT, INT64, Node, write_graph

BERT = ("input_ids", "attention_mask", "token_type_ids")
ROBERTA = ("input_ids", "attention_mask")
WORDS = ["sol", "mar", "luz", "pozo", "bomba", "agua", "¿", "dónde"]
BIAS = -1.5


def write_cross_encoder(
    folder: Path,
    inputs: tuple[str, ...] = BERT,
    outputs: int = 1,
    last: str = "",
    length: int | str = "t",
    words: list[str] | None = None,
    scale: float = 1.0,
) -> Path:
    """A folder with ``model.onnx``, ``tokenizer.json`` and ``config.json``.

    One logit: scale · (pairs of equal words across the two texts) - 1.5. Two: (-logit, 0), so that their
    softmax is that logit's sigmoid. Without token_type_ids equal words in one text count as well.
    `last` is an operator at the end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_graph(
        folder / "model.onnx",
        [*_overlap("token_type_ids" in inputs), *_head(outputs, last)],
        {
            "one": np.array([1], np.int64),
            "two": np.array([2], np.int64),
            "zero_f": np.zeros((1, 1), np.float32),
            "one_f": np.array([1], np.float32),
            "half": np.array([0.5], np.float32),
            "scale": np.array([scale], np.float32),
            "bias": np.array([BIAS], np.float32),
        },
        {name: (INT64, ["b", length]) for name in inputs},
        {"logits": (FLOAT, ["b", outputs])},
    )
    write_pair_tokenizer(folder / "tokenizer.json", words or WORDS)
    names = {str(i): f"LABEL_{i}" for i in range(outputs)}
    (folder / "config.json").write_text(
        json.dumps({"model_type": "bert", "max_position_embeddings": 512, "id2label": names})
    )
    return folder


def _overlap(typed: bool) -> list[Node]:
    """(b, 1): for each word, is it special, equal to which others; counted across the texts."""
    nodes = [
        Node("Greater", ["input_ids", "two"], "plain"),  # ids 0 to 2 are special
        Node("Cast", ["plain"], "word", {"to": FLOAT}),
        Node("Unsqueeze", ["input_ids", "one"], "across"),  # (b, 1, t)
        Node("Unsqueeze", ["input_ids", "two"], "down"),  # (b, t, 1)
        Node("Equal", ["across", "down"], "same"),
        Node("Cast", ["same"], "equal", {"to": FLOAT}),
    ]
    if typed:
        nodes += [
            Node("Cast", ["token_type_ids"], "second", {"to": FLOAT}),
            Node("Sub", ["one_f", "second"], "first"),
            Node("Mul", ["word", "first"], "asked"),
            Node("Mul", ["word", "second"], "read"),
        ]
    else:
        nodes += [Node("Identity", ["word"], "asked"), Node("Mul", ["word", "half"], "read")]
    return [
        *nodes,
        Node("Unsqueeze", ["asked", "one"], "asked_row"),
        Node("Unsqueeze", ["read", "two"], "read_column"),
        Node("MatMul", ["asked_row", "equal"], "met"),  # (b, 1, t)
        Node("MatMul", ["met", "read_column"], "cube"),  # (b, 1, 1)
        Node("Squeeze", ["cube", "two"], "sum"),  # (b, 1)
        *_without_itself(typed),
        Node("Mul", ["count", "scale"], "scaled"),
        Node("Add", ["scaled", "bias"], "logit"),
    ]


def _without_itself(typed: bool) -> list[Node]:
    if typed:
        return [Node("Identity", ["sum"], "count")]
    return [
        Node("ReduceSum", ["word", "one"], "words"),
        Node("Mul", ["words", "half"], "themselves"),
        Node("Sub", ["sum", "themselves"], "count"),
    ]


def _head(outputs: int, last: str) -> list[Node]:
    name = "raw" if last else "logits"
    if outputs == 1:
        head = [Node("Identity", ["logit"], name)]
    else:
        head = [
            Node("Neg", ["logit"], "against"),
            Node("Concat", ["against", *["zero_f"] * (outputs - 1)], name, {"axis": 1}),
        ]
    return head + ([Node(last, [name], "logits")] if last else [])


def write_pair_tokenizer(path: Path, words: list[str], pair: bool = True) -> None:
    """As `tests.tiny_onnx.write_tokenizer`, with BERT's template for pairs."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: i for i, word in enumerate(["[CLS]", "[SEP]", "[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", "[UNK]"])
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1" if pair else None,
        special_tokens=[("[CLS]", 0), ("[SEP]", 1)],
    )
    tokenizer.save(str(path))
