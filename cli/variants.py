"""The two variants of ``tesela compare``: what was typed, and the generation that answers it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import say
from cli.progress import progress
from cli.workspace import Workspace, open_workspace
from kb.configure import parse_value
from kb.errors import UsageError
from kb.location import Location
from kb.settings import EmbedSettings, QuerySettings

if TYPE_CHECKING:
    from index.beside import Built, Variant
    from index.reader import GenerationReader
    from kb.models.embedder import Embedder
    from kb.models.llm.plan import Plan

_SHORT = {
    "context": "context.provider",
    "chunker": "chunk.strategy",
    "engine": "engine.name",
    "embedder": "embed.embedder",
    "model": "embed.model",
    "llm": "llm.url",
    "llm_model": "llm.model",
}
_INDEX = ("chunk", "context", "embed", "engine", "token_vectors")  # and the terms of bm25
_TERMS = ("stop_words", "stem", "fold_enye")
_APART = {
    "scan": "which files are read",
    "sync": "what a sync may do",
    "parse": "how files are read",
    "generations": "what is kept",
    "acl": "who may read what",
}


@dataclass(frozen=True, slots=True)
class Typed:
    """One side as it was typed."""

    name: str
    flags: dict[str, Any] = field(default_factory=dict)  # dotted
    generation: str | None = None

    @property
    def label(self) -> str:
        """In words."""
        parts = [] if self.generation is None else [f"generation={self.generation}"]
        parts += [f"{key}={_plain(value)}" for key, value in self.flags.items()]
        return ", ".join(parts) or "as it is"


def read(name: str, given: Sequence[str]) -> Typed:
    """One side's ``KEY=VALUE``s.

    Raises:
        UsageError: one is none, or cannot be compared.
    """
    flags: dict[str, Any] = {}
    generation = None
    for text in given:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or not value:
            raise UsageError(
                f"--{name} {text!r}: write SETTING=VALUE, e.g. context=none, chunk.size=300, "
                "query.rerank=none, generation=3"
            )
        if key == "generation":
            generation = value
        else:
            flags[_dotted(name, key)] = parse_value(value)
    _insist_on_one_index(name, flags, generation)
    return Typed(name, flags, generation)


def _dotted(side: str, key: str) -> str:
    fields = QuerySettings.__struct_fields__
    dotted = _SHORT.get(key) or (f"query.{key}" if key in fields else key)
    section = dotted.partition(".")[0]
    if "." not in dotted:
        raise UsageError(
            f"--{side}: no setting {key!r}: write SECTION.KEY as in 'tesela config show', a key of "
            f"[query], or one of {', '.join(_SHORT)}, generation"
        )
    if section in _APART:
        raise UsageError(
            f"--{side} {key}: {dotted} says {_APART[section]}, which is the same for both variants: "
            "compare it in a KB of its own ('tesela init'), or in two generations (generation=NUMBER)"
        )
    return dotted


def _insist_on_one_index(side: str, flags: Mapping[str, Any], generation: str | None) -> None:
    made = [key for key in flags if key.partition(".")[0] in _INDEX]
    made += [key for key in flags if key.removeprefix("bm25.") in _TERMS]
    if generation is not None and made:
        raise UsageError(
            f"--{side}: generation={generation} is an index that is there, {made[0]} asks for another: "
            "leave one of them out"
        )


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass
class Side:
    """One variant on its way."""

    typed: Typed
    workspace: Workspace
    embedder: "Callable[[], Embedder]"
    variant: "Variant | None" = None  # None: a generation was named
    built: "Built | None" = None

    @property
    def asks_for_contexts(self) -> bool:
        """Whether an LLM writes contexts for an index that is not there yet."""
        variant = self.variant
        by_llm = self.workspace.settings.context.provider == "llm"
        return by_llm and variant is not None and not variant.ready

    @property
    def where(self) -> str:
        """Which index answers, in words."""
        if self.built is not None:
            report = self.built.report
            made = f"{say.count(report.chunks, 'chunk')}, {report.embedded:,} embedded"
            return f"built beside the KB: {made} ({self.built.seconds:.1f} s)"
        if self.variant is None:
            return f"generation {self.typed.generation}"
        if self.variant.location is self.workspace.location:
            return "the current generation"
        return "built beside the KB before"

    def open(self) -> "GenerationReader":
        """The generation."""
        from index.reader import GenerationReader

        location: Location = self.workspace.location
        if self.variant is not None:
            location = self.variant.location
        bm25 = self.workspace.settings.bm25
        return GenerationReader.open(location, bm25, self.typed.generation)


def sides(
    typed: Sequence[Typed], kb: Path | None, flags: Mapping[str, Any], sets: list[str]
) -> list[Side]:
    """The sides with their settings; two of the same model share it.

    Args:
        typed: what is to be compared.
        kb: of ``--kb``.
        flags: of both.
        sets: of both, weaker.

    Raises:
        UsageError: no KB, settings that do not hold, or no difference between them.
    """
    from kb.models.load import load_embedder

    load = lru_cache(2)(load_embedder)
    found = []
    for one in typed:
        workspace = open_workspace(kb, {**flags, **one.flags}, sets)
        found.append(Side(one, workspace, partial(load, _embed_settings(workspace, one))))
    a, b = found
    if a.typed.generation == b.typed.generation and a.workspace.settings == b.workspace.settings:
        raise UsageError(
            f"a ({a.typed.label}) and b ({b.typed.label}) are the same: name what is to differ, e.g. "
            "--a rerank=none --b rerank=maxsim"
        )
    return found


def _embed_settings(workspace: Workspace, typed: Typed) -> EmbedSettings:
    """A generation is asked with the model that it was built with."""
    if typed.generation is None:
        return workspace.settings.embed
    import msgspec

    from kb import generations, history

    folder = history.resolve(workspace.location, typed.generation)
    built = generations.read_manifest(folder).settings.get("embed", {})
    return msgspec.convert(built, EmbedSettings)


def find(found: Sequence[Side]) -> None:
    """Find each side's index, where it is there already."""
    from index import beside

    for side in found:
        if side.typed.generation is None:
            workspace = side.workspace
            side.variant = beside.find(workspace.location, workspace.settings, side.embedder())


