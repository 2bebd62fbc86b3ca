"""Settings with which each reranker of the registry can work in a test."""

from pathlib import Path

from kb.settings import QuerySettings
from tests.tiny_cross_encoder import write_cross_encoder


def rerank_settings(name: str, folder: Path, words: list[str], **more: object) -> QuerySettings:
    """`folder` is where a model may be made that knows `words`."""
    own: dict[str, object] = {}
    if name == "cross-encoder":
        if not (folder / "model.onnx").exists():
            write_cross_encoder(folder, words=words)
        own["rerank_model"] = str(folder)
    return QuerySettings(rerank=name, **own, **more)  # type: ignore[arg-type]
