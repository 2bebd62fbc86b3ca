"""What ``tesela sync`` and ``tesela demo`` share: a whole run, with this run's log."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cli.describing import describing
from cli.progress import progress
from cli.runlog import RunLog
from cli.workspace import Workspace, keep_new

if TYPE_CHECKING:
    from index.sync import SyncReport
    from ingest.survey import Request
    from kb.settings import Settings


def run_sync(
    workspace: Workspace,
    request: "Request",
    wait_seconds: float,
    log: RunLog,
    flags: Mapping[str, Any],
) -> "SyncReport | None":
    """What was done; None: nothing is followed. `flags` that are new are kept for later runs."""
    from index.sync import Means, follow

    def settings() -> "Settings":
        workspace.reload()  # what was read before the lock was ours may be of the past
        return workspace.settings

    with describing(workspace) as describer:
        means = Means(
            settings=settings,
            embedder=lambda: workspace.embedder,
            progress=lambda: progress(draw=log.draws),
            accepted=lambda: keep_new(workspace, flags, log.note),
            describer=describer,
        )
        return follow(workspace.location, request, means, wait_seconds)
