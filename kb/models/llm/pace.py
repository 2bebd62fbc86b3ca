"""No more requests and tokens a minute than the provider allows."""

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

_MINUTE = 60.0


class Pace:
    """In any 60 seconds at most so many requests, and so many tokens; 0: no limit.

    A request of more tokens than a minute's is let through when nothing else was sent within one.
    """

    def __init__(
        self,
        requests: int,
        tokens: int,
        sleep: Callable[[float], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._requests = requests
        self._tokens = tokens
        self._sleep = sleep
        self._clock = clock
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = Lock()

    def wait(self, tokens: int) -> None:
        """Wait until a request of so many tokens may be sent, and count it."""
        while seconds := self._try(tokens):
            self._sleep(seconds)

    def _try(self, tokens: int) -> float:
        with self._lock:
            now = self._clock()
            while self._sent and self._sent[0][0] <= now - _MINUTE:
                self._sent.popleft()
            if self._fits(tokens):
                self._sent.append((now, tokens))
                return 0.0
            return max(self._sent[0][0] + _MINUTE - now, 1e-3)

    def _fits(self, tokens: int) -> bool:
        if not self._sent:
            return True
        if self._requests and len(self._sent) >= self._requests:
            return False
        return not self._tokens or sum(n for _, n in self._sent) + tokens <= self._tokens
