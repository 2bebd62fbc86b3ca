"""What ``tesela eval run`` prints."""

import csv
import shutil
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from cli import say
from cli.evaluating import Ran
from query.evaluate.rankings import shown_name
from query.evaluate.report import mean_rows, question_json, run_json, target_text

if TYPE_CHECKING:
    from query.evaluate.against import Against
    from query.evaluate.outcome import Row

_TOLD = 10  # failures named on stderr
_LEAST = 20
_FIRST = 18  # columns of the measures' names


def shown(form: str, ran: Ran, against: "Against | None", details: bool) -> None:
    """Print a run."""
    _FORMS[form](ran, against, details)


def names(ran: Ran) -> dict[str, str]:
    """The rankings' names for people."""
    query = ran.wanted.workspace.settings.query
    return {name: shown_name(name, query) for name in ran.outcome.rankings}


def title(ran: Ran) -> str:
    """What was asked of what."""
    saved = ran.saved
    part = f" of its {saved.split} part" if saved.split else ""
    run = f", run {saved.number}" if saved.number else ""
    asked = say.count(saved.questions, "question")
    return f"{asked}{part}, {say.in_line(saved.testset)}; generation {saved.generation}{run}"


def failures(ran: Ran) -> None:
    """The first questions that failed, and why."""
    failed = ran.outcome.failed
    for one in failed[:_TOLD]:
        say.note(f"  failed: {one.id}: {one.error}")
    if len(failed) > _TOLD:
        say.note("  failed: and more")


def _json(ran: Ran, against: "Against | None", details: bool) -> None:
    value = run_json(ran.saved, ran.outcome, ran.resolved, against)
    if details:
        value["details"] = list(_questions(ran))
    say.data_json(value)


def _jsonl(ran: Ran, against: "Against | None", details: bool) -> None:
    say.data_jsonl(_questions(ran))


def _questions(ran: Ran) -> Iterator[Mapping[str, object]]:
    k = ran.wanted.workspace.settings.query.k
    return (question_json(row, ran.outcome, k) for row in ran.outcome.rows)


def _csv(ran: Ran, against: "Against | None", details: bool) -> None:
    found = list(_question_rows(ran) if details else mean_rows(ran.outcome))
    out = csv.DictWriter(say.stream, list(found[0]), lineterminator="\n")
    out.writeheader()
    out.writerows(found)


def _question_rows(ran: Ran) -> Iterator[dict[str, object]]:
    for row in ran.outcome.rows:
        for name, scored in row.scored.items():
            yield {"id": row.id, "ranking": name, **scored.values, "seconds": scored.seconds}


def _table(ran: Ran, against: "Against | None", details: bool) -> None:
    say.data(title(ran))
    say.data("")
    for line in _lines(_cells(ran)):
        say.data(line)
    say.data("")
    say.data("interval: percentile bootstrap of the last column, 95 %")
    for what in ("kind", "difficulty"):
        _parts(ran, what)
    if against is not None:
        _against(against)
    if details:
        _details(ran)


def _md(ran: Ran, against: "Against | None", details: bool) -> None:
    head, *body = _cells(ran)
    say.data(title(ran))
    say.data("")
    say.data(f"| {' | '.join(head)} |")
    say.data(f"| --- |{' ---: |' * (len(head) - 1)}")
    for cells in body:
        say.data(f"| {' | '.join(cells)} |")
    if against is not None:
        say.data("")
        _against(against)
    if details:
        _details(ran)


def _cells(ran: Ran) -> Iterator[list[str]]:
    outcome = ran.outcome
    yield ["", *names(ran).values(), "interval"]
    for measure in outcome.measures:
        means = [f"{outcome.mean(name, measure):.4f}" for name in outcome.rankings]
        found = outcome.interval(outcome.main, measure)
        yield [measure.shown, *means, f"{found.low:.3f} to {found.high:.3f}"]
    for place, label in enumerate(("p50, ms", "p95, ms")):
        times = [f"{outcome.latency(name)[place] * 1000:.1f}" for name in outcome.rankings]
        yield [label, *times, ""]


def _lines(cells: Iterator[list[str]]) -> Iterator[str]:
    for first, *rest in cells:
        yield (f"{first:<{_FIRST}}" + "".join(f"{cell:>11}" for cell in rest[:-1])
               + f"{rest[-1]:>17}").rstrip()  # fmt: skip


def _parts(ran: Ran, what: str) -> None:
    """One measure for each part of the set."""
    outcome = ran.outcome
    measure = next((m for m in outcome.measures if m.name == "ndcg"), outcome.measures[0])
    parts = [
        f"{name} {sum(r.scored[outcome.main].values[str(measure)] for r in rows) / len(rows):.3f} "
        f"({len(rows):,})"
        for name, rows in outcome.by(what)
    ]
    if parts:
        say.data(f"{measure.shown} by {what}: {', '.join(parts)}")


def _against(against: "Against") -> None:
    say.data("")
    counted = say.count(against.questions, "question")
    say.data(f"against {say.in_line(against.name)}, {counted} in common:")
    say.data(f"{'':<{_FIRST}}{'before':>9}{'now':>9}{'change':>9}   95 % interval        p")
    for name, pair in against.measures.items():
        of = pair.difference
        mark = " *" if of.is_sure else ""
        say.data(
            f"{name.replace('_', ' '):<{_FIRST}}{pair.before:>9.4f}{pair.now:>9.4f}{of.mean:>+9.4f}   "
            f"{of.low:+.4f} to {of.high:+.4f}  {pair.p:.4f}{mark}"
        )
    say.data("* interval without 0; p: paired randomization test")


def _details(ran: Ran) -> None:
    k = ran.wanted.workspace.settings.query.k
    say.data("")
    for row in ran.outcome.rows:
        say.data(_question(ran, row, k))


def _question(ran: Ran, row: "Row", k: int) -> str:
    ranks = [rank for rank in row.scored[ran.outcome.main].ranks if rank is not None]
    missed = [target_text(target) for target in row.missed(ran.outcome.main, k)]
    head = f"{min(ranks) if ranks else '-':>4}  {say.in_line(row.id)}  "
    room = max(shutil.get_terminal_size().columns - len(head), _LEAST)
    text = " ".join(say.in_line(row.text).split())
    line = head + (text if len(text) <= room else text[: room - 1] + "…")
    told = f"\n      not in the first {k}: {say.in_line(', '.join(missed))}" if missed else ""
    return line + told


_FORMS: dict[str, Callable[[Ran, "Against | None", bool], None]] = {
    "table": _table,
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
    "md": _md,
}
