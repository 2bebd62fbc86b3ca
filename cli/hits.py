"""Hits in every format of ``--format``."""

import csv
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from cli import say
from cli.expanding import quoted, whole
from cli.snippet import question_words, snippet
from ingest.describe.mark import describer_in
from kb.location import Location
from kb.records import Chunk, Duplicate, Hit
from query.results import Results
from query.trec import DocId, run_lines

_LEAST_WIDTH = 20
_NAMED = 5  # near-duplicates, for eyes; the formats for programs name all
_BINDS = {"no other": "every leg", "every leg": "every leg", "sparse leg": "the sparse leg"}


def shown_path(location: Location, chunk: Chunk | Duplicate) -> str:
    """The chunk's file, relative to the working folder, so that editors can jump to it.

    A derived chunk is of no file; what it is called is what 'tesela show' takes.
    """
    if chunk.kind != "text":
        return chunk.path
    path = Path(chunk.path)
    return chunk.path if path.is_absolute() else os.path.relpath(location.home / path)


def place(location: Location, chunk: Chunk | Duplicate) -> str:
    """``file:line``, or ``file#page=3`` where the format has pages instead of lines."""
    path = say.in_line(shown_path(location, chunk))
    if chunk.lines:
        return f"{path}:{chunk.lines[0]}"
    return f"{path}#page={chunk.pages[0]}" if chunk.pages else path


def _heading(chunk: Chunk) -> str:
    return say.in_line(" › ".join(chunk.heading or ((chunk.title,) if chunk.title else ())))


def _mark(hit: Hit) -> str:
    return "" if hit.fresh in (None, "fresh") else hit.fresh


def _validity(hit: Hit | Duplicate) -> str:
    return "" if hit.validity == "valid" else f" [{hit.validity}]"


def _described(chunk: Chunk) -> str:
    """That a model's words are among those of a chunk, which are then not the document's own."""
    model, alone = describer_in(chunk.text, chunk.kinds)
    part = "" if alone else "in part "
    return f" [{part}described by {say.in_line(model)}]" if model else ""


def _derived(chunk: Chunk) -> str:
    """What a chunk that is of no file stands on."""
    if chunk.kind == "text":
        return ""
    level = f" of level {chunk.level}" if chunk.kind == "summary" else ""
    return f" [{chunk.kind}{level} on {say.count(len(chunk.leaves), 'passage')}]"


def _also(hit: Hit, location: Location) -> str:
    """How many more say nearly the same, and where the first of them stand."""
    if not hit.duplicates:
        return ""
    shown = hit.duplicates[:_NAMED]
    named = ", ".join(f"{place(location, other)}{_validity(other)}" for other in shown)
    more = ", …" if len(hit.duplicates) > _NAMED else ""
    return f"+{len(hit.duplicates)} nearly the same: {named}{more}"


def _json(results: Results, _location: Location) -> None:
    say.data_json(results.to_json())


def _jsonl(results: Results, _location: Location) -> None:
    say.data_jsonl(results.to_json()["hits"])


def _csv(results: Results, location: Location) -> None:
    writer = csv.writer(say.stream, lineterminator="\n")
    around = any(hit.expanded for hit in results.hits)
    header = (
        "rank",
        "score",
        "path",
        "page",
        "first_line",
        "last_line",
        "heading",
        "id",
        "fresh",
        "validity",
        "text",
        "duplicates",
    )
    writer.writerow((*header, "expanded") if around else header)
    for hit in results.hits:
        chunk = hit.chunk
        first, last = chunk.lines or ("", "")
        page = chunk.pages[0] if chunk.pages else ""
        path = shown_path(location, chunk)
        row = (hit.rank, f"{hit.score:.6f}", path, page, first, last, _heading(chunk), chunk.id)
        others = " ".join(place(location, other) for other in hit.duplicates)
        more = (hit.expanded.text if hit.expanded else "",) if around else ()
        writer.writerow((*row, hit.fresh or "", hit.validity, chunk.text, others, *more))


def _md(results: Results, location: Location) -> None:
    for hit in results.hits:
        heading = _heading(hit.chunk)
        mark = f" **[{_mark(hit)} since it was indexed]**" if _mark(hit) else ""
        marks = f"{_derived(hit.chunk)}{_validity(hit)}{_described(hit.chunk)}"
        head = f"{hit.rank}. `{place(location, hit.chunk)}`{marks}"
        say.data(f"{head}{heading and ' — ' + heading}{mark}\n")
        for line in quoted(hit, results.hits):
            say.data(f"   {line}".rstrip())
        say.data("")
        if hit.duplicates:
            say.data(f"   {_also(hit, location)}\n")
        for line in _explained(hit):
            say.data(f"   - {line}")
        if hit.explain:
            say.data("")


def _paths(results: Results, location: Location) -> None:
    for hit in results.hits:
        mark = f"\t{_mark(hit)}" if _mark(hit) else ""
        others = "".join(f"\t={place(location, other)}" for other in hit.duplicates)
        say.data(f"{place(location, hit.chunk)}{mark}{others}")


