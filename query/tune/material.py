"""The questions and the documents of a sample that trials are made on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from index.reader import GenerationReader
from kb.digest import digest
from kb.errors import UsageError
from kb.location import Location
from query.evaluate.generate.write import split_of
from query.evaluate.held import Documents, resolve
from query.evaluate.judgements import Judgement
from query.evaluate.questions import SetQuestion
from query.evaluate.relocate import Relocator
from query.evaluate.testset import QuestionSet
from query.filter import Filter, readable

_LEAST = 5  # questions of a split


@dataclass(frozen=True, slots=True)
class Part:
    """The questions of one split."""

    questions: Sequence[SetQuestion]
    judgements: Sequence[Sequence[Judgement]]


@dataclass(frozen=True, slots=True)
class Material:
    """What every trial is made on."""

    tune: Part  # to choose by
    test: Part  # to report on
    only: frozenset[str] | None  # documents of the sample; None: all
    documents: int
    by_chunk: bool  # judgements name chunks, which other cuts do not have
    by_span: bool  # a good answer holds certain words, and not only comes from a document

    @property
    def digest(self) -> str:
        """Of all of it."""
        parts = [
            f"{split}\t{question.id}\t{question.shown}\t{judged!r}"
            for split, part in (("tune", self.tune), ("test", self.test))
            for question, judged in zip(part.questions, part.judgements, strict=True)
        ]
        return digest("material", *parts, *(sorted(self.only) if self.only is not None else ["*"]))


def gather(
    location: Location, reader: GenerationReader, chosen: Filter, whole: QuestionSet, most: int
) -> Material:
    """Sample the documents, and keep the questions that these answer.

    The documents that answer questions come first, then others, both in an order that their paths
    alone decide. A set without splits is split by the questions' ids.

    Args:
        location: of the KB.
        reader: its current generation.
        chosen: what whoever asks may read.
        whole: all questions.
        most: documents in the sample; 0: all.

    Raises:
        UsageError: too few questions are left to choose by and to report on.
    """
    documents = Documents(reader, location, readable(reader, chosen), None)
    targets = resolve(whole.judgements, documents, Relocator(reader)).targets
    paths = [entry.path for entry in reader.chunks.documents]
    answering = [{t.path for t in found if t.path in set(paths)} for found in targets]
    only = _sample(paths, answering, most)
    kept = [
        i for i, found in enumerate(answering) if targets[i] and (only is None or found <= only)
    ]
    parts = _split(whole, kept)
    return Material(
        parts["tune"],
        parts["test"],
        only,
        len(paths) if only is None else len(only),
        any(t.chunk for i in kept for t in targets[i]),
        all(t.span is not None for i in kept for t in targets[i]),
    )


def _sample(paths: list[str], answering: list[set[str]], most: int) -> frozenset[str] | None:
    if not 0 < most < len(paths):
        return None
    needed = set().union(*answering)
    ranked = sorted(paths, key=lambda path: (path not in needed, digest("tune", path)))
    return frozenset(ranked[:most])


def _split(whole: QuestionSet, kept: list[int]) -> dict[str, Part]:
    parts = {}
    for name in ("tune", "test"):
        taken = [i for i in kept if _split_of(whole.questions[i]) == name]
        if len(taken) < _LEAST:
            raise UsageError(
                f"{whole.name}: {len(taken)} questions to {_USE[name]}, at least {_LEAST} are "
                "needed: give more with --queries and --qrels, or make some with 'tesela eval gen'"
            )
        parts[name] = Part(
            [replace(whole.questions[i], judgements=None) for i in taken],
            [whole.judgements[i] for i in taken],
        )
    return parts


_USE = {"tune": "choose by", "test": "report on"}


def _split_of(question: SetQuestion) -> str:
    return question.split or split_of(question.id)
