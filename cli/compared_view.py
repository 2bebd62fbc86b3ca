"""What ``tesela compare`` prints."""

import shutil
from collections.abc import Sequence
from typing import Any

from cli import say
from cli.hits import place
from cli.variants import Side
from kb.location import Location
from kb.records import Hit
from query.batch.session import Session
from query.compare.many import Failed, Gain, Row, Tally
from query.compare.question import Compared, Passage
from query.evaluate.bootstrap import CONFIDENCE, RESAMPLES
from query.results import hit_json

VERSION = 1
_NAMES = {"ndcg": "nDCG", "mrr": "MRR", "recall": "recall", "success": "success"}
_TOLD = 10  # failures named on stderr
_LEAST = 20


def json_of_one(found: Sequence[Side], sessions: Sequence[Session], done: Compared, k: int) -> None:
    """Both answers to a question, and what moved."""
    say.data_json(
        {
            **_variants(found, sessions),
            "query": done.query,
            "k": k,
            "overlap": done.overlap(k),
            "rbo": done.rbo,
            "passages": [
                {
                    "a": passage.a.rank if passage.a else None,
                    "b": passage.b.rank if passage.b else None,
                    "moved": passage.moved,
                }
                for passage in done.passages
            ],
            "hits": {"a": list(map(hit_json, done.a)), "b": list(map(hit_json, done.b))},
        }
    )


def json_of_many(
    found: Sequence[Side], sessions: Sequence[Session], tally: Tally, show: int
) -> None:
    """What many questions come to."""
    say.data_json({**_variants(found, sessions), **tally.to_json(show)})


def _variants(found: Sequence[Side], sessions: Sequence[Session]) -> dict[str, Any]:
    shown: dict[str, Any] = {"version": VERSION}
    for side, session in zip(found, sessions, strict=True):
        manifest, built = session.reader.manifest, side.built
        beside = side.variant is not None and side.variant.location is not side.workspace.location
        shown[side.typed.name] = {
            "settings": dict(side.typed.flags),
            "generation": None if beside else manifest.number,
            "chunks": manifest.chunks,
            "model": manifest.embedder,
            "built": built
            and {"embedded": built.report.embedded, "seconds": round(built.seconds, 3)},
        }
    return shown


def table_of_one(
    found: Sequence[Side], sessions: Sequence[Session], done: Compared, k: int
) -> None:
    """A line a passage: ranks, scores, and how it moved from a to b."""
    _head(found, sessions)
    location = found[0].workspace.location
    say.data(" a   b  moved  score a  score b  passage")
    for passage in done.passages:
        say.data(_line(passage, location).rstrip())
    new = sum(passage.a is None for passage in done.passages)
    gone = sum(passage.b is None for passage in done.passages)
    moved = sum(bool(passage.moved) for passage in done.passages)
    alike = f"overlap@{k} {done.overlap(k):.2f}, RBO {done.rbo:.2f}"
    say.data("")
    say.data(f"{alike}: {moved} moved, {new} new in b, {gone} gone from a")


def _line(passage: Passage, location: Location) -> str:
    a, b, moved = passage.a, passage.b, passage.moved
    told = "new" if a is None else "gone" if b is None else f"{moved:+d}" if moved else "="
    ranks = f"{_rank(a)}  {_rank(b)}  {told:>5}"
    scores = f"{_score(a)}  {_score(b)}"
    shown = b or a
    text = place(location, shown.chunk) if shown else ""
    return f"{ranks}  {scores}  {_short(text, len(ranks) + len(scores) + 4)}"


def _rank(hit: Hit | None) -> str:
    return f"{hit.rank if hit else '-':>2}"


def _score(hit: Hit | None) -> str:
    return f"{f'{hit.score:.4f}' if hit else '':>7}"


def _short(text: str, before: int) -> str:
    """The end of a name tells more than its beginning."""
    room = max(_width() - before, _LEAST)
    return text if len(text) <= room else "…" + text[len(text) - room + 1 :]


def _width() -> int:
    return shutil.get_terminal_size().columns


def table_of_many(
    found: Sequence[Side], sessions: Sequence[Session], tally: Tally, show: int
) -> None:
    """Measures with their intervals where there are judgements, likeness, what differs most."""
    _head(found, sessions)
    if not tally.rows:
        say.data("no question could be compared")
        return
    judged = len(tally.judged)
    counted = say.count(len(tally.rows), "question")
    say.data(f"{counted}, {judged:,} judged; k = {tally.k}")
    if judged:
        say.data("")
        _measures(tally.gains(), tally.k)
    say.data("")
    say.data(
        f"overlap@{tally.k} {tally.overlap:.3f}, RBO {tally.rbo:.3f}; "
        f"the same hits in the same order: {tally.same:,} of {len(tally.rows):,}"
    )
    differing = tally.differing(show)
    if differing:
        say.data("")
        say.data("differ most:")
    for row in differing:
        say.data(_question(row))


def _measures(gains: dict[str, Gain], k: int) -> None:
    percent = f"{CONFIDENCE:.0%}"
    say.data(f"{'':<12}{'a':>8}{'b':>8}{'b - a':>9}   {percent} interval")
    for name, gain in gains.items():
        of = gain.difference
        mark = " *" if of.is_sure else ""
        say.data(
            f"{_NAMES[name] + f'@{k}':<12}{gain.a:>8.4f}{gain.b:>8.4f}{of.mean:>+9.4f}   "
            f"{of.low:+.4f} to {of.high:+.4f}{mark}"
        )
    say.data(f"* without 0; paired percentile bootstrap, {RESAMPLES:,} resamples")


def _question(row: Row) -> str:
    gain = f"nDCG {row.gain:+.2f}  " if row.a else ""
    head = f"  {gain}RBO {row.rbo:.2f}  {say.in_line(str(row.id))}  "
    text = " ".join(say.in_line(row.query).split())
    room = max(_width() - len(head), _LEAST)
    return head + (text if len(text) <= room else text[: room - 1] + "…")


def _head(found: Sequence[Side], sessions: Sequence[Session]) -> None:
    for side, session in zip(found, sessions, strict=True):
        chunks = "" if side.built else f", {say.count(session.reader.manifest.chunks, 'chunk')}"
        say.data(f"{side.typed.name}  {say.in_line(side.typed.label)}: {side.where}{chunks}")
        for warning in session.reader.warnings:
            say.note(f"warning: {side.typed.name}: {warning}")
    say.data("")


def failures(failed: Sequence[Failed]) -> None:
    """The first questions that failed, and why."""
    for one in failed[:_TOLD]:
        say.note(f"  failed: {one.id}: {one.error}")
    if len(failed) > _TOLD:
        say.note("  failed: and more")


def strangers(paths: Sequence[str]) -> None:
    """Documents that judgements name and that no answer could ever hold: a slip, most often."""
    if paths:
        shown = ", ".join(say.in_line(path) for path in paths[:_TOLD])
        more = ", …" if len(paths) > _TOLD else ""
        say.note(
            f"warning: {say.count(len(paths), 'judged document')} not in the knowledge base: "
            f"{shown}{more}; write paths as 'tesela query --format json' shows them"
        )
