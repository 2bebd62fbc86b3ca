"""An LLM of the tests' own that lists entities, with the faults of real ones on order."""

import json
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.llm_server import Said, openai, text_of

_TEXT = re.compile(r"<text>\n(.*?)\n</text>", re.DOTALL)
_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")


def graph_of(text: str) -> dict[str, Any]:
    """What it says of a text: each two words with capitals, the first related to the others."""
    names = list(dict.fromkeys(_NAME.findall(text)))
    return {
        "entities": [
            {"name": name, "type": "person", "description": f"Somebody, number {place}."}
            for place, name in enumerate(names)
        ],
        "relations": [
            {"source": names[0], "relation": "knows", "target": name, "description": "They meet."}
            for name in names[1:]
        ],
    }


@dataclass
class Lists:
    """Answers for any text; every n-th call fails as `faults` say."""

    faults: dict[str, int] = field(default_factory=dict)  # 429, cut, wrap, empty → n
    refuses: str = ""  # a text with this word is refused for good
    more: dict[str, Any] | None = None  # what it adds where it is asked for what was left out
    good: Counter[str] = field(default_factory=Counter)  # whole answers that were given, by text
    calls: int = 0
    lock: Any = field(default_factory=threading.Lock)

    def __call__(self, body: dict[str, Any]) -> Said:
        prompt = text_of(body)
        (text,) = _TEXT.findall(prompt)
        with self.lock:
            self.calls += 1
            hit = {kind for kind, every in self.faults.items() if self.calls % every == 0}
        if "429" in hit:
            return 429, {"Retry-After": "0"}, {"error": {"message": "rate limited"}}
        if self.refuses and self.refuses in text:
            return 422, {}, {"error": {"message": "this text is not taken"}}
        said = graph_of(text)
        if "were listed already" in prompt:
            said = self.more or {"entities": [], "relations": []}
        answer = json.dumps(said)
        if "wrap" in hit:
            answer = f"Here is the output:\n```json\n{answer}\n```\nHope it helps!"
        if "empty" in hit:
            return 200, {}, openai("")
        if "cut" in hit:
            return 200, {}, openai(answer[: len(answer) * 2 // 3])
        with self.lock:
            self.good[text] += 1
        return 200, {}, openai(answer)
