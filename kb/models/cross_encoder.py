"""Question and passage read together by an ONNX model: how likely the one answers the other."""

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.errors import Unavailable
from kb.models.bundled_files import BUNDLED
from kb.models.cross_encoder_folder import (
    DESCRIPTIONS,
    PLAIN,
    QUANTISED,
    CrossEncoderFiles,
    open_cross_encoder,
)
from kb.models.cross_encoder_head import Head, find_head
from kb.models.hf_tokenizer import HfTokenizer
from kb.models.hub import Wanted, fetch
from kb.models.later import Later
from kb.models.onnx_model import INPUTS, open_session
from kb.models.pair_tokenizer import Pair, PairTokenizer
from kb.models.spread import cores, spread

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SETTING = "query.rerank_model"
_HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_INSTEAD = f"set {SETTING} to a folder"


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
        outputs = [(o.name, o.shape) for o in session.get_outputs()]
        length = inputs["input_ids"].shape[-1]
        return _Loaded(
            session,
            {name: np.int32 if "int32" in i.type else np.int64 for name, i in inputs.items()},
            length if isinstance(length, int) else 0,
            find_head(path, outputs, self._files.labels),
        )


@lru_cache(4)  # searchers with other settings share it
def load_cross_encoder(model: str, max_tokens: int) -> CrossEncoder:
    """The cross-encoder that the settings name; its weights are not read yet.

    Args:
        model: a folder, an ``.onnx`` file, the name of one in the box, or a hub id.
        max_tokens: that it is to read at most of question and passage together.

    Raises:
        UsageError: a malformed id.
        Unavailable: there is no such model, or a file of it is missing.
    """
    if not model:
        raise Unavailable(
            f"the reranker 'cross-encoder' needs a model, and {SETTING} names none: give it a folder "
            f"with model.onnx and tokenizer.json (--set {SETTING}=FOLDER, or rerank_model = "
            '"FOLDER" under [query] in tesela.toml), or a hub id; or use --rerank maxsim'
        )
    place = Path(model).expanduser()
    if place.exists():
        return CrossEncoder(place.resolve().name, open_cross_encoder(place), max_tokens)
    if place.name == model and (BUNDLED / model).is_dir():
        return CrossEncoder(f"bundled/{model}", open_cross_encoder(BUNDLED / model), max_tokens)
    if not _HUB_ID.fullmatch(model):
        raise Unavailable(f"{SETTING}: no model folder {model}")
    return CrossEncoder(f"hub/{model}", open_cross_encoder(_from_hub(model)), max_tokens)


def _from_hub(model: str) -> Path:
    if importlib.util.find_spec("huggingface_hub") is None:
        raise Unavailable(
            f"{SETTING}: there is no folder {model}, and to take it for a hub id needs the package "
            "'huggingface_hub', which is not installed: uv sync --extra hub "
            "(or: pip install 'tesela[hub]')"
        )
    files = [f"{name}{part}" for name in PLAIN for part in ("", "_data", ".data")]
    folder = fetch(model, _wanted(files))
    if any((folder / name).is_file() for name in PLAIN):
        return folder
    return fetch(model, _wanted([*files, *QUANTISED]))


def _wanted(files: Sequence[str]) -> Wanted:
    return Wanted([*files, *DESCRIPTIONS], open_cross_encoder, SETTING, _INSTEAD)
