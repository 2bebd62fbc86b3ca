import threading

import pytest

from kb.models.later import Later
from kb.models.spread import cores, spread


def test_later_makes_once_for_all_threads() -> None:
    made: list[int] = []
    later = Later(lambda: made.append(1) or len(made))
    later.start()
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(later.get())) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == [1] * 8


def test_later_starts_nothing_by_itself_and_keeps_its_error() -> None:
    tried: list[int] = []

    def fail() -> int:
        tried.append(1)
        raise ValueError("no")

    later = Later(fail)
    assert not tried
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            later.get()
    assert tried == [1]


@pytest.mark.parametrize("threads", [1, 2, 5, 50])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_spread_does_each_once(threads: int, count: int) -> None:
    done: list[int] = []
    spread(done.append, count, threads)
    assert sorted(done) == list(range(count))


def test_spread_works_at_the_same_time() -> None:
    meet = threading.Barrier(2, timeout=10)
    spread(lambda _: meet.wait() and None, 2, 2)


def test_spread_stops_after_an_error() -> None:
    done: list[int] = []

    def work(i: int) -> None:
        if i == 3:
            raise ValueError("three")
        done.append(i)

    with pytest.raises(ValueError, match="three"):
        spread(work, 100, 1)
    assert done == [0, 1, 2]


def test_cores_is_positive() -> None:
    assert cores() >= 1
