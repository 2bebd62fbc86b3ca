"""An LLM for the time of a piece of work, if it comes to that."""

import contextlib
from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING

from kb.location import Location
from kb.settings import LlmSettings

if TYPE_CHECKING:
    from kb.models.llm.budget import Budget
    from kb.models.llm.llm import Llm
    from kb.models.llm.plan import Plan


@contextlib.contextmanager
def lazily(
    location: Location,
    settings: LlmSettings,
    tell: Callable[[str], None],
    plan: "Plan | None" = None,
    within: "Budget | None" = None,
) -> "Iterator[Callable[[], Llm]]":
    """The KB's LLM, opened when it is first called for; at the end what was spent is told.

    Arguments and errors are those of `kb.models.llm.open.open_llm`; threads may call.
    """
    opened: list[Llm] = []
    lock = Lock()

    def get() -> "Llm":
        from kb.models.llm.open import open_llm  # what most runs never need

        with lock:
            if not opened:
                opened.append(open_llm(location, settings, tell, plan=plan, within=within))
            return opened[0]

    try:
        yield get
    finally:
        for llm in opened:
            llm.close()
            if llm.spent_in_words:
                tell(llm.spent_in_words)
