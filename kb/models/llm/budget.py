"""Caps that hold: what a call may cost at worst is set aside before it is made."""

from dataclasses import dataclass
from threading import Condition

from kb.errors import BudgetReached
from kb.models.llm.prices import PER_DOLLAR

_LOOK_SECONDS = 0.2  # how soon a thread that waits sees that the run is to stop


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one call."""

    tokens: int
    picodollars: int | None  # None: unknown


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that a run may spend; None: no cap."""

    calls: int | None = None
    tokens: int | None = None
    picodollars: int | None = None


class Budget:
    """Adds up what was spent and what is under way; shared by threads.

    Spent and set aside together never pass a cap, so neither does the bill, as long as no call costs
    more than was set aside for it.

    Args:
        caps: of this budget.
        within: one that several share, whose caps hold for them together.
    """

    def __init__(self, caps: Caps, within: "Budget | None" = None) -> None:
        self._caps = caps
        self._within = within
        self._change = Condition()
        self._under_way = 0
        self._stopped = False
        self.calls = 0  # these three with what is under way
        self.tokens = 0
        self.picodollars = 0

    def reserve(self, worst: Cost) -> None:
        """Set a call's worst cost aside. Waits where calls under way may leave enough.

        Raises:
            BudgetReached: a cap is too near.
            KeyboardInterrupt: the run is to stop.
        """
        if self._within is not None:
            self._within.reserve(worst)
        try:
            self._reserve(worst)
        except BaseException:
            if self._within is not None:
                self._within.settle(worst, None)
            raise

    def _reserve(self, worst: Cost) -> None:
        with self._change:
            while near := self._too_near(worst):
                if not self._under_way:
                    raise BudgetReached(near)
                self._change.wait(_LOOK_SECONDS)
                if self._stopped:
                    raise KeyboardInterrupt
            self._add(1, worst.tokens, worst.picodollars or 0)
            self._under_way += 1

    def settle(self, worst: Cost, actual: Cost | None) -> None:
        """The call is over; `actual` None: nothing is charged for it."""
        if self._within is not None:
            self._within.settle(worst, actual)
        spent = actual or Cost(0, 0)
        with self._change:
            self._under_way -= 1
            self._add(
                0 if actual else -1,
                spent.tokens - worst.tokens,
                (spent.picodollars or 0) - (worst.picodollars or 0),
            )
            self._change.notify_all()

    def stop(self) -> None:
        """Have nobody wait any longer."""
        if self._within is not None:
            self._within.stop()
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def _add(self, calls: int, tokens: int, picodollars: int) -> None:
        self.calls += calls
        self.tokens += tokens
        self.picodollars += picodollars

    def _too_near(self, worst: Cost) -> str:
        caps = self._caps
        if caps.calls is not None and self.calls + 1 > caps.calls:
            made = "1 call was made" if self.calls == 1 else f"{self.calls:,} calls were made"
            return _told(made, f"{caps.calls:,}", "calls")
        if caps.tokens is not None and self.tokens + worst.tokens > caps.tokens:
            spent = f"{self.tokens:,} tokens were used, the next call may take {worst.tokens:,}"
            return _told(spent, f"{caps.tokens:,}", "tokens")
        money = worst.picodollars or 0
        if caps.picodollars is not None and self.picodollars + money > caps.picodollars:
            spent = f"{usd(self.picodollars)} were spent, the next call may cost {usd(money)}"
            return _told(spent, usd(caps.picodollars), "usd")
        return ""


class Allowance:
    """How many calls one question may make."""

    def __init__(self, calls: int) -> None:
        self._left = calls
        self._lock = Condition()

    @property
    def left(self) -> int:
        """How many more."""
        with self._lock:
            return max(self._left, 0)

    def take(self) -> bool:
        """Use one up; False where none is left."""
        with self._lock:
            self._left -= 1
            return self._left >= 0


def usd(picodollars: int) -> str:
    """Money for people: cents, or as many places as a small sum needs."""
    amount = picodollars / PER_DOLLAR
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.3g}"


def _told(spent: str, cap: str, name: str) -> str:
    return (
        f"the budget is reached: {spent}, the cap is {cap} (--max-{name}); what was paid for is "
        "kept: run it again to go on, or with a higher cap"
    )
