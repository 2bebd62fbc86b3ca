"""``tesela gc``: remove what nothing needs any more."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.durations import parse_wait
from cli.options import KbOption, SetOption, WaitOption, plain_app
from cli.workspace import looking_alone, open_workspace, writing

if TYPE_CHECKING:
    from index.gc import GcReport

app = plain_app()


@app.command()
def gc(
    keep: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=1000, help="Newest generations that stay; 1 is the current one."
        ),
    ] = 1,
    caches: Annotated[
        bool,
        typer.Option(
            "--caches",
            help="Also drop embeddings of texts that no generation holds, pages read by OCR, what "
            "'tesela compare' built, and the answers of LLMs, which cost money.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Remove what is no longer needed.

    The current generation, snapshots, and what a query has open stay. Afterwards deleted text is in
    no file of the knowledge base, but for the generations that stay and, without --caches, the
    caches. Between clean-ups a build keeps generations.keep generations.
    """
    from index.gc import collect

    workspace = open_workspace(kb, sets=sets)
    wait_seconds = parse_wait(wait)
    opened = looking_alone if dry_run else writing
    with opened(workspace, wait_seconds) as store:
        embedder = workspace.embedder if caches else None
        report = collect(workspace.location, store, keep, embedder, dry_run)
    if form == "json":
        say.data_json(_json(report, dry_run))
        return
    for line in _lines(report, dry_run):
        say.data(line)


def _json(report: "GcReport", dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "removed": report.removed,
        "in_use": report.in_use,
        "kept": report.kept,
        "results": report.results,
        "leftovers": report.leftovers,
        "cached": report.cached,
        "answers": report.answers,
        "ocr_pages": report.ocr_pages,
        "compared": report.compared,
        "clean": report.clean,
        "freed_bytes": report.freed_bytes,
    }


def _lines(report: "GcReport", dry_run: bool) -> list[str]:
    parts = [
        f"{say.count(len(report.removed), 'generation')}{_listed(report.removed)}",
        say.count(report.results, "stage result"),
        f"{say.count(len(report.leftovers), 'leftover')}{_listed(report.leftovers)}",
    ]
    if report.cached is not None:
        parts.append(say.count(report.cached, "cached embedding"))
    if report.answers:
        parts.append(say.count(report.answers, "cached answer"))
    if report.ocr_pages:
        parts.append(say.count(report.ocr_pages, "page read by OCR", "pages read by OCR"))
    if report.compared:
        parts.append(say.count(report.compared, "compared variant"))
    freed = "" if dry_run else f"; {report.freed_bytes:,} bytes freed"
    lines = [f"{'would remove' if dry_run else 'removed'}: {', '.join(parts)}{freed}"]
    lines.append(f"kept: {say.count(len(report.kept), 'generation')}{_listed(report.kept)}")
    if report.in_use:
        lines.append(f"in use by a reader, run it again later: {_listed(report.in_use).strip()}")
    if not report.clean:
        lines.append("a reader kept some deleted bytes from being overwritten: run it again later")
    return lines


def _listed(items: list[int] | list[str]) -> str:
    return f" ({', '.join(map(str, items))})" if items else ""
