"""Any encoder on disk: a folder with ``model.onnx`` and ``tokenizer.json``."""

from pathlib import Path

from kb.models.hf_tokenizer import HfTokenizer
from kb.models.onnx_folder import open_folder
from kb.models.onnx_model import OnnxModel
from kb.models.onnx_text import OnnxText
from kb.settings import EmbedSettings


class OnnxEmbedder(OnnxText):
    """``embed.model`` is the folder.

    The model gives ``embedding`` (or ``sentence_embedding``), or ``last_hidden_state`` (or
    ``token_embeddings``), which is averaged over the tokens, or reduced to its first token where
    ``1_Pooling/config.json`` says so.

    Raises:
        Unavailable: the folder or one of its files is missing.
    """

    def __init__(self, settings: EmbedSettings, name: str = "") -> None:
        """`name` is for messages; by default it is made from the folder's."""
        folder = Path(settings.model).expanduser()
        files = open_folder(folder)
        super().__init__(
            name or f"onnx/{folder.resolve().name}",
            OnnxModel(files.model, files.pooling),
            HfTokenizer(files.tokenizer),
            prefixes={
                "query": settings.query_prefix or "",
                "passage": settings.passage_prefix or "",
            },
            window=settings.max_tokens,
            threads=settings.threads,
            weights_digest=files.weights_digest,
        )
