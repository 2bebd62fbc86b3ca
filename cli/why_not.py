"""``--why-not``: what became of a document that somebody misses, in words."""

from collections.abc import Callable
from dataclasses import replace

from cli import say
from cli.answering import Request
from cli.hits import place
from cli.workspace import Workspace
from index.reader import GenerationReader
from kb import generations
from kb.location import Location
from kb.models.llm.llm import Llm
from query.filter import may_name
from query.fresh import FreshnessCheck
from query.why_not import Asking, Verdict, Way, why_not

_SHOWN_WITH_HITS = ("table", "md")


def missed(
    workspace: Workspace,
    request: Request,
    reader: GenerationReader,
    check: FreshnessCheck,
    llm: Callable[[], Llm] | None,
) -> Verdict:
    """Why what `request` asks about is not among its hits."""
    settings = workspace.settings
    asking = Asking(
        reader,
        workspace.location,
        settings.scan,
        lambda: workspace.embedder,
        request.text,
        request.lex,
        request.vec,
        llm,
    )
    wanted = check.is_fresh if request.fresh == "drop" else None
    way = Way(settings.query, request.filter, wanted)
    with reader.blaming_damage():
        verdict = why_not(asking, way, request.why_not or "", _names(workspace, request, reader))
        return (
            replace(verdict, fresh=check.of(verdict.chunk))
            if verdict.chunk is not None and request.generation is None
            else verdict
        )


def _names(
    workspace: Workspace, request: Request, reader: GenerationReader
) -> Callable[[str], bool]:
    """Which names whoever asks may know: neither this generation nor the current one hides them."""
    then = may_name(reader, request.filter)
    there = generations.current_folder(workspace.location) is not None
    now = may_name(GenerationReader.open(workspace.location) if there else None, request.filter)
    return lambda path: then(path) and now(path)


def tell(verdict: Verdict, form: str, location: Location) -> None:
    """Print it with hits that are for eyes, else on stderr; JSON holds it already."""
    if form == "json":
        return
    out = say.data if form in _SHOWN_WITH_HITS else say.note
    for line in _lines(verdict, location):
        out(line)


def _lines(verdict: Verdict, location: Location) -> list[str]:
    name = place(location, verdict.chunk) if verdict.chunk else say.in_line(verdict.target)
    lines = [f"why not {name}: {say.in_line(verdict.reason)}"]
    for leg, found in verdict.legs.items():
        lines.append(
            f"  {leg}: rank {found.rank}, score {found.score:.4f}"
            if found
            else f"  {leg}: not found"
        )
    if verdict.fused and verdict.reranked:
        lines.append(f"  fused: rank {verdict.fused.rank}; in the end: {verdict.reranked.rank}")
    if verdict.fresh in ("changed", "missing"):
        lines.append(f"  the file is {verdict.fresh} since it was indexed: tesela sync")
    if verdict.change is None:
        return lines
    then = f" (it is then hit {verdict.change.rank})" if verdict.change.rank else ""
    if verdict.chunk and not then:
        then = " (not tried)"
    return [*lines, f"  what brings it: {verdict.change.text}{then}"]
