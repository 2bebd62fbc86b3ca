"""Files of a model on the Hugging Face hub, for machines with a network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.errors import Unavailable, UsageError

PATIENCE = 5.0  # seconds to wait for the hub's first answer


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, and how messages speak of it."""

    files: Sequence[str]  # patterns
    check: Callable[[Path], object]  # raises Unavailable where a folder is not whole
    setting: str  # that holds the id
    instead: str  # what to do without a network


def fetch(model: str, wanted: Wanted) -> Path:
    """The folder of a model's files: the hub's cache, or a download.

    A copy in the cache is used without asking the network. ``HF_HOME``, ``HF_TOKEN``, ``HF_ENDPOINT``
    and ``HF_HUB_OFFLINE`` are heeded.

    Raises:
        UsageError: the id is malformed.
        Unavailable: no copy and no network, or no such model.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    files = list(wanted.files)
    try:
        cached = Path(snapshot_download(model, allow_patterns=files, local_files_only=True))
        wanted.check(cached)
    except HFValidationError as error:
        raise UsageError(
            f"{wanted.setting} is {model!r}, not a hub id such as owner/name"
        ) from error
    except (LocalEntryNotFoundError, Unavailable):
        return _download(model, wanted)
    return cached


def _download(model: str, wanted: Wanted) -> Path:
    import httpx
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    try:
        return Path(
            snapshot_download(model, allow_patterns=list(wanted.files), etag_timeout=PATIENCE)
        )
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
            f"try again with a network, or {wanted.instead}"
        ) from error
