"""ONNX files of one Gather node, written by hand: token i has row i of a table."""

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


def write_model(
    path: Path, table: np.ndarray, inputs: tuple[str, ...], output: str = "last_hidden_state"
) -> None:
    """A model whose `output` is (1, t, d): the rows of `table` (v, d) that ``input_ids`` names."""
    node = _bytes(1, "table") + _bytes(1, "input_ids") + _bytes(2, output) + _bytes(4, "Gather")
    tensor = b"".join(_number(1, n) for n in table.shape) + _number(2, FLOAT)
    tensor += _bytes(8, "table") + _bytes(9, table.astype("<f4").tobytes())
    graph = _bytes(1, node) + _bytes(2, "g") + _bytes(5, tensor)
    graph += b"".join(_bytes(11, _value(name, INT64, ["b", "t"])) for name in inputs)
    graph += _bytes(12, _value(output, FLOAT, ["b", "t", table.shape[1]]))
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 13)))


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
