"""Money: each call is set aside in the budget and entered in the ledger before it is made."""

from collections.abc import Callable
from dataclasses import dataclass, field

from kb.models.http_errors import Failure
from kb.models.llm.base import Call, Reply, Usage
from kb.models.llm.budget import Budget, Cost, usd
from kb.models.llm.counting import count, estimate, most
from kb.models.llm.ledger import Ledger
from kb.models.llm.prices import Price, dollars

BATCH_DISCOUNT = 2  # OpenAI and Anthropic ask half for what a batch brings


@dataclass(frozen=True, slots=True)
class Spending:
    """What calls of one model cost; shared by threads."""

    budget: Budget
    ledger: Ledger | None  # None: the KB cannot be written
    price: Price | None  # None: not known
    model: str  # as the ledger names it
    answered_free: list[str] = field(default_factory=list)  # stages, one an answer

    def foreseen(self, call: Call, prompt: int) -> tuple[int, int, int | None]:
        """Prompt tokens, the most that the answer may have, and what both cost in picodollars."""
        money = self._cost(Usage(prompt, call.max_output))
        return prompt, call.max_output, money

    def spend(self, call: Call, send: Callable[[], Reply | Failure]) -> Reply | Failure:
        """Make a call, within the caps and on the books.

        A call without an answer stays in both as it was expected: the server may charge for it. One
        that was refused is struck out.

        Raises:
            BudgetReached: its worst cost would pass a cap; it was not made.
        """
        dearest = most(call)
        worst = Cost(
            dearest + call.max_output,
            None if self.price is None else self.price.most(dearest, call.max_output),
        )
        self.budget.reserve(worst)
        actual: Cost | None = worst
        try:
            entry = self._begin(call)
            reply = send()
            if isinstance(reply, Reply):
                actual = self._settle(entry, call, reply)
            elif not reply.perhaps_billed:
                actual = None
                if self.ledger is not None:
                    self.ledger.drop(entry)
        finally:
            self.budget.settle(worst, actual)
        return reply

    def set_aside(self, call: Call) -> None:
        """Reserve what a call of a batch may cost; it stays reserved.

        Raises:
            BudgetReached: it would pass a cap.
        """
        dearest = most(call)
        money = None if self.price is None else self.price.most(dearest, call.max_output)
        worst = Cost(dearest + call.max_output, None if money is None else money // BATCH_DISCOUNT)
        self.budget.reserve(worst)
        self.budget.settle(worst, worst)

    def leave(self, call: Call) -> int:
        """Enter a call that is left with a batch service; returns its number, 0 without a ledger."""
        if self.ledger is None:
            return 0
        expected = Usage(estimate(call), call.max_output)
        return self.ledger.begin(call.prompt.stage, self.model, expected, self._in_batch(expected))

    def arrive(self, entry: int, reply: Reply) -> None:
        """Put in what such a call came to."""
        if self.ledger is not None and entry and reply.usage is not None:
            self.ledger.settle(entry, reply.usage, self._in_batch(reply.usage))

    def strike(self, entry: int) -> None:
        """Strike out one that was not made."""
        if self.ledger is not None and entry:
            self.ledger.drop(entry)

    def _in_batch(self, usage: Usage) -> int | None:
        money = self._cost(usage)
        return None if money is None else money // BATCH_DISCOUNT

    @property
    def in_words(self) -> str:
        """Calls, tokens and money of the run; "" where there were none."""
        spent, parts = self.budget, []
        if spent.calls:
            money = "price unknown" if self.price is None else usd(spent.picodollars)
            calls = "1 call" if spent.calls == 1 else f"{spent.calls:,} calls"
            parts.append(f"{calls}, {spent.tokens:,} tokens, {money}")
        if self.answered_free:
            free = len(self.answered_free)
            parts.append(f"{free:,} {'answer' if free == 1 else 'answers'} from the cache")
        return f"LLM: {'; '.join(parts)}" if parts else ""

    @property
    def in_numbers(self) -> dict[str, int | float | None]:
        """The same for programs; dollars are None where the price is not known."""
        spent = self.budget
        return {
            "calls": spent.calls,
            "tokens": spent.tokens,
            "usd": None if self.price is None else dollars(spent.picodollars),
            "cached_answers": len(self.answered_free),
        }

    def free(self, stage: str) -> None:
        """Count an answer that cost nothing."""
        self.answered_free.append(stage)
        if self.ledger is not None:
            self.ledger.free(stage, self.model)

    def close(self) -> None:
        """Close the ledger."""
        if self.ledger is not None:
            self.ledger.close()

    def _begin(self, call: Call) -> int:
        if self.ledger is None:
            return 0
        expected = Usage(estimate(call), call.max_output)
        return self.ledger.begin(call.prompt.stage, self.model, expected, self._cost(expected))

    def _settle(self, entry: int, call: Call, reply: Reply) -> Cost:
        usage = reply.usage or Usage(estimate(call), count(reply.text))
        money = self._cost(usage)
        if self.ledger is not None:
            self.ledger.settle(entry, usage, money)
        return Cost(usage.prompt + usage.completion, money)

    def _cost(self, usage: Usage) -> int | None:
        return None if self.price is None else self.price.of(usage)
