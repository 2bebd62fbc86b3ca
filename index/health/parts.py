"""Checks of settings, model and installed parts."""

from collections.abc import Iterator

import msgspec

from index.health.base import Checkup, Finding
from ingest.parse.ocr.recognise import engine_of
from kb.errors import TeselaError, Unavailable
from kb.models.cross_encoder_load import load_cross_encoder
from kb.registry import PARTS, choose
from kb.settings import EmbedSettings

# A second reader of half a gigabyte, which the set-up command leaves out.
_UNMISSED = {"unstructured"}


def settings(checkup: Checkup) -> Iterator[Finding]:
    """``tesela.toml`` and ``TESELA_*`` hold."""
    if checkup.settings is None:
        yield Finding(checkup.settings_error, f"edit {checkup.location.settings}")


def model(checkup: Checkup) -> Iterator[Finding]:
    """The settings' model is available and is the one that the index was made with."""
    if checkup.settings is None:
        return
    try:
        embedder = checkup.load_embedder()
        fingerprint = embedder.fingerprint
    except TeselaError as error:
        yield Finding(f"the model of the settings: {error}", "tesela reindex --embedder …")
        return
    manifest = checkup.manifest
    if manifest is None or manifest.fingerprint == fingerprint:
        return
    built = msgspec.convert(manifest.settings.get("embed", {}), EmbedSettings)
    yield Finding(
        f"generation {manifest.number} was made with {manifest.embedder} "
        f"({manifest.fingerprint[:12]}), the settings name {embedder.name} ({fingerprint[:12]}): "
        f"set embed.embedder = {built.embedder!r} and embed.model = {built.model!r} again, "
        "or embed anew",
        "tesela index",
    )


def reranker(checkup: Checkup) -> Iterator[Finding]:
    """The cross-encoder that the settings name is one, and scores."""
    if checkup.settings is None:
        return
    chosen = checkup.settings.query
    if chosen.rerank != "cross-encoder" and not chosen.rerank_model:
        return
    try:
        model = load_cross_encoder(chosen.rerank_model, chosen.rerank_max_tokens)
        model.probabilities("¿Cuánta agua?", ["Agua: 20 l.", "Nada."])
    except TeselaError as error:
        yield Finding(f"the reranker of the settings: {error}", "set query.rerank_model anew")


def engine(checkup: Checkup) -> Iterator[Finding]:
    """The engine that the index was built with is installed."""
    if checkup.manifest is not None:
        try:
            choose("engine", checkup.manifest.engine)
        except TeselaError as error:
            yield Finding(str(error), "tesela index --engine exact, or install it")


def extras(_checkup: Checkup) -> Iterator[Finding]:
    """Which parts are not installed; no harm where nothing asks for them."""
    for kind, parts in PARTS.items():
        for name in (n for n, part in parts.items() if part.extra and part.extra not in _UNMISSED):
            try:
                choose(kind, name)
            except Unavailable as error:
                yield Finding(str(error), f"uv sync --extra {parts[name].extra}", wrong=False)


def ocr(checkup: Checkup) -> Iterator[Finding]:
    """Pages without text can be read, in the languages of the settings."""
    if checkup.settings is None or checkup.settings.parse.ocr == "off":
        return
    install = "install it, then tesela sync --retry"
    try:
        notes = engine_of(checkup.settings.parse).notes
    except Unavailable as error:
        yield Finding(f"{error}", install, wrong=False)
    else:
        for note in notes:
            yield Finding(note, install, wrong=False)
