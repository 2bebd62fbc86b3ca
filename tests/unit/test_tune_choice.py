"""Which trial is taken, with the arithmetic shown."""

from typing import Any

import pytest

from kb.settings import ContextSettings, QuerySettings, Settings
from query.tune import fit
from query.tune.choose import choose, frontier
from query.tune.space import fields
from query.tune.state import State
from query.tune.trial import Trial, changed, label

THERE = {"exact": True, "hnsw": True, "annoy": True, "faiss": True}


def trial(name: str, values: list[float], **costs: float) -> Trial:
    changes: dict[str, Any] = {} if name == "base" else {"query.fusion": name}
    return Trial(
        key=name,
        changes=changes,
        split="tune",
        ids=[str(i) for i in range(len(values))],
        values=values,
        query_ms=costs.get("ms", 10.0),
        build_seconds=costs.get("build", 10.0),
        disk_bytes=int(costs.get("disk", 10)),
        chunks=3,
    )


def test_a_difference_that_may_be_chance_changes_nothing() -> None:
    """Two questions won, one lost: the best mean, and no reason to move."""
    base = trial("base", [0.5] * 20)
    lucky = trial("lucky", [0.5] * 17 + [1.0, 1.0, 0.0])
    choice = choose([base, lucky], base)
    assert (choice.best, choice.chosen, choice.alike) == (lucky, base, 1)
    assert not choice.is_change
    assert choice.gain.mean == 0


def test_a_sure_gain_is_taken() -> None:
    """Better by .2 on each question: the interval of the difference is .2 to .2."""
    base, good = trial("base", [0.5] * 20), trial("good", [0.7] * 20)
    choice = choose([base, good], base)
    assert choice.chosen is good
    assert choice.alike == 0
    assert choice.gain.mean == pytest.approx(0.2)
    assert choice.gain.is_sure


def test_of_those_that_are_as_good_the_cheapest_is_taken() -> None:
    """Against the base's 10, 10, 10: slow costs (3 + 1 + 1) / 3, large (1 + 1 + 1.5) / 3."""
    base = trial("base", [0.2] * 20)
    slow = trial("slow", [0.8] * 19 + [0.9], ms=30.0)
    large = trial("large", [0.8] * 20, disk=15)
    choice = choose([base, slow, large], base)
    assert (choice.best, choice.chosen) == (slow, large)


def test_the_frontier_leaves_out_what_is_beaten_in_everything() -> None:
    base = trial("base", [0.5] * 4)
    worse = trial("worse", [0.4] * 4, ms=11.0)
    quick = trial("quick", [0.4] * 4, ms=5.0)
    best = trial("best", [0.9] * 4, build=99.0)
    assert frontier([base, worse, quick, best]) == [best, base, quick]


def test_equal_trials_are_all_on_the_frontier() -> None:
    a, b = trial("a", [0.5] * 4), trial("b", [0.5] * 4)
    assert frontier([b, a]) == [a, b]


def test_what_equals_the_settings_in_force_is_not_tried() -> None:
    settings = changed(Settings(), {"chunk.size": 384, "query.rerank": "none"})
    ways = {field.name: field.ways for field in fields(settings, THERE, 400)}
    assert {"chunk.size": 384} not in ways["size"]
    assert {"chunk.size": 256} in ways["size"]
    assert {"chunk.size": 480} not in ways["size"]  # more than the embedder's 400
    assert {"query.rerank": "none"} not in ways["rerank"]
    assert {"query.rerank": "maxsim"} in ways["rerank"]
    assert all(changed(settings, way) != settings for found in ways.values() for way in found)


def test_engines_that_are_not_installed_are_not_tried() -> None:
    (engine,) = [f for f in fields(Settings(), {"exact": True}, 500) if f.name == "engine"]
    assert engine.ways == []


def test_labels_are_short() -> None:
    assert label({}) == "as it is"
    assert label({"engine.name": "hnsw", "chunk.size": 128}) == "engine=hnsw, size=128"
    assert label({"context.provider": "none", "query.collapse": False}) == (
        "context=none, collapse=false"
    )


def test_no_llm_is_asked() -> None:
    settings = Settings(query=QuerySettings(rerank="llm", helpers=("hyde",)))
    plain, notes = fit.without_llm(settings)
    assert (plain.query.rerank, plain.query.helpers) == ("maxsim", ())
    assert len(notes) == 1
    assert fit.without_llm(Settings()) == (Settings(), [])


def test_what_cannot_be_compared_is_left_out() -> None:
    every = fields(Settings(), THERE, 500)

    def names(settings: Settings, by_chunk: bool) -> set[str]:
        kept, notes = fit.allowed(every, settings, settings, by_chunk)
        assert len(kept) + len(notes) == len(every)
        return {field.name for field in kept}

    assert names(Settings(), False) == {field.name for field in every}
    assert names(Settings(), True) == {"fusion", "rerank", "context", "engine"}
    by_llm = Settings(context=ContextSettings(provider="llm"))
    assert names(by_llm, False) == {"fusion", "rerank", "engine"}


def test_trials_of_another_subject_give_way(tmp_path: Any) -> None:
    from kb.location import Location

    location = Location(tmp_path / ".tesela")
    first = State(location, "one")
    first.put(trial("base", [0.25, 1.0]))
    assert State(location, "one").get("base") == trial("base", [0.25, 1.0])
    assert State(location, "two").get("base") is None
    path = tmp_path / ".tesela" / "evaluation" / "trials.json"
    path.write_bytes(path.read_bytes()[:40])
    assert State(location, "one").get("base") is None
