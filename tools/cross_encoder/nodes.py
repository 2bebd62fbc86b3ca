"""A small hand for writing ONNX graphs: one call a node, names made up."""

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"


class Nodes:
    """Nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.held: dict[str, onnx.TensorProto] = {}

    def op(
        self, kind: str, *inputs: str, outputs: int = 1, domain: str = "", **attributes: object
    ) -> str | list[str]:
        """A node; the name of its output, or the names where there are several."""
        name = f"{kind}_{len(self.nodes)}"
        out = [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(kind, list(inputs), out, name=name, domain=domain, **attributes)
        )
        return out[0] if outputs == 1 else out

    def one(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """A node with one output."""
        found = self.op(kind, *inputs, domain=domain, **attributes)
        assert isinstance(found, str)
        return found

    def constant(self, value: NDArray | Sequence[int] | float | int, name: str = "") -> str:
        """A constant: whole numbers become int64, fractions float32, arrays what they are."""
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
        if not isinstance(value, np.ndarray):
            array = array.astype(np.int64 if array.dtype.kind == "i" else np.float32)
        name = name or f"constant_{len(self.held)}"
        self.held[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def keep(self, tensor: onnx.TensorProto) -> str:
        """A constant of another graph, as it is."""
        self.held[tensor.name] = tensor
        return tensor.name

    def half(self, array: NDArray) -> str:
        """A constant kept in 16 bits and read as 32."""
        return self.one("Cast", self.constant(array.astype(np.float16)), to=TensorProto.FLOAT)

    def byte(self, array: NDArray) -> str:
        """A matrix kept in 8 bits with one scale a column, read as float."""
        scale = np.maximum(np.abs(array).max(axis=0), 1e-12) / 127
        whole = np.rint(array / scale).astype(np.int8)
        read = self.one("Cast", self.constant(whole), to=TensorProto.FLOAT)
        return self.one("Mul", read, self.constant(scale.astype(np.float32)))

    def model(
        self, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]
    ) -> onnx.ModelProto:
        """The whole."""
        graph = helper.make_graph(
            self.nodes, "cross-encoder", inputs, outputs, list(self.held.values())
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)
