"""The bill never passes a cap, however many calls are under way."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import BudgetReached
from kb.models.llm.base import Block, Call, Prompt, Reply, Usage
from kb.models.llm.budget import Budget, Caps, Cost
from kb.models.llm.counting import most
from kb.models.llm.prices import Price
from kb.models.llm.spending import Spending

# What each call may cost at worst, the share of it that it does cost, and whether it is refused.
CALLS = st.lists(st.tuples(st.integers(1, 100), st.floats(0, 1), st.booleans()), max_size=24)
CAP = st.none() | st.integers(0, 400)


@settings(max_examples=60, deadline=None)
@given(CALLS, CAP, CAP, st.none() | st.integers(0, 12), st.integers(1, 6))
def test_no_cap_is_passed(
    calls: list[tuple[int, float, bool]],
    money: int | None,
    tokens: int | None,
    number: int | None,
    threads: int,
) -> None:
    budget = Budget(Caps(number, tokens, money))
    bill, lock = [0, 0, 0], threading.Lock()  # calls, tokens, money

    def work(call: tuple[int, float, bool]) -> bool:
        worst, share, refused = call
        try:
            budget.reserve(Cost(worst, 2 * worst))
        except BudgetReached:
            return False
        actual = None if refused else Cost(int(worst * share), int(2 * worst * share))
        if actual is not None:
            with lock:
                bill[0] += 1
                bill[1] += actual.tokens
                bill[2] += actual.picodollars or 0
                assert number is None or bill[0] <= number
                assert tokens is None or bill[1] <= tokens
                assert money is None or bill[2] <= money
        budget.settle(Cost(worst, 2 * worst), actual)
        return True

    with ThreadPoolExecutor(threads) as pool:
        made = list(pool.map(work, calls))
    assert (budget.calls, budget.tokens, budget.picodollars) == tuple(bill)
    # Stopped only where the call really would not fit once all others were settled.
    for (worst, _, _), was_made in zip(calls, made, strict=True):
        if not was_made and threads == 1:
            assert number is not None or tokens is not None or money is not None
        if (number, tokens, money) == (None, None, None):
            assert was_made
        if not was_made and number is None and money is None and tokens is not None:
            assert bill[1] + worst > tokens


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=80), st.integers(1, 200), st.floats(0, 1)), max_size=16),
    st.integers(0, 4000),
    st.integers(1, 5),
)
def test_no_bill_passes_the_cap_in_money(
    calls: list[tuple[str, int, float]], millionths: int, threads: int
) -> None:
    """Whatever a server counts, as long as no token has less than a byte."""
    price = Price(input=2.0, cache_write=2.5, output=8.0, date=date(2026, 11, 1))
    cap = millionths * 10**6
    spending = Spending(Budget(Caps(picodollars=cap)), None, price, "m")
    bills: list[int] = []

    def work(asked: tuple[str, int, float]) -> None:
        text, most_output, share = asked
        call = Call(Prompt("s", "1", "", (Block(text),), most_output), None, most_output)
        read = int(most(call) * share)
        usage = Usage(read, int(most_output * share), written=read)

        def send() -> Reply:
            bills.append(price.of(usage))
            return Reply("", "stop", usage)

        with contextlib.suppress(BudgetReached):
            spending.spend(call, send)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, calls))
    assert sum(bills) == spending.budget.picodollars <= cap


def test_a_call_waits_for_others_rather_than_give_up() -> None:
    budget = Budget(Caps(tokens=100))
    budget.reserve(Cost(80, 0))
    done: list[str] = []

    def second() -> None:
        budget.reserve(Cost(50, 0))
        done.append("reserved")

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(0.1)
    assert not done
    budget.settle(Cost(80, 0), Cost(30, 0))
    thread.join(5)
    assert done
    with pytest.raises(BudgetReached, match="80 tokens were used, the next call may take 30"):
        budget.settle(Cost(50, 0), Cost(50, 0))
        budget.reserve(Cost(30, 0))


def test_an_interrupted_run_does_not_wait() -> None:
    budget = Budget(Caps(calls=1))
    budget.reserve(Cost(1, 0))
    threading.Timer(0.05, budget.stop).start()
    with pytest.raises(KeyboardInterrupt):
        budget.reserve(Cost(1, 0))
