"""Where the bundled model's files lie, and their digests."""

import json
from pathlib import Path

BUNDLED = Path(__file__).parent / "bundled"
TOKENIZER = BUNDLED / "tokenizer.json"
TOKEN_MEAN = BUNDLED / "mean.npy"
MODELS = ("encoder-12", "encoder-6")
CROSS_ENCODER = "cross-encoder-6"
DIGESTS = (
    BUNDLED / "digests.json"
)  # written by tools/bundled_digests.py; hashing costs 30 ms a start


def model_file(name: str) -> Path:
    """The ONNX file of one of `MODELS`."""
    return BUNDLED / name / "model.onnx"


def digests() -> dict[str, str]:
    """SHA-256 of each model by its name, and of ``tokenizer.json``."""
    known: dict[str, str] = json.loads(DIGESTS.read_text("utf-8"))
    return known
