"""A test set: questions and what answers them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kb.digest import digest
from kb.errors import UsageError
from kb.location import Location
from query.evaluate.judgements import Judgement
from query.evaluate.qrels import Judged, read_qrels
from query.evaluate.questions import SPLITS, SetQuestion, read_questions

QUESTIONS = "queries.jsonl"
QRELS = "qrels.jsonl"
OWN = "the generated set"
_QRELS_OF_FOLDER = (
    QRELS,
    "qrels.tsv",
    "qrels/test.tsv",
    "qrels.txt",
    "qrels.trec",
    "qrels/dev.tsv",
)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that have judgements, and what was found beside them."""

    name: str  # where it comes from
    questions: Sequence[SetQuestion]
    judgements: Sequence[Sequence[Judgement]]  # of each question; at least one of a grade above 0
    split: str = ""  # the part that was taken; "": all
    unjudged: Sequence[str] = ()  # questions that nobody has judged
    irrelevant: Sequence[str] = ()  # judged, and nothing is relevant
    unasked: Sequence[str] = ()  # judged, and there is no such question

    @property
    def digest(self) -> str:
        """Of questions and judgements: two runs on equal ones can be compared question by question."""
        return digest(
            *(
                f"{q.id}\t{q.shown}\t{j!r}"
                for q, j in zip(self.questions, self.judgements, strict=True)
            )
        )

    def part(self, split: str) -> "QuestionSet":
        """The questions of a split; all of them where the set has none.

        Args:
            split: ``tune``, ``test`` or ``all``; "": ``test`` where the set is split, else all.

        Raises:
            UsageError: none are of that split.
        """
        parted = any(question.split for question in self.questions)
        wanted = split or ("test" if parted else "all")
        if wanted == "all":
            return self
        if not parted:
            raise UsageError(f"--split {wanted}: {self.name} is not split: leave it out")
        kept = [i for i, question in enumerate(self.questions) if question.split == wanted]
        if not kept:
            raise UsageError(f"--split {wanted}: {self.name} holds no such questions")
        return replace(
            self,
            questions=[self.questions[i] for i in kept],
            judgements=[self.judgements[i] for i in kept],
            split=wanted,
        )


def kept_folder(location: Location) -> Path:
    """Where the test set lies that was generated last."""
    return location.folder / "evaluation" / "testset"


def read_testset(
    location: Location, folder: Path | None, queries: Path | None, qrels: Path | None
) -> QuestionSet:
    """A folder, files, or the set that was generated last.

    Args:
        location: of the KB.
        folder: in BEIR layout: ``queries.jsonl`` and ``qrels.tsv`` or ``qrels/test.tsv``, or as
            ``tesela eval gen`` writes it.
        queries: the questions' file, which may hold the judgements, too.
        qrels: the judgements' file.

    Raises:
        UsageError: it cannot be read, or no question has a judgement.
    """
    if folder is not None and (queries or qrels):
        raise UsageError("name a folder, or files with --queries and --qrels, not both")
    if qrels is not None and queries is None:
        raise UsageError("--qrels judges questions: name them with --queries FILE")
    if queries is not None and queries.is_dir():
        folder, queries = queries, None
    if folder is None and queries is None:
        folder = kept_folder(location)
        if not folder.is_dir():
            raise UsageError(
                "no test set: name one with --queries FILE and --qrels FILE, "
                "or make one from the documents with 'tesela eval gen'"
            )
    if folder is not None:
        queries, found = _in_folder(folder)
        qrels = qrels or found
    if queries is None:
        raise AssertionError
    own = folder is not None and folder == kept_folder(location)
    return _joined(OWN if own else str(folder or queries), read_questions(queries), qrels)


def _in_folder(folder: Path) -> tuple[Path, Path | None]:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; a file of questions goes with --queries")
    named = (folder / QUESTIONS, folder / "queries.tsv")
    queries = next((path for path in named if path.is_file()), None)
    if queries is None:
        raise UsageError(f"{folder} holds no {QUESTIONS}: name files with --queries and --qrels")
    return queries, next((folder / n for n in _QRELS_OF_FOLDER if (folder / n).is_file()), None)


def _joined(name: str, questions: Sequence[SetQuestion], qrels: Path | None) -> QuestionSet:
    judged: Judged = {q.id: list(q.judgements) for q in questions if q.judgements is not None}
    if qrels is not None:
        judged |= read_qrels(qrels)
    if not judged:
        raise UsageError(
            f"{name} says what is asked and not what answers it: name the judgements with --qrels"
        )
    there = {question.id for question in questions}
    good = {query: relevant for query, found in judged.items() if (relevant := _relevant(found))}
    kept = [question for question in questions if question.id in good]
    if not kept:
        raise UsageError(
            f"{name}: no question has a judgement that something is relevant: are the ids of "
            f"questions ({next(iter(there))!r} …) and judgements ({next(iter(judged))!r} …) the same?"
        )
    _check_splits(name, kept)
    return QuestionSet(
        name,
        kept,
        [good[question.id] for question in kept],
        unjudged=[question.id for question in questions if question.id not in judged],
        irrelevant=[q.id for q in questions if q.id in judged and q.id not in good],
        unasked=[query for query in judged if query not in there],
    )


def _relevant(found: Sequence[Judgement]) -> list[Judgement]:
    """Each thing once, with the grade that was written last."""
    last = {(j.name, j.names, j.span): j for j in found}
    return [judgement for judgement in last.values() if judgement.grade > 0]


def _check_splits(name: str, questions: Sequence[SetQuestion]) -> None:
    for question in questions:
        if question.split and question.split not in SPLITS:
            raise UsageError(
                f"{name}: question {question.id!r}: split is {' or '.join(SPLITS)}, "
                f"not {question.split!r}"
            )
