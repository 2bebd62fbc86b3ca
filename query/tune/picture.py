"""Trials as a chart: what a question takes across, quality upwards."""

from collections.abc import Sequence

from kb.plot.chart import Series, lines
from kb.plot.drawing import Drawing
from kb.plot.scale import Axis
from query.tune.trial import Trial
from query.tune.tune import Tuning


def picture(tuning: Tuning, title: str, measure: str) -> Drawing:
    """The chart; a trial is better the farther up and left it is."""
    choice = tuning.choice
    others = [t for t in tuning.trials if t not in tuning.frontier and t is not choice.base]
    ahead = [t for t in tuning.frontier if t is not choice.base and t is not choice.chosen]
    series = [
        _points("others", others),
        _points("frontier", ahead),
        _points("in force", [choice.base], ["in force"]),
    ]
    if choice.is_change:
        series.append(_points("chosen", [choice.chosen], [choice.chosen.label]))
    shown = [one for one in series if one.points]
    return lines(title, Axis("median of a question, ms"), Axis(measure), shown)


def _points(name: str, trials: Sequence[Trial], labels: Sequence[str] = ()) -> Series:
    points = [(trial.query_ms, trial.mean) for trial in trials]
    return Series(name, points, joined=False, labels=labels)
