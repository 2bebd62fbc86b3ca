"""Where the files of a cross-encoder lie, and what they say of themselves."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import Unavailable
from kb.models.bundled_files import BUNDLED

# The exact weights first; quantised ones where they are all there is, or named.
PLAIN = ("model.onnx", "onnx/model.onnx")
QUANTISED = tuple(
    f"{folder}model_{kind}.onnx" for folder in ("", "onnx/") for kind in ("quantized", "int8")
)
DESCRIPTIONS = ("tokenizer.json", "tokenizer_config.json", "config.json")
EXPECTED = "expected a folder with model.onnx (or onnx/model.onnx) and tokenizer.json"
_UNBOUNDED = 1 << 24  # tokenizers without a limit write 10^30
# Their positions are counted from behind the padding token's.
_ROBERTAS = frozenset(
    [
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
        "xlm-roberta-xl",
        "camembert",
        "mpnet",
        "longformer",
        "xmod",
        "data2vec-text",
    ]
)


@dataclass(frozen=True, slots=True)
class CrossEncoderFiles:
    """A model's files and what ``config.json`` and ``tokenizer_config.json`` tell."""

    model: Path
    tokenizer: Path
    window: int  # the most tokens that it reads; 0 where nothing says
    labels: tuple[str, ...]  # of its outputs, () where nothing says
    doubled: bool  # the separator stands twice between two texts
    first_position: int


def open_cross_encoder(place: Path) -> CrossEncoderFiles:
    """Find the files of a model.

    Args:
        place: a folder, or one of the ``.onnx`` files in it. What a folder named ``onnx`` lacks is
            looked for above it, so that ``onnx/model_int8.onnx`` can be named.

    Raises:
        Unavailable: a file is missing or cannot be read; the message names it.
    """
    if place.is_file():
        model, folder = place, place.parent
    else:
        folder = place
        found = (folder / name for name in PLAIN + QUANTISED if (folder / name).is_file())
        first = next(found, None)
        if first is None:
            raise Unavailable(f"{folder} has no model.onnx: {EXPECTED}")
        model = first
    tokenizer = _near(folder, "tokenizer.json")
    if tokenizer is None:
        raise Unavailable(f"{folder} has no tokenizer.json: {EXPECTED}")
    config = _read(_near(folder, "config.json"))
    robertas = config.get("model_type") in _ROBERTAS
    first_position = _whole(config.get("pad_token_id"), 1) + 1 if robertas else 0
    limits = (
        _whole(config.get("max_position_embeddings")) - first_position,
        _whole(_read(_near(folder, "tokenizer_config.json")).get("model_max_length")),
    )
    known = [limit for limit in limits if 0 < limit < _UNBOUNDED]
    return CrossEncoderFiles(
        model, tokenizer, min(known, default=0), _labels(config), robertas, first_position
    )


def _near(folder: Path, name: str) -> Path | None:
    # Models in the box share their tokenizer. Anywhere else a file above may be another model's.
    above = folder.name == "onnx" or folder.parent == BUNDLED
    places = (folder, folder.parent) if above else (folder,)
    return next((place / name for place in places if (place / name).is_file()), None)


def _read(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Unavailable(f"cannot read {path}: {error}") from error
    return found if isinstance(found, dict) else {}


def _whole(value: object, otherwise: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    return int(value)


def _labels(config: dict[str, Any]) -> tuple[str, ...]:
    named = config.get("id2label")
    if isinstance(named, dict) and all(str(key).isdigit() for key in named):
        return tuple(str(named[key]) for key in sorted(named, key=int))
    return tuple(f"LABEL_{i}" for i in range(_whole(config.get("num_labels"))))
