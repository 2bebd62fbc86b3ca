"""Options for an LLM, and an LLM for the time of a command; shared by ``query`` and ``batch``."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from cli import say
from cli.workspace import Workspace
from kb.errors import UsageError
from kb.models.llm.lazily import lazily
from kb.settings import LlmSettings, Settings

if TYPE_CHECKING:
    from kb.models.llm.budget import Budget
    from kb.models.llm.llm import Llm
    from kb.models.llm.plan import Plan

_HELPERS = ("multi-query", "hyde", "step-back")


@dataclass(frozen=True, slots=True)
class CapOptions:
    """What an LLM may cost. Each is a setting; None where it was not given."""

    max_usd: Annotated[
        float | None,
        typer.Option(
            metavar="DOLLARS",
            help="Stop with exit code 4 before an LLM costs more than this.",
            show_default=False,
        ),
    ] = None
    max_calls: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop before more calls to an LLM.", show_default=False),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Stop before an LLM reads and writes more tokens.",
            show_default=False,
        ),
    ] = None

    def caps(self) -> dict[str, Any]:
        """Dotted settings; None for those that are not given."""
        return {
            "llm.max_usd": self.max_usd,
            "llm.max_calls": self.max_calls,
            "llm.max_tokens": self.max_tokens,
        }


@dataclass(frozen=True, slots=True)
class ContextOptions(CapOptions):
    """Which LLM writes contexts, and what it may cost."""

    llm: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="An OpenAI-compatible server, e.g. http://localhost:11434/v1; for others see "
            "llm.kind. Its key is read from the variable that llm.key_env names.",
            show_default=False,
        ),
    ] = None
    llm_model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The model there.", show_default=False)
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only say what would be asked of the LLM, and the price."),
    ] = False

    def named(self) -> dict[str, Any]:
        """The dotted settings that are kept for later runs."""
        return {"llm.url": self.llm, "llm.model": self.llm_model}

    @property
    def given(self) -> bool:
        """Whether any was."""
        return self.dry_run or any(
            v is not None for v in (*self.caps().values(), *self.named().values())
        )

    def plan(self) -> "Plan | None":
        """What to count in, where nothing is to be asked."""
        if not self.dry_run:
            return None
        from kb.models.llm.plan import Plan

        return Plan()


def without_login(named: dict[str, Any]) -> dict[str, Any]:
    """The settings that name an LLM, to be kept: an address that holds a password is not written down."""
    from urllib.parse import urlsplit

    url = named["llm.url"]
    if url and urlsplit(url).username:
        say.note("the LLM's address holds a login and is not kept: name it again in later runs")
        return {**named, "llm.url": None}
    return named


def unnamed(llm: LlmSettings) -> tuple[str, str] | None:
    """The first setting that an LLM needs and that is not set, and the option for it; None: all are."""
    for key, option in (("url", "--llm URL"), ("model", "--llm-model NAME")):
        if not getattr(llm, key):
            return f"llm.{key}", option
    return None


@dataclass(frozen=True, slots=True)
class LlmOptions(ContextOptions):
    """Which LLM, what for, and what it may cost. Each is a setting; None where it was not given."""

    TITLE: ClassVar[str] = "Query helpers and LLM"

    multi_query: Annotated[
        bool,
        typer.Option(
            "--multi-query",
            help="Also search for the question in other words: an LLM's, or without one its keywords.",
        ),
    ] = False
    hyde: Annotated[
        bool,
        typer.Option(
            "--hyde",
            help="Also search near an answer that an LLM imagines; without one, near the best hits.",
        ),
    ] = False
    step_back: Annotated[
        bool,
        typer.Option("--step-back", help="Also search for a broader question, by an LLM."),
    ] = False

    def flags(self) -> dict[str, Any]:
        """Dotted settings; None for those that are not given."""
        wanted = (self.multi_query, self.hyde, self.step_back)
        helpers = [name for name, on in zip(_HELPERS, wanted, strict=True) if on]
        return {
            "query.helpers": helpers or None,
            **self.named(),
            **self.caps(),
        }

    def insist(self, settings: Settings) -> None:
        """See that somebody asks the LLM that was named.

        Raises:
            UsageError: nobody does.
        """
        query = settings.query
        if query.rerank == "llm" or query.helpers:
            return
        if self.given:
            raise UsageError(
                "an LLM, its budget or --dry-run is given, and nothing asks an LLM: add --rerank llm, "
                "--hyde, --multi-query or --step-back, or leave it out"
            )


@contextlib.contextmanager
def asking(
    workspace: Workspace, plan: "Plan | None" = None, within: "Budget | None" = None
) -> "Iterator[Callable[[], Llm] | None]":
    """The LLM of the settings, opened when it is first called for; None where none is set.

    What was spent is told at the end. `within`: a budget that is shared with another LLM of the run.

    Raises:
        UsageError: only one of address and model is set.
    """
    settings = workspace.settings.llm
    if not settings.url and not settings.model:
        yield None
        return
    if missing := unnamed(settings):
        key, option = missing
        raise UsageError(f"an LLM is named by its address and its model: set {key} ({option}), too")
    with lazily(workspace.location, settings, say.note, plan, within) as llm:
        yield llm


def print_plan(plan: "Plan", form: str | None) -> None:
    """What would be asked; as JSON where `form` says so."""
    if form in ("json", "jsonl"):
        from kb.models.llm.prices import dollars

        say.data_json(
            {
                "calls": plan.calls,
                "prompt_tokens": plan.prompt,
                "completion_tokens": plan.completion,
                "usd": dollars(plan.picodollars),
            }
        )
    else:
        say.data(plan.in_words)
