"""What ``tesela eval gen`` does."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cli import say
from cli.llm import ContextOptions, asking, print_plan
from cli.workspace import Workspace
from kb.errors import UsageError
from kb.models.llm.base import NO_LLM

if TYPE_CHECKING:
    from kb.models.llm.plan import Plan
    from query.evaluate.generate.documents import Documents
    from query.evaluate.generate.drafts import Draft
    from query.filter import Filter

_FEW = 30  # questions, with which a difference is hardly ever sure


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be made."""

    count: int
    seed: int
    out: Path | None
    filter: "Filter"
    model: ContextOptions
    form: str


def generate(workspace: Workspace, wish: Wish) -> None:
    """Make a test set, and say what it holds.

    Raises:
        UsageError: the documents give no question.
        BudgetReached: a cap for the LLM is near; run again to go on.
    """
    from index.reader import GenerationReader
    from query.evaluate.generate.documents import documents_of
    from query.evaluate.generate.write import check_folder, manifest_of, write_set
    from query.evaluate.testset import kept_folder
    from query.filter import rows

    location = workspace.location
    folder = wish.out or kept_folder(location)
    check_folder(folder)
    reader = GenerationReader.open(location, workspace.settings.bm25)
    documents = documents_of(location, reader, rows(reader, wish.filter), wish.seed)
    plan = wish.model.plan()
    by_llm = wish.model.given
    drafts = (
        _by_llm(workspace, wish, documents, plan) if by_llm else _alone(workspace, wish, documents)
    )
    if plan is not None:
        print_plan(plan, wish.form)
        return
    if not drafts:
        raise UsageError(
            "no question could be made: the documents hold no sentences in Spanish or English that "
            "say enough"
        )
    name = workspace.settings.llm.model if by_llm else ""
    manifest = manifest_of(drafts, wish.seed, reader.manifest.number, name)
    write_set(folder, drafts, manifest)
    _tell(wish, folder, msgspec.to_builtins(manifest))


def _alone(workspace: Workspace, wish: Wish, documents: "Documents") -> "list[Draft]":
    from query.evaluate.generate.make import make

    embedder = workspace.embedder
    made = make(documents, wish.count, wish.seed, lambda words: embedder.embed(words, "query"))
    if made.other_languages:
        others = say.count(made.other_languages, "document")
        say.note(f"{others} in neither Spanish nor English, or too short to tell, gave no question")
    return made.drafts


def _by_llm(
    workspace: Workspace, wish: Wish, documents: "Documents", plan: "Plan | None"
) -> "list[Draft]":
    from kb.errors import PartialFailure, Unavailable
    from query.evaluate.generate.llm import ask

    with asking(workspace, plan) as llm:
        if llm is None:
            raise Unavailable(NO_LLM)
        done = ask(llm(), documents, wish.count, wish.seed)
    for why, number in done.dropped.most_common():
        say.note(f"{say.count(number, 'question')} dropped: {why}")
    if done.dropped and not done.drafts:
        raise PartialFailure(
            "no question could be made: none that the LLM wrote is of use; see above, and what "
            "'tesela eval gen' makes without --llm"
        )
    return done.drafts


def _tell(wish: Wish, folder: Path, manifest: dict[str, object]) -> None:
    if wish.form == "json":
        say.data_json({**manifest, "folder": str(folder)})
        return
    number, documents = int(str(manifest["questions"])), int(str(manifest["documents"]))
    few = "" if number >= wish.count else f" ({wish.count:,} were wanted)"
    say.data(
        f"{say.count(number, 'question')} on {say.count(documents, 'document')}{few}: "
        f"{_counts(manifest['kinds'])}"
    )
    say.data(
        f"difficulty: {_counts(manifest['difficulties'])}; split: {_counts(manifest['splits'])}"
    )
    if number < _FEW:
        say.note("with so few questions hardly any difference is sure")
    if wish.out is None:
        say.note("kept in the knowledge base; next: tesela eval run")
    else:
        say.note(f"written to {folder}; next: tesela eval run {folder}")


def _counts(found: object) -> str:
    counts: dict[str, int] = msgspec.convert(found, dict[str, int])
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())
