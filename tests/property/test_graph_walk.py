"""What holds for walks on any network, and for whatever they add to any ranking."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from index.graph.links import Links, Side
from query.graph.linked import linked
from query.graph.walk import GO_ON, Mass, reach
from query.ranking import Ranking

tables = st.lists(
    st.sets(st.integers(0, 5), max_size=4), min_size=1, max_size=8
)  # of each leaf: its entities


def links_of(table: list[set[int]]) -> Links:
    by_entity = [[row for row, some in enumerate(table) if n in some] for n in range(6)]
    return Links(_side([sorted(some) for some in table]), _side(by_entity))


def _side(lists: list[list[int]]) -> Side:
    flat = [n for some in lists for n in some]
    shares = [1 / len(some) for some in lists for _ in some]
    pointers = np.concatenate([[0], np.cumsum([len(some) for some in lists])]).astype(np.int64)
    return Side(pointers, np.asarray(flat, np.int32), np.asarray(shares, np.float32))


@given(tables, st.data())
def test_no_more_arrive_than_begin(table: list[set[int]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(table) - 1))
    found = reach(links_of(table), Mass(np.array([start]), np.array([1.0])))
    assert np.all(np.diff(found.places) > 0)
    assert np.all(found.shares >= 0)
    # 1 + ¼ + 1/16 + 1/64: what goes on from each step is all there can be.
    assert found.shares.sum() <= sum(GO_ON**t for t in range(4)) + 1e-6
    assert len(found.places) == 0 or table[start]


@given(tables, st.data())
def test_only_what_is_linked_and_may_be_seen_is_reached(
    table: list[set[int]], data: st.DataObject
) -> None:
    live = np.array(data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    start = data.draw(st.integers(0, len(table) - 1))
    found = reach(links_of(table), Mass(np.array([start]), np.array([1.0])), live=live)
    reachable, frontier = {start}, [start]
    while frontier:
        here = frontier.pop()
        for row, some in enumerate(table):
            if live[row] and row not in reachable and some & table[here]:
                reachable.add(row)
                frontier.append(row)
    assert set(found.places.tolist()) <= reachable
    assert live[found.places].all()


scores = st.lists(st.floats(-5, 5), min_size=1, max_size=12)


@given(scores, st.data(), st.floats(0, 5))
def test_rankings_stay_rankings(values: list[float], data: st.DataObject, weight: float) -> None:
    ranking = Ranking(np.arange(len(values)) * 3, np.array(sorted(values, reverse=True)))
    some = data.draw(st.sets(st.sampled_from(ranking.rows.tolist())))
    shares = data.draw(st.lists(st.floats(0, 1), min_size=len(some), max_size=len(some)))
    reached = Mass(np.array(sorted(some), np.int64), np.array(shares))
    new, parts = linked(ranking, data.draw(st.integers(1, 20)), reached, weight)
    assert sorted(new.rows.tolist()) == ranking.rows.tolist()
    assert np.all(np.diff(new.scores) <= 0)
    assert new.rows[0] == ranking.rows[0]
    assert np.allclose(parts.score + parts.link, new.scores)
    old = dict(zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True))
    assert all(new.scores[i] >= old[int(row)] - 1e-9 for i, row in enumerate(new.rows))


@given(tables)
def test_walks_are_the_same_each_time(table: list[set[int]]) -> None:
    begin = Mass(np.arange(len(table)), np.full(len(table), 1 / len(table)))
    first, again = (reach(links_of(table), begin) for _ in range(2))
    assert np.array_equal(first.shares, again.shares)
