"""Time inside an inner stage is not the outer one's."""

import pytest

from index.bench.clock import Clock


def test_inner_time_is_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outer runs from 0 to 10, inner from 2 to 5: 7 and 3; inner again from 12 to 13: 4."""
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    clock = Clock()
    with clock.stage("outer"):
        now[0] = 2.0
        with clock.stage("inner"):
            now[0] = 5.0
        now[0] = 10.0
    now[0] = 12.0
    with clock.stage("inner"):
        now[0] = 13.0
    assert clock.seconds == {"outer": 7.0, "inner": 4.0}


def test_a_stage_that_fails_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    clock = Clock()
    with pytest.raises(KeyError), clock.stage("a"):
        now[0] = 1.0
        raise KeyError
    now[0] = 5.0
    with clock.stage("b"):
        now[0] = 7.0
    assert clock.seconds == {"a": 1.0, "b": 2.0}
