"""The trained cross-encoder as one int8 ONNX file, built on the bundled 6-layer encoder's own weights.

    python tools/cross_encoder/export.py --bundled DIR --checkpoint FILE --out FOLDER

The graph takes the ids of "<s> question </s></s> passage </s>" (input_ids, one row) and gives `logits`.
Inside it cuts the row in two, puts the encoder's prefixes before each part, runs both through the frozen
encoder (its constants are shared) and then the reading layers. Frozen products stay int8 with one
activation scale a text; what was learned is kept in 8 bits a column and multiplied in float.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from frozen import FIRST, HEADS, LAYERS, PREFIX, SPECIAL, START, WIDTH
from nodes import MICROSOFT, Nodes
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

EPSILON = 1e-12
END = 2
PLACES = 512  # rows of the encoder's table of positions
Learned = dict[str, np.ndarray]


class Encoder:
    """The bundled graph's products and norms, to be used for any text in the new graph."""

    def __init__(self, source: onnx.GraphProto, into: Nodes) -> None:
        self.g = into
        self._source = {i.name: i for i in source.initializer}
        kinds = ("QAttention", "MatMulInteger", "SkipLayerNormalization", "BiasGelu")
        self._nodes = {k: [n for n in source.node if n.op_type == k] for k in kinds}
        first = next(n for n in source.node if n.op_type == "LayerNormalization")
        self._norm = [into.keep(self._source[name]) for name in first.input[1:]]
        for name in ("word_q4", "word_scale"):
            into.keep(self._source[name])
        table = numpy_helper.to_array(self._source["m.embeddings.position_embeddings.weight"])
        self._places = into.half(table)

    def embed(self, ids: str) -> str:
        """From ids (t,) to (1, t, 384)."""
        g = self.g
        row = g.one("Unsqueeze", ids, g.constant([0]))
        words = g.one(
            "GatherBlockQuantized", "word_q4", row, "word_scale",
            domain=MICROSOFT, gather_axis=0, quantize_axis=1, block_size=32,
        )  # fmt: skip
        words = g.one("Cast", words, to=TensorProto.FLOAT)
        length = g.one("Shape", ids)
        places = g.one("Slice", self._places, g.constant([0]), length, g.constant([0]))
        return g.one(
            "LayerNormalization", g.one("Add", words, places), *self._norm, axis=-1, epsilon=EPSILON
        )

    def product(self, x: tuple[str, ...], weights: str, zero: str, scale: str) -> str:
        """An int8 product of what `quantised` gave."""
        g = self.g
        values, own_scale, own_zero = x
        for name in (weights, zero, scale):
            g.keep(self._source[name])
        whole = g.one("MatMulInteger", values, weights, own_zero, zero)
        return g.one(
            "Mul", g.one("Cast", whole, to=TensorProto.FLOAT), g.one("Mul", own_scale, scale)
        )

    def quantised(self, x: str) -> tuple[str, ...]:
        """Values, scale and zero point."""
        values, scale, zero = self.g.op("DynamicQuantizeLinear", x, outputs=3)
        return values, scale, zero

    def qkv(self, layer: int, x: str) -> list[str]:
        """Queries, keys and values, each (1, t, 384)."""
        node = self._nodes["QAttention"][layer]
        found = self.product(self.quantised(x), node.input[1], node.input[7], node.input[4])
        biased = self.g.one("Add", found, self.g.keep(self._source[node.input[2]]))
        parts = self.g.op("Split", biased, outputs=3, axis=-1)
        assert isinstance(parts, list)
        return parts

    def attention(self, layer: int, x: str) -> str:
        """The fused one."""
        node = self._nodes["QAttention"][layer]
        values, scale, zero = self.quantised(x)
        weights, bias, w_scale, w_zero = (
            self.g.keep(self._source[node.input[i]]) for i in (1, 2, 4, 7)
        )
        return self.g.one(
            "QAttention", values, weights, bias, scale, w_scale, "", zero, w_zero,
            domain=MICROSOFT, num_heads=HEADS,
        )  # fmt: skip

    def dense(self, number: int, x: str) -> str:
        """One of the three products behind each attention, without its bias."""
        node = self._nodes["MatMulInteger"][number]
        scale = node.input[1].replace("_quantized", "_scale")
        return self.product(self.quantised(x), node.input[1], node.input[3], scale)

    def add_norm(self, number: int, x: str, before: str) -> str:
        """Of x, its bias and what was before: the sum, normed."""
        node = self._nodes["SkipLayerNormalization"][number]
        gain, shift, bias = (self.g.keep(self._source[name]) for name in node.input[2:5])
        return self.g.one(
            "SkipLayerNormalization",
            x,
            before,
            gain,
            shift,
            bias,
            domain=MICROSOFT,
            epsilon=EPSILON,
        )

    def rise(self, layer: int, x: str) -> str:
        """Bias and GELU."""
        bias = self.g.keep(self._source[self._nodes["BiasGelu"][layer].input[1]])
        return self.g.one("BiasGelu", x, bias, domain=MICROSOFT)

    def after(self, layer: int, attended: str, x: str) -> str:
        """What follows the attention in a plain layer."""
        near = self.add_norm(2 * layer, self.dense(3 * layer, attended), x)
        high = self.rise(layer, self.dense(3 * layer + 1, near))
        return self.add_norm(2 * layer + 1, self.dense(3 * layer + 2, high), near)


