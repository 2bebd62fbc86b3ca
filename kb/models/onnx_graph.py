"""What an ONNX file computes last, read from its bytes: onnxruntime does not tell.

Protocol buffers by hand: of each message only the fields that hold strings and messages are looked at,
and the weights are passed over unread. Numbers of fields as in onnx.proto3.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

_GRAPH = 7  # of ModelProto
_NODE = 1  # of GraphProto
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4  # of NodeProto
# Operators that move values without changing them, or pick some of them.
_SAME = frozenset(
    [
        "Identity",
        "Cast",
        "Reshape",
        "Flatten",
        "Squeeze",
        "Unsqueeze",
        "Transpose",
        "Gather",
        "Slice",
        "Split",
        "QuantizeLinear",
        "DequantizeLinear",
    ]
)

Bytes = mmap.mmap | bytes


def last_operator(path: Path, output: str) -> str:
    """The operator that made the values of `output`, e.g. ``Sigmoid``; "" where it cannot be told."""
    with path.open("rb") as f:
        if not path.stat().st_size:
            return ""
        with mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            try:
                makers = dict(_makers(raw))
            except (ValueError, IndexError):
                return ""
    operator, name, seen = "", output, set[str]()
    while name in makers and name not in seen:
        seen.add(name)
        operator, name = makers[name]
        if operator not in _SAME:
            break
    return operator


def _makers(raw: Bytes) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each value by its name: the operator that makes it, and that one's first input."""
    for graph in _messages(raw, (0, len(raw)), _GRAPH):
        for node in _messages(raw, graph, _NODE):
            inputs = _texts(raw, node, _INPUT)
            operator = _texts(raw, node, _OPERATOR)
            for output in _texts(raw, node, _OUTPUT):
                yield output, (operator[0] if operator else "", inputs[0] if inputs else "")


def _texts(raw: Bytes, within: tuple[int, int], field: int) -> list[str]:
    return [bytes(raw[a:b]).decode() for a, b in _messages(raw, within, field)]


def _messages(raw: Bytes, within: tuple[int, int], field: int) -> Iterator[tuple[int, int]]:
    """Bounds of the strings and messages of one field."""
    at, end = within
    while at < end:
        key, at = _varint(raw, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(raw, at)
            if key >> 3 == field:
                yield at, at + size
            at += size
        elif kind == 0:
            _, at = _varint(raw, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError(f"no wire type {kind}")


def _varint(raw: Bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
