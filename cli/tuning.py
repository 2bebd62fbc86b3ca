"""``tesela index --tune``: an index whose engine finds enough, at the least cost."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli import say
from cli.indexing import build
from cli.workspace import open_workspace
from kb.errors import UsageError

_QUESTIONS = 500


def parse_target(text: str) -> float:
    """The recall in ``recall=0.97``.

    Raises:
        UsageError: it is something else.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    try:
        target = float(value)
    except ValueError:
        target = 0.0
    if name != "recall" or not equals or not 0 < target <= 1:
        raise UsageError(f"--tune {text!r}: write recall= and a share of 1, e.g. recall=0.97")
    return target


def build_tuned(
    kb: Path | None,
    flags: Mapping[str, Any],
    sets: list[str] | None,
    target: float,
    rebuild: bool,
    wait_seconds: float,
) -> None:
    """Build, measure engines on the vectors that this gives, and build with the settings found."""
    engine = {key: value for key, value in flags.items() if key.startswith("engine.")}
    rest = {key: value for key, value in flags.items() if key not in engine}
    build(kb, rest, sets, rebuild, wait_seconds)
    changes = _tuned(kb, engine, sets, target)
    build(
        kb, {**engine, **{f"engine.{k}": v for k, v in changes.items()}}, sets, False, wait_seconds
    )


def _tuned(
    kb: Path | None, engine: Mapping[str, Any], sets: list[str] | None, target: float
) -> dict[str, Any]:
    from index.bench.material import of_kb
    from index.bench.tune import tune
    from index.reader import GenerationReader

    workspace = open_workspace(kb, engine, sets)
    reader = GenerationReader.open(workspace.location)
    with tempfile.TemporaryDirectory(prefix="tesela-bench-") as place, reader.blaming_damage():
        material = of_kb(reader.folder, workspace.embedder, _QUESTIONS, Path(place))
        found = tune(material, workspace.settings.engine, target)
    shown = ", ".join(f"{key} = {value}" for key, value in found.changes.items())
    say.note(
        f"{found.name}: {shown or 'its settings as they are'}: {found.point.recall:.4f} of the ten "
        f"nearest, {found.point.qps:,.0f} questions a second "
        f"({say.count(material.questions, 'question')}, {say.count(found.tried, 'way')} tried)"
    )
    # Which of faiss' structures it is may come from --set alone; the parameters mean nothing without.
    kind = {"faiss_kind": found.settings.faiss_kind} if found.settings.name == "faiss" else {}
    return {**found.changes, **kind} if workspace.settings.engine.name == "faiss" else found.changes
