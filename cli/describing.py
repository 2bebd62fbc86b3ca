"""Who describes pictures, for the time of a command."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cli.workspace import Workspace

if TYPE_CHECKING:
    from ingest.describe.describer import Describer
    from kb.models.llm.plan import Plan


@contextlib.contextmanager
def describing(
    workspace: Workspace, plan: "Plan | None" = None
) -> "Iterator[Callable[[], Describer | None]]":
    """Gives the describer of the settings as they are when it is called; None where nobody describes.

    What was spent is told at the end. With `plan` nothing is asked, and counted there.

    Raises:
        UsageError: only one of the LLM's address and model is set.
        Unavailable: when it is called: pictures are to be described, and no LLM is set.
    """
    from ingest.describe.describer import describer_of

    if workspace.settings.parse.multimodal != "native":
        yield lambda: describer_of(workspace.settings, None)
        return
    from cli.llm import asking

    with asking(workspace, plan) as llm:
        yield lambda: describer_of(workspace.settings, llm)
