"""The bundled 6-layer encoder, opened up: its weights, and what its layers say of a text.

The cross-encoder leaves it as it is. So what a passage is to the reading layers can be worked out once,
before the training, by the very int8 graph that will run in the product.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import numpy_helper
from tokenizers import Tokenizer

Floats = NDArray[np.float32]
WIDTH, HEADS, LAYERS = 384, 12, 6
FIRST = 2  # the first layer in which the question reads the passage
START, END = 0, 2
PREFIX = {"query": "query: ", "passage": "passage: "}
SPECIAL = {"query": 4, "passage": 3}  # start token and prefix; one more stands at the end


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer's weights as the int8 graph multiplies by them, float32, each (in, out)."""

    qkv: Floats
    qkv_bias: Floats
    out: Floats
    out_bias: Floats
    norm: tuple[Floats, Floats]
    up: Floats
    up_bias: Floats
    down: Floats
    down_bias: Floats
    norm_after: tuple[Floats, Floats]


def layers(graph: onnx.GraphProto) -> list[Layer]:
    """All layers, in order, by the shape of the fused graph that tools/encoder/export.py writes."""
    held = {i.name: i for i in graph.initializer}

    def array(name: str) -> NDArray:
        return numpy_helper.to_array(held[name])

    def weights(quantised: str, scale: str, zero: str) -> Floats:
        whole = array(quantised).astype(np.float32) - array(zero).astype(np.float32)
        return whole * array(scale).astype(np.float32)

    attentions = [n for n in graph.node if n.op_type == "QAttention"]
    products = [n for n in graph.node if n.op_type == "MatMulInteger"]
    norms = [n for n in graph.node if n.op_type == "SkipLayerNormalization"]
    rises = [n for n in graph.node if n.op_type == "BiasGelu"]
    found = []
    for i, node in enumerate(attentions):
        out, up, down = (
            weights(p.input[1], p.input[1].replace("_quantized", "_scale"), p.input[3])
            for p in products[3 * i : 3 * i + 3]
        )
        near, far = norms[2 * i], norms[2 * i + 1]
        found.append(
            Layer(
                weights(node.input[1], node.input[4], node.input[7]),
                array(node.input[2]),
                out,
                array(near.input[4]),
                (array(near.input[2]), array(near.input[3])),
                up,
                array(rises[i].input[1]),
                down,
                array(far.input[4]),
                (array(far.input[2]), array(far.input[3])),
            )
        )
    return found


def inputs_of_layers(graph: onnx.GraphProto) -> list[str]:
    """Names of what goes into each layer, and of what leaves the last."""
    quantised = {
        n.output[0]: n.input[0] for n in graph.node if n.op_type == "DynamicQuantizeLinear"
    }
    attentions = [n for n in graph.node if n.op_type == "QAttention"]
    last = [n for n in graph.node if n.op_type == "SkipLayerNormalization"][-1]
    return [*(quantised[n.input[0]] for n in attentions), last.output[0]]


class Frozen:
    """Runs the encoder and gives what each layer reads."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        model = onnx.load(folder / "encoder-6" / "model.onnx")
        self.layers = layers(model.graph)
        names = inputs_of_layers(model.graph)
        self._names = names
        for name in names:
            kind = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
            model.graph.output.append(kind)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def ids(self, text: str, role: str, limit: int) -> NDArray[np.int64]:
        """Token ids, at most `limit`, the end token kept."""
        ids = self._tokenizer.encode(PREFIX[role] + text).ids
        return np.asarray([*ids[: limit - 1], END] if len(ids) > limit else ids, np.int64)

    def states(self, ids: NDArray[np.int64]) -> list[Floats]:
        """What goes into each layer and what leaves the last, each (t, 384)."""
        row = ids[None, :]
        given = {"input_ids": row, "attention_mask": np.ones_like(row)}
        return [out[0] for out in self._session.run(self._names, given)]


def quantise(x: Floats) -> Floats:
    """As DynamicQuantizeLinear does: 8 bits, one scale for the whole array."""
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    scale = np.float32((high - low) / 255 or 1.0)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return ((np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale).astype(np.float32)


def keys_and_values(layer: Layer, x: Floats) -> Floats:
    """What a layer's keys and values are for its input (t, 384): (t, 768)."""
    return quantise(x) @ layer.qkv[:, WIDTH:] + layer.qkv_bias[WIDTH:]