def plan_contexts(found: Sequence[Side], plan: "Plan") -> bool:
    """Count in what an LLM would be asked to situate the chunks of an index that is to be built.

    Returns:
        Whether there is such an index: nobody can say what its answers would cost.
    """
    from cli.workspace import looking
    from index.estimate import estimate_contexts
    from ingest.contextualize.wish import NOTHING_MORE

    waiting = [side for side in found if side.asks_for_contexts]
    for side in waiting:
        workspace = side.workspace
        with looking(workspace) as store:
            plan.include(
                estimate_contexts(
                    workspace.location, store, workspace.settings, side.embedder(), NOTHING_MORE
                )
            )
    return bool(waiting)


def make_ready(found: Sequence[Side], wait_seconds: float) -> None:
    """Build those indexes that `find` did not.

    Raises:
        Locked: another writer holds the lock, and something has to be built.
        BudgetReached: an LLM may not be asked for all of the contexts; what it said is kept.
    """
    from index import beside

    todo = {
        side.variant.location.folder: (side.variant, side.workspace.settings, side.embedder)
        for side in found
        if side.variant is not None and not side.variant.ready
    }
    if not todo:
        return
    location = found[0].workspace.location
    made = beside.build(location, todo.values(), progress, wait_seconds)
    by_folder = dict(zip(todo, made, strict=True))
    for side in found:
        if side.variant is not None and (built := by_folder.get(side.variant.location.folder)):
            side.built = built
            failed = built.report.contexts.failed.items()
            for note in (*built.report.notes, *(f"{path}: {why}" for path, why in failed)):
                say.note(f"{side.typed.name}: {note}")
