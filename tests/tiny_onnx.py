"""Small ONNX files, written by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FLOAT, INT64 = 1, 7


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _value(name: str, kind: int, shape: list[str | int]) -> bytes:
    dims = b"".join(_bytes(1, _bytes(2, d) if isinstance(d, str) else _number(1, d)) for d in shape)
    tensor = _number(1, kind) + _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


@dataclass(frozen=True)
class Node:
    """One operator; attributes are whole numbers."""

    operator: str
    inputs: list[str]
    output: str
    attributes: Mapping[str, int] = field(default_factory=dict)

    def encoded(self) -> bytes:
        raw = b"".join(_bytes(1, name) for name in self.inputs) + _bytes(2, self.output)
        raw += _bytes(4, self.operator)
        for name, value in self.attributes.items():
            raw += _bytes(5, _bytes(1, name) + _number(3, value) + _number(20, 2))
        return raw


Values = Mapping[str, tuple[int, list[str | int]]]  # name → kind, shape


def write_graph(
    path: Path,
    nodes: list[Node],
    tensors: Mapping[str, np.ndarray],
    inputs: Values,
    outputs: Values,
) -> None:
    """A model of these nodes; tensors are float32 or int64."""
    graph = b"".join(_bytes(1, node.encoded()) for node in nodes) + _bytes(2, "g")
    for name, tensor in tensors.items():
        kind = FLOAT if tensor.dtype == np.float32 else INT64
        raw = b"".join(_number(1, n) for n in tensor.shape) + _number(2, kind)
        raw += _bytes(8, name) + _bytes(9, tensor.astype(tensor.dtype.newbyteorder("<")).tobytes())
        graph += _bytes(5, raw)
    graph += b"".join(_bytes(11, _value(name, *value)) for name, value in inputs.items())
    graph += b"".join(_bytes(12, _value(name, *value)) for name, value in outputs.items())
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 13)))


def write_model(
    path: Path, table: np.ndarray, inputs: tuple[str, ...], output: str = "last_hidden_state"
) -> None:
    """A model whose `output` is (1, t, d): the rows of `table` (v, d) that ``input_ids`` names."""
    write_graph(
        path,
        [Node("Gather", ["table", "input_ids"], output)],
        {"table": table.astype(np.float32)},
        {name: (INT64, ["b", "t"]) for name in inputs},
        {output: (FLOAT, ["b", "t", table.shape[1]])},
    )


def write_tokenizer(path: Path, words: list[str]) -> None:
    """Words split at blanks; ids: [CLS] 0, [SEP] 1, [UNK] 2, then `words` from 3."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: i for i, word in enumerate(["[CLS]", "[SEP]", "[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens(["[CLS]", "[SEP]", "[UNK]"])
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.save(str(path))
