"""Questions of a test set, with what is said about each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import UsageError
from query.batch.lines import Line, read_lines
from query.evaluate.judgements import Judgement, read_relevant

JUDGED = "relevant"
SPLITS = ("tune", "test")
_TEXTS = ("text", "lex", "vec")
# What a test set may say of a question besides; it changes no answer.
_ABOUT = (
    "metadata",
    "kind",
    "difficulty",
    "language",
    "lang",
    "answers",
    "answer",
    "type",
    "title",
    "split",
)
_HEADERS = {"id", "_id", "qid", "query-id", "query_id"}, {"text", "query", "question"}


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question as it is asked, and its judgements where the file holds them."""

    id: str
    text: str
    lex: str = ""
    vec: str = ""
    split: str = ""
    kind: str = ""  # of generated ones
    difficulty: str = ""
    judgements: Sequence[Judgement] | None = None

    @property
    def shown(self) -> str:
        """In words."""
        return self.text or self.lex or self.vec


def read_questions(path: Path) -> list[SetQuestion]:
    """The questions of a file: JSON lines, TSV with or without a header, TREC topics.

    Raises:
        UsageError: a line cannot be read; the message names it.
    """
    try:
        with path.open("rb") as stream:
            lines = list(read_lines(stream))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    lines = _without_header(lines)
    if not lines:
        raise UsageError(f"{path} holds no questions")
    return list(_read(path, lines))


def _without_header(lines: list[Line]) -> list[Line]:
    if lines and not lines[0].error:
        ids, texts = _HEADERS
        text = lines[0].fields.get("text", "")
        if str(lines[0].id).lower() in ids and str(text).strip().lower() in texts:
            return lines[1:]
    return lines


def _read(path: Path, lines: Iterable[Line]) -> Iterable[SetQuestion]:
    for line in lines:
        if line.error:
            raise UsageError(f"{path}: {line.error}")
        try:
            yield _question(line)
        except UsageError as error:
            raise UsageError(f"{path}: question {line.id!r}: {error}") from error


def _question(line: Line) -> SetQuestion:
    fields = line.fields
    unknown = [key for key in fields if key not in (*_TEXTS, *_ABOUT, JUDGED)]
    if unknown:
        raise UsageError(
            f"{unknown[0]!r} is said for the whole run, by an option; a question has "
            f"{', '.join((*_TEXTS, JUDGED))} and may be described by {', '.join(_ABOUT)}"
        )
    text, lex, vec = (_text(fields, name) for name in _TEXTS)
    if not (text or lex or vec):
        raise UsageError("there is no text")
    about = fields.get("metadata")
    about = {**(about if isinstance(about, dict) else {}), **fields}
    split, kind, difficulty = (_text(about, name) for name in ("split", "kind", "difficulty"))
    judgements = read_relevant(fields[JUDGED]) if JUDGED in fields else None
    return SetQuestion(str(line.id), text, lex, vec, split, kind, difficulty, judgements)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name) or ""
    if not isinstance(value, str):
        raise UsageError(f"{name} is a text, not {value!r}")
    return value.strip()