def _trec(docid: DocId, results: Results, _location: Location) -> None:
    for line in run_lines("1", results.hits, docid):
        say.data(line)


def _table(results: Results, location: Location) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    console.width = max(console.width, _LEAST_WIDTH)  # a terminal without a size says 0
    words = question_words(results.query)
    for hit in results.hits:
        head = Text.assemble(
            (f"{hit.rank:>2}  ", "bold"),
            (place(location, hit.chunk), "cyan"),
            (_derived(hit.chunk), "magenta"),
            (_validity(hit), "yellow"),
            (_described(hit.chunk), "magenta"),
            (f"  {_mark(hit)}" if _mark(hit) else "", "bold yellow"),
        )
        console.print(head, soft_wrap=True)
        if _heading(hit.chunk):
            console.print(
                Text(f"    {_heading(hit.chunk)}", "dim"), no_wrap=True, overflow="ellipsis"
            )
        shown = whole(hit, results.hits, words) or snippet(
            console, say.visible(hit.chunk.text), words, 4
        )
        console.print(Padding(shown, (0, 0, 0, 4)))
        if hit.duplicates:
            console.print(Padding(Text(_also(hit, location), "dim"), (0, 0, 0, 4)))
        for line in _explained(hit):
            console.print(Padding(Text(say.visible(line), "dim"), (0, 0, 0, 4)))
        console.print()


def _explained(hit: Hit) -> list[str]:
    return [] if hit.explain is None else why(hit)


def why(hit: Hit) -> list[str]:
    """The trail of a hit in words; its numbers add up to the score."""
    explained: Mapping[str, Any] = hit.explain or {}
    lines = _pruned(hit)
    score = hit.score
    for name, step in reversed(hit.steps.items()):
        lines.append(f"score {score:.4f} = {_sum(step, 'score_before')} ({name})")
        score = step["score_before"]
    if hit.rerank:
        moved = f"rank {int(hit.rerank['rank_before'])} → {hit.rank}"
        added = _sum(hit.rerank, "rank_before", "score", "probability")
        lines.append(f"score {score:.4f} = {added} ({moved})")
        told = "probability" if "probability" in hit.rerank else "score"
        if told in hit.rerank:
            lines.append(f"rerank: {told} {hit.rerank[told]:.4f}")
    shares = " + ".join(f"{name} {share:.5f}" for name, share in hit.fusion.items())
    lines.append(f"fused {sum(hit.fusion.values()):.5f} = {shares}")
    lines += [f"{name}: rank {leg.rank}, score {leg.score:.4f}" for name, leg in hit.legs.items()]
    lines += [
        f"  {part['word']}: {part['contribution']:.4f} "
        f"(tf {part['tf']}, df {part['df']}, idf {part['idf']:.3f}, length {part['length']})"
        for part in explained.get("sparse", ())
    ]
    lines += _way(explained)
    if "links" in explained:
        lines.append("led to by {by!r}, which {from} names, too".format(**explained["links"]))
    lines += _read(explained)
    if hit.explain and hit.chunk.context:
        lines.append(f"context: {hit.chunk.context}")
    return lines


def _sum(parts: Mapping[str, float], *others: str) -> str:
    return " + ".join(f"{name} {parts[name]:.4f}" for name in parts if name not in others)


def _pruned(hit: Hit) -> list[str]:
    prune = (hit.explain or {}).get("prune")
    if prune is None:
        return []
    value, below = prune["value"], prune["below"]
    shown = "unknown" if value is None else f"{value:.4f}"
    kept = "" if value is not None and value >= below else ": kept, as one of three"
    return [f"{prune['of']} {shown}, pruned below {below:.4f}{kept}"]


def _way(explained: Mapping[str, Any]) -> list[str]:
    """Why the question went where it was answered, and the way down a tree."""
    lines = []
    if "route" in explained:
        lines.append(f"mode {explained['route']['mode']}: {explained['route']['reason']}")
    if "path" in explained:
        lines.append(f"path: {' › '.join(explained['path'])}")
    return lines


def _read(explained: Mapping[str, Any]) -> list[str]:
    """The operators of the question, and what each leg read where that differs."""
    lines = [f"{part} read: {text}" for part, text in explained.get("read", {}).items() if text]
    lines += [f"{name}: {text}" for name, text in explained.get("further", {}).items()]
    operators = explained.get("operators", {"phrases": (), "excluded": ()})
    if operators["phrases"]:
        quoted = ", ".join(f'"{phrase}"' for phrase in operators["phrases"])
        lines.append(f"phrases, a must for {_BINDS[operators['phrases_bind']]}: {quoted}")
    if operators["excluded"]:
        lines.append(f"left out: {', '.join(operators['excluded'])}")
    return lines


Formatter = Callable[[Results, Location], None]
FORMATTERS: Mapping[str, Formatter] = {
    "table": _table,
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
    "md": _md,
    "paths": _paths,
}


def formatter(form: str, docid: DocId) -> Formatter:
    """What prints results in a format; `docid` is what a TREC run names."""
    return partial(_trec, docid) if form == "trec" else FORMATTERS[form]
