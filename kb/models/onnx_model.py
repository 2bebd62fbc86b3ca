"""One onnxruntime session over an encoder, shared by all threads."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.errors import Unavailable
from kb.models.embedder import Floats
from kb.models.later import Later
from kb.models.onnx_folder import Pooling

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Ids = NDArray[np.int64]
POOLED = ("embedding", "sentence_embedding")
PER_TOKEN = ("token_embeddings", "last_hidden_state")
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: "InferenceSession"
    inputs: tuple[str, ...]
    pooled: str  # "" when the model gives token vectors only
    per_token: str  # "" when it gives none


class OnnxModel:
    """An encoder file; each call runs one text.

    The int8 activation scale is shared by all rows of a run, so in a batch a vector would depend on
    its neighbours.
    """

    def __init__(self, path: Path, pooling: Pooling) -> None:
        self.path = path
        self.pooling = pooling
        self._loaded = Later(self._load)

    def preload(self) -> None:
        """Begin loading in the background."""
        self._loaded.start()

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        loaded = self._loaded.get()
        name = loaded.pooled or loaded.per_token
        shapes = {o.name: o.shape for o in loaded.session.get_outputs()}
        last = shapes[name][-1]
        return last if isinstance(last, int) else len(self.pool(np.zeros(1, np.int64)))

    def pool(self, ids: Ids) -> Floats:
        """Unit vector of one text, shape (d,). `ids` int64 (t,), special tokens included."""
        loaded = self._loaded.get()
        if loaded.pooled:
            return unit(self._run(loaded, [loaded.pooled], ids)[0][0])
        return self._from_tokens(self._run(loaded, [loaded.per_token], ids)[0][0])

    def pool_and_tokens(self, ids: Ids) -> tuple[Floats, Floats]:
        """As `pool`, and the unit vector of each token, shape (t, d)."""
        loaded = self._loaded.get()
        if not loaded.per_token:
            raise Unavailable(f"{self.path} gives no token vectors")
        if not loaded.pooled:
            tokens = self._run(loaded, [loaded.per_token], ids)[0][0]
            return self._from_tokens(tokens), unit(tokens)
        pooled, tokens = self._run(loaded, [loaded.pooled, loaded.per_token], ids)
        return unit(pooled[0]), unit(tokens[0])

    def _from_tokens(self, tokens: Floats) -> Floats:
        """One text has no padding, so the attention mask of the mean is all ones."""
        return unit(tokens[0] if self.pooling == "cls" else tokens.mean(axis=0))

    def _run(self, loaded: _Loaded, outputs: list[str], ids: Ids) -> list[Floats]:
        row = ids[None, :]
        values = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
            "position_ids": np.arange(row.shape[1], dtype=np.int64)[None, :],
        }
        try:
            answers = loaded.session.run(outputs, {name: values[name] for name in loaded.inputs})
        except Exception as error:  # onnxruntime has no common error class
            raise Unavailable(f"{self.path} failed on {len(ids)} tokens: {error}") from error
        return [np.asarray(a, np.float32) for a in answers]

    def _load(self) -> _Loaded:
        session = open_session(self.path)
        inputs = tuple(i.name for i in session.get_inputs())
        outputs = [o.name for o in session.get_outputs()]
        strange = [name for name in inputs if name not in INPUTS]
        pooled = next((n for n in POOLED if n in outputs), "")
        per_token = next((n for n in PER_TOKEN if n in outputs), "")
        if strange or not (pooled or per_token):
            raise Unavailable(
                f"{self.path} has inputs {', '.join(inputs)} and outputs {', '.join(outputs)}: "
                f"expected inputs among {', '.join(INPUTS)} and an output among "
                f"{', '.join(POOLED + PER_TOKEN)}"
            )
        return _Loaded(session, inputs, pooled, per_token)


def open_session(path: Path) -> "InferenceSession":
    """A session that works in the thread that calls it, so that several calls fill the cores.

    Raises:
        Unavailable: the file cannot be loaded.
    """
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Unavailable(f"cannot load the model {path}: {error}") from error


def unit(rows: Floats) -> Floats:
    """Rows divided by their Euclidean length; a row of zeros stays."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Floats = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return scaled
