"""What a run would ask, and what that would cost."""

from threading import Lock

from kb.models.llm.budget import usd


class Plan:
    """Adds up calls that were not made; shared by threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.calls = 0
        self.prompt = 0  # tokens, estimated
        self.completion = 0  # tokens, at most
        self.picodollars: int | None = 0  # None: a price is not known

    def add(self, prompt: int, completion: int, picodollars: int | None) -> None:
        """One more call."""
        with self._lock:
            self.calls += 1
            self.prompt += prompt
            self.completion += completion
            if self.picodollars is not None:
                self.picodollars = None if picodollars is None else self.picodollars + picodollars

    def include(self, other: "Plan") -> None:
        """All calls of another plan."""
        with self._lock:
            self.calls += other.calls
            self.prompt += other.prompt
            self.completion += other.completion
            known = self.picodollars is not None and other.picodollars is not None
            self.picodollars = (self.picodollars or 0) + (other.picodollars or 0) if known else None

    @property
    def in_words(self) -> str:
        """For people."""
        if not self.calls:
            return "no call to an LLM"
        calls = "1 call" if self.calls == 1 else f"{self.calls:,} calls"
        money = (
            "its price is not known"
            if self.picodollars is None
            else f"about {usd(self.picodollars)} at most"
        )
        return (
            f"{calls} to an LLM, about {self.prompt:,} tokens to read and at most "
            f"{self.completion:,} to write; {money}"
        )
