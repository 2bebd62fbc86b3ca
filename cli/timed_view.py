"""What ``tesela bench pipeline`` prints."""

from typing import TYPE_CHECKING

from cli import say, tables
from cli.tables import Column

if TYPE_CHECKING:
    from index.bench.pipeline import Timed
    from query.speed import Asked

VERSION = 1


def _rate(value: object) -> str:
    number = float(str(value))
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


COLUMNS = (
    Column("stage", "stage", left=True),
    Column("seconds", "seconds", lambda value: f"{float(str(value)):.2f}"),
    Column("share", "share", lambda value: f"{float(str(value)):.0%}"),
    Column("files_per_second", "files/s", _rate),
    Column("chunks_per_second", "chunks/s", _rate),
    Column("tokens_per_second", "tokens/s", _rate),
)


def rows(done: "Timed") -> list[dict[str, object]]:
    """A row a stage, and one for all of them."""
    whole = sum(done.seconds.values())
    return [
        _row(done, name, spent, whole) for name, spent in (*done.seconds.items(), ("all", whole))
    ]


def _row(done: "Timed", stage: str, seconds: float, whole: float) -> dict[str, object]:
    def rate(count: int) -> float | None:
        return count / seconds if seconds > 0 else None

    return {
        "stage": stage,
        "seconds": seconds,
        "share": seconds / whole if whole else 0.0,
        "files_per_second": rate(done.files),
        "chunks_per_second": rate(done.chunks),
        "tokens_per_second": rate(done.tokens),
    }


def show(form: str, done: "Timed", asked: "Asked | None", peak: int | None) -> None:
    """Print where the time went."""
    if form == "json":
        say.data_json(_json(done, asked, peak))
    elif form == "csv":
        tables.as_csv(rows(done))
    elif form == "md":
        tables.markdown(COLUMNS, rows(done))
    else:
        say.data(_title(done))
        say.data("")
        tables.aligned(COLUMNS, rows(done))
        for line in _rest(asked, peak):
            say.data(line)


def _title(done: "Timed") -> str:
    sample = f" of {done.sampled_of:,}" if done.files < done.sampled_of else ""
    return (
        f"{done.files:,}{sample} files ({done.read_bytes / 1e6:,.1f} MB): "
        f"{say.count(done.chunks, 'chunk')}, {say.count(done.tokens, 'token')}"
    )


def _rest(asked: "Asked | None", peak: int | None) -> list[str]:
    lines = []
    if asked is not None:
        parts = ", ".join(
            f"{name.removesuffix(' questions')} {1000 * spent / asked.questions:.1f} ms"
            for name, spent in asked.seconds.items()
        )
        lines.append(f"a question: {parts} ({say.count(asked.questions, 'question')})")
    if peak is not None:
        lines.append(f"most memory: {peak / 1e6:,.0f} MB")
    return ["", *lines] if lines else []


def _json(done: "Timed", asked: "Asked | None", peak: int | None) -> dict[str, object]:
    return {
        "version": VERSION,
        "files": done.files,
        "files_known": done.sampled_of,
        "failed": done.failed,
        "documents": done.documents,
        "chunks": done.chunks,
        "tokens": done.tokens,
        "bytes": done.read_bytes,
        "peak_memory_bytes": peak,
        "stages": rows(done),
        "questions": asked
        and {
            "asked": asked.questions,
            "seconds": {
                name.removesuffix(" questions"): spent for name, spent in asked.seconds.items()
            },
        },
        "notes": done.notes,
    }
