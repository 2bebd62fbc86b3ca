"""Judgements as they are written, before anybody has looked what the knowledge base holds of them."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from kb.errors import UsageError

Names = Literal["either", "document", "chunk"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a good answer to a question holds."""

    name: str  # of a document or a chunk
    names: Names = "either"
    span: tuple[int, int] | None = None  # characters of the document
    grade: int = 1  # 0 or less: judged, and not relevant
    quote: str = ""  # what the span says, where it was noted


class _Written(Struct, forbid_unknown_fields=True, kw_only=True):
    """One judgement in JSON, under the names that are in use for its parts."""

    path: str = ""
    doc: str = ""
    docid: str = ""
    doc_id: str = ""
    document: str = ""
    corpus_id: str = msgspec.field(name="corpus-id", default="")
    chunk: str = ""
    span: tuple[int, int] | None = None
    start: int | None = None
    end: int | None = None
    grade: Annotated[float, Meta(ge=-1e6, le=1e6)] | None = None
    score: Annotated[float, Meta(ge=-1e6, le=1e6)] | None = None
    relevance: Annotated[float, Meta(ge=-1e6, le=1e6)] | None = None
    quote: str = ""


def read_judgement(value: Any) -> Judgement:
    """A judgement in JSON: a name, or an object with ``path`` or ``chunk``, ``span``, ``grade``.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(value, str | int) and not isinstance(value, bool):
        return checked(Judgement(str(value)))
    try:
        written = msgspec.convert(value, _Written)
    except msgspec.ValidationError as error:
        raise UsageError(f"{str(error).replace('`$.', '`')}, in {value!r}") from error
    given = (written.path, written.doc, written.docid, written.doc_id)
    names = [name for name in (*given, written.document, written.corpus_id) if name]
    grades = [g for g in (written.grade, written.score, written.relevance) if g is not None]
    if len(names) + bool(written.chunk) != 1 or len(grades) > 1:
        raise UsageError(f"write one of path and chunk, and one grade, not {value!r}")
    span = written.span
    if written.start is not None and written.end is not None:
        span = (written.start, written.end)
    elif written.start is not None or written.end is not None:
        raise UsageError(f"a span has a start and an end, unlike {value!r}")
    kind: Names = "chunk" if written.chunk else "document" if written.path else "either"
    name = written.chunk or names[0]
    return checked(
        Judgement(name, kind, span, whole_grade(grades[0] if grades else 1), written.quote)
    )


def read_relevant(value: Any) -> list[Judgement]:
    """All of one question: a list of judgements, or grades by name.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(value, dict):
        return [checked(Judgement(name, grade=whole_grade(grade))) for name, grade in value.items()]
    if not isinstance(value, list):
        raise UsageError(f"relevant is a list, or grades by name, not {value!r}")
    return [read_judgement(item) for item in value]


def whole_grade(value: Any) -> int:
    """A grade is a whole number, also written ``1.0``.

    Raises:
        UsageError: it is something else.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"a grade is a whole number, not {value!r}") from None
    if not number.is_integer():
        raise UsageError(f"a grade is a whole number, not {value!r}")
    return int(number)


def checked(judgement: Judgement) -> Judgement:
    """The judgement, if a knowledge base could hold what it names.

    Raises:
        UsageError: an empty name, or a span that is none.
    """
    if not judgement.name.strip():
        raise UsageError("a judgement names a document or a chunk, not ''")
    if judgement.span is None:
        return judgement
    start, end = judgement.span
    if judgement.names == "chunk":
        raise UsageError("a span is one of a document: write path, not chunk")
    if not 0 <= start < end:
        raise UsageError(f"a span is [first, one behind the last], not [{start}, {end}]")
    return judgement
