"""A model by its id on the Hugging Face hub, for machines with a network."""

import msgspec

from kb.models.hub import Wanted, fetch
from kb.models.onnx_embedder import OnnxEmbedder
from kb.models.onnx_folder import POOLING_FILE, WANTED, open_folder
from kb.settings import EmbedSettings

FILES = [f"{name}{part}" for name in WANTED for part in ("", "_data", ".data")]
FILES += ["tokenizer.json", POOLING_FILE]
_WANTED = Wanted(FILES, open_folder, "embed.model", "use the embedder 'bundled' or 'onnx'")


class HubEmbedder(OnnxEmbedder):
    """An `OnnxEmbedder` whose folder comes from the hub's cache, or is downloaded once.

    A copy in the cache is used without asking the network, so an index and its queries keep to one
    revision.

    Raises:
        UsageError: the id is malformed.
        Unavailable: no copy and no network, no such model, or one without ONNX files.
    """

    def __init__(self, settings: EmbedSettings) -> None:
        folder = str(fetch(settings.model, _WANTED))
        super().__init__(
            msgspec.structs.replace(settings, model=folder), name=f"hub/{settings.model}"
        )
