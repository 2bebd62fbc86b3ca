"""Where the files of an ONNX model lie in a folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kb.digest import digest, sha256_file
from kb.errors import Unavailable

Pooling = Literal["mean", "cls"]
WANTED = ("model.onnx", "onnx/model.onnx")
POOLING_FILE = "1_Pooling/config.json"


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """A model's files and how its token vectors become one vector."""

    model: Path
    tokenizer: Path
    pooling: Pooling

    def weights_digest(self) -> str:
        """Digest of ``model.onnx`` and of the weight files beside it (``model.onnx_data`` …)."""
        files = sorted(self.model.parent.glob(f"{self.model.name}*"))
        return digest(*(part for f in files for part in (f.name, sha256_file(f))))


def open_folder(folder: Path) -> OnnxFolder:
    """Find the files of a model.

    Raises:
        Unavailable: the folder or a file is missing; the message names it and what is expected.
    """
    if not folder.is_dir():
        raise Unavailable(
            f"no model folder {folder}: expected a folder with model.onnx and tokenizer.json"
        )
    model = next((folder / name for name in WANTED if (folder / name).is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if model is None or not tokenizer.is_file():
        missing = "model.onnx (or onnx/model.onnx)" if model is None else "tokenizer.json"
        raise Unavailable(f"{folder} has no {missing}: expected both model.onnx and tokenizer.json")
    return OnnxFolder(model, tokenizer, _pooling(folder / POOLING_FILE))


def _pooling(path: Path) -> Pooling:
    """Mean, unless the model's own sentence-transformers file says that the first token counts."""
    if not path.is_file():
        return "mean"
    try:
        modes = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise Unavailable(f"cannot read {path}: {error}") from error
    chosen = [k for k, v in modes.items() if k.startswith("pooling_mode_") and v is True]
    if chosen in ([], ["pooling_mode_mean_tokens"]):
        return "mean"
    if chosen == ["pooling_mode_cls_token"]:
        return "cls"
    raise Unavailable(f"{path} asks for {', '.join(chosen)}: only mean or cls pooling is supported")
