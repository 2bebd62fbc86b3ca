"""The settings that trials are made with: those in force, without what asks an LLM."""

from msgspec import Struct
from msgspec.structs import replace

from kb.registry import PARTS
from kb.settings import Settings
from query.tune.space import Field


def without_llm(settings: Settings) -> tuple[Settings, list[str]]:
    """Settings under which no trial costs money or makes trees, and what was left out."""
    notes = []
    query = settings.query
    if query.rerank == "llm" or query.helpers:
        rerank = "maxsim" if query.rerank == "llm" else query.rerank
        settings = replace(settings, query=replace(query, rerank=rerank, helpers=()))
        notes.append("no LLM is asked: trials are without its rerank and its further searches")
    for name in PARTS.get("derivation", {}):
        section: Struct | None = getattr(settings, name, None)
        if section is not None and getattr(section, "enabled", False):
            settings = replace(settings, **{name: replace(section, enabled=False)})
            notes.append(f"trials are without what {name} makes of the chunks")
    return settings, notes


def allowed(
    fields: list[Field], settings: Settings, in_force: Settings, by_chunk: bool
) -> tuple[list[Field], list[str]]:
    """The fields that can be tried, and why others cannot.

    Args:
        fields: of `query.tune.space.fields`.
        settings: of the trials.
        in_force: of the knowledge base.
        by_chunk: judgements name chunks.
    """
    left: dict[str, str] = {}
    for field in fields:
        if by_chunk and field.cuts:
            left[field.name] = "the judgements name chunks"
        elif settings.context.provider == "llm" and (field.cuts or field.name == "context"):
            left[field.name] = "an LLM would have to situate the chunks anew"
        elif field.name == "rerank" and in_force.query.rerank not in ("none", "maxsim"):
            left[field.name] = f"{in_force.query.rerank!r} is set, which trials do not replace"
    notes = [f"not tried: {name}: {why}" for name, why in left.items()]
    return [field for field in fields if field.name not in left], notes
