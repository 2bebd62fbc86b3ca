"""From a setting to a cross-encoder: the one in the box, a folder, a file in one, or the hub's."""

import importlib.util
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from kb.errors import Unavailable
from kb.models.bundled_files import BUNDLED, CROSS_ENCODER
from kb.models.cross_encoder import CrossEncoder
from kb.models.cross_encoder_folder import DESCRIPTIONS, PLAIN, QUANTISED, open_cross_encoder
from kb.models.hub import Wanted, fetch

SETTING = "query.rerank_model"
_HUB_ID = re.compile(r"\w[\w.-]*/\w[\w.-]*")
_INSTEAD = f"set {SETTING} to a folder"


@lru_cache(4)  # searchers with other settings share it
def load_cross_encoder(model: str, max_tokens: int) -> CrossEncoder:
    """The cross-encoder that the settings name; its weights are not read yet.

    Args:
        model: a folder, an ``.onnx`` file, the name of one in the box, or a hub id; "" is the one in the
            box.
        max_tokens: that it is to read at most of question and passage together.

    Raises:
        UsageError: a malformed id.
        Unavailable: there is no such model, or a file of it is missing.
    """
    model = model or CROSS_ENCODER
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
