"""What ``tesela bench ann`` prints and draws."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cli import say, tables
from cli.tables import Column

if TYPE_CHECKING:
    from index.bench.ann import Measured
    from index.bench.material import Material
    from kb.plot.drawing import Drawing

VERSION = 1


def _number(form: str) -> Callable[[object], str]:
    return lambda value: format(value, form)


def _megabytes(value: object) -> str:
    return f"{int(str(value)) / 1e6:,.1f}"


COLUMNS = (
    Column("engine", "engine", left=True),
    Column("recall", "recall@10", _number(".3f")),
    Column("qps", "q/s", _number(",.0f")),
    Column("build_seconds", "build, s", _number(".1f")),
    Column("memory_bytes", "memory, MB", _megabytes),
    Column("disk_bytes", "disk, MB", _megabytes),
    Column("adds", "adds"),
    Column("deletes", "deletes"),
)


def rows(found: "Sequence[Measured]") -> list[dict[str, object]]:
    """A row an engine, with its settings as they are."""
    from index.bench.subjects import KINDS

    return [
        {
            "engine": one.name,
            "recall": one.point.recall,
            "qps": one.point.qps,
            "p95_ms": one.point.p95_ms,
            "batch_qps": one.point.batch_qps,
            "build_seconds": one.built.seconds,
            "load_seconds": one.searched.load_seconds,
            "memory_bytes": one.searched.memory_bytes,
            "disk_bytes": one.built.disk_bytes,
            "adds": KINDS[one.name].adds,
            "deletes": KINDS[one.name].deletes,
        }
        for one in found
    ]


def show(form: str, material: "Material", found: "Sequence[Measured]") -> None:
    """Print what was measured."""
    if form == "json":
        say.data_json(_json(material, found))
    elif form == "csv":
        tables.as_csv(rows(found))
    elif form == "md":
        tables.markdown(COLUMNS, rows(found))
    else:
        say.data(title(material))
        say.data("")
        tables.aligned(COLUMNS, rows(found))
        _notes(found)


def title(material: "Material") -> str:
    """What was measured, in words."""
    return (
        f"{say.count(material.rows, 'vector')} of {material.dimension} numbers, "
        f"{say.count(material.questions, 'question')} ({material.origin})"
    )


def _notes(found: "Sequence[Measured]") -> None:
    for one in found:
        if one.built.note:
            say.note(f"  {one.name}: {one.built.note}")


def _json(material: "Material", found: "Sequence[Measured]") -> dict[str, object]:
    engines = [
        {
            **row,
            "note": one.built.note,
            "effort": one.effort or None,
            "points": [
                {"effort": effort, **_fields(point)}
                for effort, point in zip(one.efforts or (None,), one.searched.points, strict=True)
            ],
        }
        for one, row in zip(found, rows(found), strict=True)
    ]
    return {
        "version": VERSION,
        "vectors": material.rows,
        "dimension": material.dimension,
        "questions": material.questions,
        "of": material.origin,
        "k": 10,
        "engines": engines,
    }


def _fields(point: object) -> dict[str, object]:
    from msgspec.structs import asdict as fields

    return fields(point)  # type: ignore[arg-type]


def picture(material: "Material", found: "Sequence[Measured]") -> "Drawing":
    """Recall across, questions a second upwards: an engine is better the farther up and right."""
    from kb.plot.chart import Series, lines
    from kb.plot.scale import Axis

    series = [
        Series(one.name, [(point.recall, point.qps) for point in one.searched.points])
        for one in found
    ]
    return lines(
        title(material), Axis("recall@10", high=1.0), Axis("questions a second", log=True), series
    )
