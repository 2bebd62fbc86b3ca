"""What ``tesela eval gate`` and ``tesela eval history`` print."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from cli import say
from cli.evaluating import Ran
from query.evaluate.gate import Breach, Fallen
from query.evaluate.measures import Measure
from query.evaluate.outcome import Row
from query.evaluate.report import target_text
from query.evaluate.saved import Saved

VERSION = 1
_BARS = "▁▂▃▄▅▆▇█"
_PLAIN_BARS = "_.-=+*#@"  # where the stream's encoding has no blocks
_SPAN = 0.05  # the least that the height of a line stands for: less would draw noise as cliffs


def shown(form: str, ran: Ran, before: Saved | None, found: Sequence[Breach], show: int) -> None:
    """Print what a gate found."""
    rows = {row.id: row for row in ran.outcome.rows}
    if form == "json":
        say.data_json(_gate_json(ran, before, found, rows, show))
        return
    for breach in found:
        say.data(_sentence(breach, before))
        for fallen in breach.fallen[:show]:
            say.data(_fallen(fallen, rows[fallen.id], breach))
        if len(breach.fallen) > show:
            say.data(f"  and {len(breach.fallen) - show:,} more")
    if not found:
        means = ", ".join(f"{Measure.read(n).shown} {v:.4f}" for n, v in ran.saved.main.items())
        say.data(f"passed: {means}")


def _gate_json(
    ran: Ran,
    before: Saved | None,
    found: Sequence[Breach],
    rows: Mapping[str, Row],
    show: int,
) -> dict[str, Any]:
    return {
        "version": VERSION,
        "passed": not found,
        "run": ran.saved.number or None,
        "against": before.number if before else None,
        "questions": ran.saved.questions,
        "means": ran.saved.main,
        "breaches": [
            {
                "measure": str(breach.measure),
                "value": breach.value,
                "bound": breach.bound,
                "before": breach.before,
                "fallen": len(breach.fallen),
                "questions": [
                    {
                        "id": one.id,
                        "query": rows[one.id].text,
                        "before": one.before if breach.before is not None else None,
                        "now": one.now,
                        "relevant": [target_text(target) for target in rows[one.id].targets],
                    }
                    for one in breach.fallen[:show]
                ],
            }
            for breach in found
        ],
    }


def _sentence(breach: Breach, before: Saved | None) -> str:
    name, value = breach.measure.shown, f"{breach.value:.4f}"
    falls = breach.measure.falls
    if breach.before is None:
        side, what = ("over", "found nothing") if falls else ("under", "have none of it")
        few = f"; {len(breach.fallen):,} questions {what}" if breach.fallen else ""
        return f"{name} {value} is {side} {breach.bound:g}{few}"
    by = abs(breach.value - breach.before)
    way = "rose" if falls else "fell"
    run = f" of run {before.number}" if before and before.number else ""
    return (
        f"{name} {way} by {by:.4f} to {value}, from {breach.before:.4f}{run}, more than "
        f"{breach.bound:g}; {say.count(len(breach.fallen), 'question')} did worse"
    )


def _fallen(fallen: Fallen, row: Row, breach: Breach) -> str:
    change = (
        f"{fallen.before:.2f} to {fallen.now:.2f}"
        if breach.before is not None
        else f"{fallen.now:.2f}"
    )
    text = " ".join(say.in_line(row.text).split())
    where = ", ".join(target_text(target) for target in row.targets[:3])
    return f"  {change}  {say.in_line(fallen.id)}  {text}\n      {say.in_line(where)}"


def history_json(runs: Sequence[Saved]) -> None:
    """All that is kept but the values of questions."""
    rows = []
    for run in runs:
        row = msgspec.to_builtins(run)
        for name in ("ids", "values"):
            del row[name]
        rows.append(row)
    say.data_json({"version": VERSION, "runs": rows})


def history_table(runs: Sequence[Saved], measure: Measure) -> None:
    """A line a run, and below them one for each test set: how the measure went."""
    say.data(" run  when              generation  questions  " + measure.shown)
    for run in runs:
        value = run.main.get(str(measure))
        number = f"{value:.4f}" if value is not None else "-"
        mark = "  gate: no" if run.passed is False else "  gate: yes" if run.passed else ""
        when = run.time[:16].replace("T", " ")
        say.data(
            f"{run.number:>4}  {when}  {run.generation:>10}  {run.questions:>9,}  "
            f"{number:<{len(measure.shown)}}{mark}".rstrip()
        )
    say.data("")
    for name, values in _series(runs, str(measure)).items():
        line = sparkline(values)
        say.data(f"{line}  {values[0]:.4f} to {values[-1]:.4f}  {say.in_line(name)}")


def _series(runs: Sequence[Saved], measure: str) -> dict[str, list[float]]:
    found: dict[tuple[str, str, bool], list[float]] = {}
    names: dict[tuple[str, str, bool], str] = {}
    for run in runs:
        if measure in run.main:
            found.setdefault(run.asked, []).append(run.main[measure])
            parts = [run.split] if run.split else []
            parts += ["by document"] if run.by_document else []
            names[run.asked] = f"{run.testset} ({', '.join(parts)})" if parts else run.testset
    shown: dict[str, list[float]] = {}
    for key, values in found.items():
        name = names[key]
        while name in shown:  # the same file with other questions in it
            name += " before" if name.endswith("before") else ", before"
        shown[name] = values
    return shown


def sparkline(values: Sequence[float]) -> str:
    """A character a value, higher for more; flat where they differ by little."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    bars = _BARS if encoding.startswith("utf") else _PLAIN_BARS
    low, high = min(values), max(values)
    room = max(_SPAN - (high - low), 0.0)
    low, span = low - room / 2, max(high - low, _SPAN)
    steps = len(bars)
    return "".join(bars[min(int((value - low) / span * steps), steps - 1)] for value in values)
