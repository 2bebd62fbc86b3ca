"""An LLM of the tests' own that situates chunks, with the faults of real ones on order."""

import json
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.llm_server import Said, openai, text_of

_CHUNK = re.compile(r"<chunk>\n(.*?)\n</chunk>", re.DOTALL)


def context_of(chunk: str) -> str:
    """What it says of a chunk."""
    words = re.findall(r"\w+", chunk)
    return f"Situated: the part that begins with {' '.join(words[:3])}."


@dataclass
class Situates:
    """Answers for any chunk; every n-th call fails as `faults` say."""

    faults: dict[str, int] = field(default_factory=dict)  # 429, cut, wrap, empty → n
    refuses: str = ""  # a chunk with this word is refused for good
    good: Counter[str] = field(default_factory=Counter)  # whole answers that were given, by chunk
    calls: int = 0
    lock: Any = field(default_factory=threading.Lock)

    def __call__(self, body: dict[str, Any]) -> Said:
        prompt = text_of(body)
        chunk = _CHUNK.findall(prompt)[-1]
        last = prompt.rstrip().endswith("</chunk>") or "An earlier answer" in prompt
        assert last and prompt.count("<chunk>") == 1, "the chunk comes last, and once"
        with self.lock:
            self.calls += 1
            hit = {kind for kind, every in self.faults.items() if self.calls % every == 0}
        if "429" in hit:
            return 429, {"Retry-After": "0"}, {"error": {"message": "rate limited"}}
        if self.refuses and self.refuses in chunk:
            return 422, {}, {"error": {"message": "this text is not taken"}}
        text = context_of(chunk)
        if "wrap" in hit:
            text = f"Here is the output:\n```json\n{text}\n```\nHope it helps!"
        if "empty" in hit:
            return 200, {}, openai("")
        if "cut" in hit:
            return 200, {}, openai(text[: len(text) * 2 // 3], "length")
        with self.lock:
            self.good[chunk] += 1
        return 200, {}, openai(text)


def encoded(lines: list[dict[str, Any]]) -> bytes:
    """JSON lines."""
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
