"""Where time goes, by name; what runs inside another is taken off it."""

import contextlib
import time
from collections.abc import Iterator


class Clock:
    """Seconds by stage, in the order the stages were first entered."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since = 0.0

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what happens inside for `name`, and not for the stage around it."""
        self.seconds.setdefault(name, 0.0)
        self._settle()
        self._open.append(name)
        try:
            yield
        finally:
            self._settle()
            self._open.pop()

    def _settle(self) -> None:
        now = time.perf_counter()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now
