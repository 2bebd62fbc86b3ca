"""A run as a chart: a row for each measure, a mark for each ranking, its interval around it."""

from collections.abc import Mapping

from kb.plot.chart import Measured, rows
from kb.plot.drawing import Drawing
from kb.plot.scale import Axis
from query.evaluate.outcome import Outcome


def picture(outcome: Outcome, title: str, names: Mapping[str, str]) -> Drawing:
    """The chart; `names` are the rankings' for people. What falls short is drawn as it is: failure low."""
    series = [
        Measured(
            names[ranking],
            [outcome.mean(ranking, measure) for measure in outcome.measures],
            [
                (found.low, found.high)
                for found in (outcome.interval(ranking, m) for m in outcome.measures)
            ],
        )
        for ranking in outcome.rankings
    ]
    groups = [measure.shown for measure in outcome.measures]
    return rows(title, groups, Axis("mean and 95 % interval", low=0.0, high=1.0), series)
