"""What ``tesela tune`` prints."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from cli import say, tables
from cli.tables import Column

if TYPE_CHECKING:
    from query.evaluate.bootstrap import Difference
    from query.tune.material import Material
    from query.tune.trial import Trial
    from query.tune.tune import Tuning

VERSION = 1


def _number(form: str, factor: float = 1.0) -> Callable[[object], str]:
    return lambda value: format(float(str(value)) * factor, form)


COLUMNS = (
    Column("mark", "", left=True),
    Column("settings", "settings", left=True),
    Column("mean", "nDCG", _number(".3f")),
    Column("query_ms", "question, ms", _number(",.0f")),
    Column("build_seconds", "build, s", _number(",.0f")),
    Column("disk_bytes", "disk, MB", _number(",.1f", 1e-6)),
)


def show(form: str, tuning: "Tuning", material: "Material", measure: str) -> None:
    """Print the trials that no other beats, the settings in force, and the choice."""
    choice = tuning.choice
    shown = [t for t in tuning.trials if t in tuning.frontier or t in (choice.base, choice.chosen)]
    rows = _rows(tuning, shown)
    if form == "json":
        say.data_json(_json(tuning, material, measure))
    elif form == "csv":
        tables.as_csv(_rows(tuning, tuning.trials))
    elif form == "md":
        tables.markdown(COLUMNS, rows)
    else:
        say.data(f"{title(tuning, material)}: {measure}")
        say.data("")
        tables.aligned(COLUMNS, rows)
    if form in ("table", "md"):
        say.data("")
        for line in verdict(tuning, measure):
            say.data(say.folded(line))


def title(tuning: "Tuning", material: "Material") -> str:
    """What was done, in words."""
    return (
        f"{say.count(len(tuning.trials), 'way')} to set it, on "
        f"{say.count(material.documents, 'document')} and "
        f"{say.count(len(material.tune.questions), 'question')}"
    )


def _rows(tuning: "Tuning", trials: "Sequence[Trial]") -> list[dict[str, object]]:
    return [_row(tuning, trial) for trial in sorted(trials, key=lambda trial: -trial.mean)]


def _row(tuning: "Tuning", trial: "Trial") -> dict[str, object]:
    choice = tuning.choice
    mark = ">" if trial is choice.chosen else ""
    return {
        "mark": mark,
        "settings": trial.label,
        "mean": trial.mean,
        "query_ms": trial.query_ms,
        "build_seconds": trial.build_seconds,
        "disk_bytes": trial.disk_bytes,
    }


def verdict(tuning: "Tuning", measure: str) -> list[str]:
    """What was chosen, and how sure that is."""
    choice, held, base = tuning.choice, tuning.chosen_held, tuning.base_held
    lines = []
    others = len(tuning.trials) - 1
    if choice.alike:
        lines.append(
            f"{choice.alike} of {others} others are as good as the best ({choice.best.label}), as far "
            "as these questions tell: the differences may be chance"
        )
    if not choice.is_change:
        lines.append("the settings in force stay")
        if base is not None:
            lines.append(_held_line(len(base.values), measure, base.mean))
        return lines
    lines.append(f"chosen: {choice.chosen.label}: {measure} {_shown(choice.gain)} against now")
    if held is not None and base is not None:
        gain = held_gain(tuning)
        now = f"{base.mean:.3f} → {held.mean:.3f}, {_shown(gain)}"
        lines.append(f"on {len(held.values)} questions that took no part in choosing: {now}")
    return lines


def held_gain(tuning: "Tuning") -> "Difference":
    """Of the choice over the settings in force, on the held-out questions."""
    from query.evaluate.bootstrap import paired_bootstrap

    assert tuning.base_held is not None
    assert tuning.chosen_held is not None
    return paired_bootstrap(tuning.base_held.values, tuning.chosen_held.values)


def _held_line(count: int, measure: str, mean: float) -> str:
    return f"on {count} questions that took no part in choosing: {measure} {mean:.3f}"


def _shown(gain: "Difference") -> str:
    return f"{gain.mean:+.3f} (95 %: {gain.low:+.3f} to {gain.high:+.3f})"


def _json(tuning: "Tuning", material: "Material", measure: str) -> dict[str, object]:
    choice = tuning.choice
    return {
        "version": VERSION,
        "measure": measure,
        "documents": material.documents,
        "questions": {
            "tune": len(material.tune.questions),
            "test": len(material.test.questions),
        },
        "trials": [
            {
                "changes": trial.changes,
                **{k: v for k, v in _row(tuning, trial).items() if k not in ("mark", "settings")},
                "chunks": trial.chunks,
                "frontier": trial in tuning.frontier,
                "chosen": trial is choice.chosen,
            }
            for trial in tuning.trials
        ],
        "alike": choice.alike,
        "best": choice.best.changes,
        "chosen": choice.chosen.changes,
        "gain": asdict(choice.gain),
        "held_out": {
            "in_force": tuning.base_held and tuning.base_held.mean,
            "chosen": tuning.chosen_held and tuning.chosen_held.mean,
            "gain": asdict(held_gain(tuning)),
        },
        "left": tuning.left,
    }
