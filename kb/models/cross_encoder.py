"""Question and passage read together by an ONNX model: how likely the one answers the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.errors import Unavailable
from kb.models.cross_encoder_folder import CrossEncoderFiles
from kb.models.cross_encoder_head import Head, find_head
from kb.models.hf_tokenizer import HfTokenizer
from kb.models.later import Later
from kb.models.onnx_model import INPUTS, open_session
from kb.models.pair_tokenizer import Pair, PairTokenizer
from kb.models.spread import cores, spread

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: "InferenceSession"
    inputs: dict[str, type[np.signedinteger]]  # name → int32 or int64
    length: int  # of every row, where the graph has a fixed one; else 0
    head: Head


class CrossEncoder:
    """Scores passages for a question; its files are read when it is first asked, or told to preload."""

    def __init__(self, name: str, files: CrossEncoderFiles, max_tokens: int) -> None:
        """`max_tokens` of question and passage together; the model may take fewer."""
        self.name = name
        self._files = files
        self._window = min(max_tokens, files.window or max_tokens)
        self._pairs = PairTokenizer(HfTokenizer(files.tokenizer), files.doubled)
        self._loaded = Later(self._load)

    def preload(self) -> None:
        """Begin loading model and tokenizer side by side; returns at once."""
        self._loaded.start()
        self._pairs.preload()

    def probabilities(self, question: str, passages: Sequence[str]) -> NDArray[np.float64]:
        """How likely each passage answers the question, float64 (len(passages),), 0 to 1.

        One pair a run, on all cores, the longest first: in a batch, an int8 model's scores would
        depend on the neighbours, since they share one activation scale.

        Raises:
            Unavailable: the files are no cross-encoder, or it gave what is no score.
        """
        self.preload()
        loaded = self._loaded.get()
        window = min(self._window, loaded.length or self._window)
        pairs = [self._pairs.pair(question, passage, window) for passage in passages]
        order = sorted(range(len(pairs)), key=lambda i: -len(pairs[i]))
        scores = np.empty(len(pairs), np.float64)

        def one(i: int) -> None:
            scores[order[i]] = self._score(loaded, pairs[order[i]])

        spread(one, len(pairs), cores())
        return scores

    def _score(self, loaded: _Loaded, pair: Pair) -> float:
        length = len(pair)
        padding = max(loaded.length - length, 0)
        rows = {
            "input_ids": pair.ids,
            "attention_mask": np.ones(length, np.int64),
            "token_type_ids": pair.segments,
            "position_ids": np.arange(length) + self._files.first_position,
        }
        given = {
            name: np.pad(rows[name], (0, padding)).astype(kind)[None, :]
            for name, kind in loaded.inputs.items()
        }
        try:
            (found,) = loaded.session.run([loaded.head.output], given)
        except Exception as error:  # onnxruntime has no common error class
            raise Unavailable(f"{self._files.model} failed on {length} tokens: {error}") from error
        return loaded.head.probability(np.asarray(found, np.float64).ravel().tolist())

    def _load(self) -> _Loaded:
        path = self._files.model
        session = open_session(path)
        inputs = {i.name: i for i in session.get_inputs()}
        if "input_ids" not in inputs or not inputs.keys() <= set(INPUTS):
            raise Unavailable(
                f"{path} has inputs {', '.join(inputs)}: a cross-encoder reads input_ids and may ask "
                f"for {', '.join(INPUTS[1:])}"
            )
        outputs = [(o.name, o.shape or []) for o in session.get_outputs()]
        length = inputs["input_ids"].shape[-1]
        return _Loaded(
            session,
            {name: np.int32 if "int32" in i.type else np.int64 for name, i in inputs.items()},
            length if isinstance(length, int) else 0,
            find_head(path, outputs, self._files.labels),
        )
