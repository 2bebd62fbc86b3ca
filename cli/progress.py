"""Progress on a terminal's stderr; silence elsewhere."""

import contextlib
import sys
from collections.abc import Callable, Iterator

_LABELS = {
    "read": "files read",
    "chunks": "documents cut",
    "contexts": "documents situated",
    "asked": "chunks situated by the LLM",
    "embed": "chunks embedded",
    "summaries": "clusters summarised",
    "cards": "cards counted",
    "rules": "groups read for rules",
    "extracted": "chunks read for entities",
    "reported": "communities reported on",
    "questions": "questions answered",
}


@contextlib.contextmanager
def progress(*, draw: bool = True) -> Iterator[Callable[[str, int], None]]:
    """A callback (stage, units done) that draws one line a stage."""
    if not (draw and sys.stderr.isatty()):
        yield lambda _stage, _done: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:>8.0f} {task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def advance(stage: str, done: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(_LABELS[stage], total=None)
            bars.advance(tasks[stage], done)

        yield advance
