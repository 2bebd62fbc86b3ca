"""Asks the questions of a test set and scores what comes back."""

from collections.abc import Callable, Mapping, Sequence

from kb.errors import UsageError
from kb.records import Hit
from query.asked import ask
from query.evaluate.judge import Target, best_of_documents, find, of_documents
from query.evaluate.measures import Measure, depth
from query.evaluate.outcome import Failed, Outcome, Row, Scored
from query.evaluate.precision import context_precision
from query.evaluate.questions import SetQuestion
from query.evaluate.rankings import Ranker

Tell = Callable[[Row | Failed, Mapping[str, list[Hit]]], None]


def run(
    questions: Sequence[SetQuestion],
    targets: Sequence[tuple[Target, ...]],
    rankers: Mapping[str, Ranker],
    measures: Sequence[Measure],
    shown: int,
    operators: bool = True,
    tell: Tell = lambda _row, _hits: None,
) -> Outcome:
    """Ask each question in each way.

    Args:
        questions: in order.
        targets: of each question; one without any is passed over.
        rankers: by name, the one of a plain query last.
        measures: what to score.
        shown: how many hits a query shows: what context precision looks at.
        operators: whether quotes and ``-`` in a question mean something.
        tell: called after each question, with the hits of each ranking.
    """
    outcome = Outcome(measures, list(rankers))
    deep = depth(measures)
    for question, wanted in zip(questions, targets, strict=True):
        if not wanted:
            continue
        done: Row | Failed
        hits: dict[str, list[Hit]] = {}
        try:
            asked = ask(question.text, question.lex, question.vec, operators)
            scored = {}
            for name, ranker in rankers.items():
                ranked = ranker.rank(asked, deep, of_documents(wanted))
                hits[name] = ranked.hits
                scored[name] = score(ranked.hits, wanted, measures, shown, ranked.seconds)
        except UsageError as error:
            done = Failed(question.id, str(error))
            outcome.failed.append(done)
        else:
            done = Row(
                question.id, question.shown, wanted, scored, question.kind, question.difficulty
            )
            outcome.rows.append(done)
        tell(done, hits)
    return outcome


def score(
    hits: Sequence[Hit],
    targets: Sequence[Target],
    measures: Sequence[Measure],
    shown: int,
    seconds: float = 0.0,
) -> Scored:
    """One ranking, best first, against at least one target; see `judge.measure` for what ranks count."""
    chunks = [hit.chunk for hit in hits]
    ranked = best_of_documents(chunks) if of_documents(targets) else chunks
    found = find(ranked[: depth(measures)], targets)
    grades = [target.grade for target in targets]
    values = {
        str(measure): context_precision(chunks[:shown], targets)
        if measure.name == "context_precision"
        else measure.of(found, grades)
        for measure in measures
    }
    return Scored(values, found.ranks, seconds)
