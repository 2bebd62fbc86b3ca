"""A model by its id on the Hugging Face hub, for machines with a network."""

from pathlib import Path

import msgspec

from kb.errors import Unavailable, UsageError
from kb.models.onnx_embedder import OnnxEmbedder
from kb.models.onnx_folder import POOLING_FILE, WANTED, open_folder
from kb.settings import EmbedSettings

FILES = [f"{name}{part}" for name in WANTED for part in ("", "_data", ".data")]
FILES += ["tokenizer.json", POOLING_FILE]
PATIENCE = 5.0  # seconds to wait for the hub's first answer


class HubEmbedder(OnnxEmbedder):
    """An `OnnxEmbedder` whose folder comes from the hub's cache, or is downloaded once.

    A copy in the cache is used without asking the network, so an index and its queries keep to one
    revision. ``HF_HOME``, ``HF_TOKEN``, ``HF_ENDPOINT`` and ``HF_HUB_OFFLINE`` are heeded.

    Raises:
        UsageError: the id is malformed.
        Unavailable: no copy and no network, no such model, or one without ONNX files.
    """

    def __init__(self, settings: EmbedSettings) -> None:
        folder = str(fetch(settings.model))
        super().__init__(
            msgspec.structs.replace(settings, model=folder), name=f"hub/{settings.model}"
        )


def fetch(model: str) -> Path:
    """The folder of the model's ONNX files and tokenizer. Raises as `HubEmbedder`."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        cached = Path(snapshot_download(model, allow_patterns=FILES, local_files_only=True))
        open_folder(cached)
    except HFValidationError as error:
        raise UsageError(f"embed.model is {model!r}, not a hub id such as owner/name") from error
    except (LocalEntryNotFoundError, Unavailable):
        return _download(model)
    return cached


def _download(model: str) -> Path:
    import httpx
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return Path(snapshot_download(model, allow_patterns=FILES, etag_timeout=PATIENCE))
    except GatedRepoError as error:
        raise Unavailable(f"{model} asks for its terms to be accepted: set HF_TOKEN") from error
    except RepositoryNotFoundError as error:
        raise Unavailable(
            f"the hub has no model {model} (or it is private: set HF_TOKEN)"
        ) from error
    except (LocalEntryNotFoundError, HfHubHTTPError, httpx.HTTPError, OSError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise Unavailable(
            f"{model} is not in the hub's cache and could not be downloaded ({first}): "
            "try again with a network, or use the embedder 'bundled' or 'onnx'"
        ) from error
