"""Where the bundled model's files lie."""

from pathlib import Path

BUNDLED = Path(__file__).parent / "bundled"
TOKENIZER = BUNDLED / "tokenizer.json"
TOKEN_MEAN = BUNDLED / "mean.npy"