def low(g: Nodes, learned: Learned, name: str, x: str) -> str:
    """The product x A B."""
    inner = g.one("MatMul", x, g.byte(learned[f"{name}.a"]))
    return g.one("MatMul", inner, g.byte(learned[f"{name}.b"]))


def heads(g: Nodes, x: str) -> str:
    """(1, t, 384) → (1, 12, t, 32)."""
    split = g.one("Reshape", x, g.constant([1, -1, HEADS, WIDTH // HEADS]))
    return g.one("Transpose", split, perm=[0, 2, 1, 3])


def joined(g: Nodes, x: str) -> str:
    """(1, 12, t, 32) → (1, t, 384)."""
    return g.one("Reshape", g.one("Transpose", x, perm=[0, 2, 1, 3]), g.constant([1, -1, WIDTH]))


def scores(g: Nodes, q: str, k: str) -> str:
    """Scaled products of queries and keys, by head."""
    turned = g.one("Transpose", heads(g, k), perm=[0, 1, 3, 2])
    scale = g.constant(1 / float(np.sqrt(WIDTH // HEADS)))
    return g.one("Mul", g.one("MatMul", heads(g, q), turned), scale)


def reading(e: Encoder, learned: Learned, layer: int, x: str, keys: str, values: str) -> str:
    """One layer of the question's side; see model.Reading."""
    g, own = e.g, f"layers.{layer - FIRST}"
    q, k, v = e.qkv(layer, x)
    more = g.op("Split", low(g, learned, f"{own}.low_qkv", x), outputs=4, axis=-1)
    within = scores(g, g.one("Add", q, more[0]), g.one("Add", k, more[1]))
    across = scores(g, g.one("Add", q, more[3]), keys)
    openness = learned[f"{own}.open"].reshape(1, HEADS, 1, 1).astype(np.float32)
    across = g.one("Add", across, g.constant(openness))
    shares = g.one("Softmax", g.one("Concat", within, across, axis=-1), axis=-1)
    every = g.one("Concat", heads(g, g.one("Add", v, more[2])), heads(g, values), axis=2)
    t = g.one("Slice", g.one("Shape", x), g.constant([1]), g.constant([2]))
    mine = joined(g, part(g, shares, every, g.constant([0]), t))
    theirs = joined(g, part(g, shares, every, t, g.constant([1 << 30])))
    out = e.dense(3 * layer, g.one("Add", mine, theirs))
    both = g.one("Concat", mine, theirs, axis=-1)
    out = g.one("Add", out, low(g, learned, f"{own}.low_out", both))
    near = e.add_norm(2 * layer, out, x)
    high = g.one("Add", e.dense(3 * layer + 1, near), low(g, learned, f"{own}.low_up", near))
    high = e.rise(layer, high)
    down = g.one("Add", e.dense(3 * layer + 2, high), low(g, learned, f"{own}.low_down", high))
    return e.add_norm(2 * layer + 1, down, near)


def part(g: Nodes, shares: str, values: str, begin: str, end: str) -> str:
    """The attention's sum over some of the tokens."""
    share = g.one("Slice", shares, begin, end, g.constant([3]))
    return g.one("MatMul", share, g.one("Slice", values, begin, end, g.constant([2])))


def unit(g: Nodes, x: str) -> str:
    """Rows of length one."""
    return g.one("LpNormalization", x, axis=-1, p=2)


def linear(g: Nodes, learned: Learned, name: str, x: str) -> str:
    """The layer on x, its weights kept in 8 bits."""
    weights = g.byte(learned[f"{name}.weight"].T)
    return g.one("Add", g.one("MatMul", x, weights), g.constant(learned[f"{name}.bias"]))


def matches(g: Nodes, learned: Learned, plain: str, top: str) -> str:
    """The best cosine of each question token with any of the passage's, (1, t, 1)."""
    centre = g.constant(learned["centre"])
    asked, said = (g.one("Sub", unit(g, x), centre) for x in (plain, top))
    asked = unit(g, g.one("Add", asked, low(g, learned, "low_question", asked)))
    turned = g.one("Transpose", unit(g, said), perm=[0, 2, 1])
    return g.one("ReduceMax", g.one("MatMul", asked, turned), axes=[-1], keepdims=1)


def inside(g: Nodes, x: str, first: int) -> str:
    """Without start, prefix and end token; all of it where nothing is left."""
    length = g.one("Slice", g.one("Shape", x), g.constant([1]), g.constant([2]))
    some = g.one("Greater", length, g.constant([first + 1]))
    begin = g.one("Where", some, g.constant([first]), g.constant([0]))
    end = g.one("Where", some, g.one("Sub", length, g.constant([1])), length)
    return g.one("Slice", x, begin, end, g.constant([1]))


def head(g: Nodes, learned: Learned, read: str, plain: str, top: str) -> str:
    """The logit, (1, 1); see model.CrossEncoder."""
    asked = inside(g, plain, SPECIAL["query"])
    met = matches(g, learned, asked, inside(g, top, SPECIAL["passage"]))
    weight = gelu(g, linear(g, learned, "weigh.0", asked))
    weight = g.one("Softmax", linear(g, learned, "weigh.2", weight), axis=1)
    ten = g.constant(10.0)
    seen = g.one(
        "Concat", inside(g, read, SPECIAL["query"]), asked, g.one("Mul", met, ten), axis=-1
    )
    told = linear(g, learned, "tell", gelu(g, linear(g, learned, "told", seen)))
    scale = learned["scale"]
    each = g.one("Add", g.one("Mul", met, g.constant(float(scale[0]))), told)
    logit = g.one("ReduceSum", g.one("Mul", weight, each), g.constant([1]), keepdims=0)
    means = [unit(g, g.one("ReduceMean", x, axes=[1], keepdims=0)) for x in (plain, top)]
    alike = g.one("ReduceSum", g.one("Mul", *means), g.constant([1]), keepdims=1)
    alike = g.one("Mul", g.one("Sub", alike, g.constant(0.8)), g.constant(float(scale[1])))
    whole = linear(g, learned, "whole", g.one("ReduceMean", read, axes=[1], keepdims=0))
    total = g.one("Add", g.one("Add", logit, alike), whole)
    g.nodes.append(
        helper.make_node(
            "Add", [total, g.constant(float(learned["bias"]))], ["logits"], name="logits"
        )
    )
    return "logits"


def gelu(g: Nodes, x: str) -> str:
    """GELU."""
    return g.one("Gelu", x, domain=MICROSOFT)


def halves(g: Nodes, tokenizer: Tokenizer) -> tuple[str, str]:
    """Ids of the question and of the passage, each with start, prefix and end."""
    ids = g.one("Reshape", "input_ids", g.constant([-1]))
    ends = g.one("NonZero", g.one("Equal", ids, g.constant(END)))
    first = g.one(
        "Reshape",
        g.one("Slice", ends, g.constant([0]), g.constant([1]), g.constant([1])),
        g.constant([1]),
    )
    far = g.constant([1 << 30])
    question = g.one("Slice", ids, g.constant([1]), g.one("Add", first, g.constant([1])))
    passage = g.one("Slice", ids, g.one("Add", first, g.constant([2])), far)
    found = []
    for role, rest in (("query", question), ("passage", passage)):
        prefix = tokenizer.encode(PREFIX[role].strip(), add_special_tokens=False).ids
        assert len(prefix) + 1 == SPECIAL[role], prefix
        whole = g.one("Concat", g.constant([START, *prefix]), rest, axis=0)
        found.append(g.one("Slice", whole, g.constant([0]), g.constant([PLACES]), g.constant([0])))
    return found[0], found[1]


def build(bundled: Path, learned: Learned) -> onnx.ModelProto:
    """The graph."""
    g = Nodes()
    e = Encoder(onnx.load(bundled / "encoder-6" / "model.onnx").graph, g)
    question, passage = halves(g, Tokenizer.from_file(str(bundled / "tokenizer.json")))
    plain, top, read = e.embed(question), e.embed(passage), ""
    for layer in range(LAYERS):
        if layer < FIRST:
            plain, top = (e.after(layer, e.attention(layer, x), x) for x in (plain, top))
            continue
        q, keys, values = e.qkv(layer, top)
        attended = g.one("MultiHeadAttention", q, keys, values, domain=MICROSOFT, num_heads=HEADS)
        read = reading(e, learned, layer, read or plain, keys, values)
        top = e.after(layer, attended, top)
        plain = e.after(layer, e.attention(layer, plain), plain)
    head(g, learned, read, plain, top)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "length"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 1])
    return g.model([ids], [logits])


def main() -> None:
    """Read arguments and write the folder."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--bundled", type=Path, required=True)
    arguments.add_argument("--checkpoint", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    options = arguments.parse_args()
    state = torch.load(options.checkpoint, map_location="cpu")["model"]
    learned = {name: tensor.float().numpy() for name, tensor in state.items()}
    options.out.mkdir(parents=True, exist_ok=True)
    onnx.save(build(options.bundled, learned), options.out / "model.onnx")
    print(options.out, (options.out / "model.onnx").stat().st_size)


if __name__ == "__main__":
    main()
