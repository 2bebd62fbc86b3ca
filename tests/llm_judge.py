"""A server that plays the LLM of the question side: it judges by shared words, and rewords by rote."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kb.models.llm.llm import Llm
from tests.llm_making import make
from tests.llm_server import Said, Server, openai, serving, text_of

_PASSAGE = re.compile(r'<passage n="(\d+)">\n(.*?)\n</passage>', re.DOTALL)
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def verdicts(body: dict[str, Any]) -> list[dict[str, Any]]:
    """One a passage: the share of the question's words that it holds."""
    text = text_of(body)
    question = words(_QUESTION.findall(text)[-1])
    return [
        {"passage": int(n), "score": len(question & words(passage)) / max(len(question), 1)}
        for n, passage in _PASSAGE.findall(text)
    ]


def judge(body: dict[str, Any]) -> Said:
    """What a good model would answer."""
    text = text_of(body)
    question = _QUESTION.findall(text)[-1]
    if "<passage n=" in text:
        answer: dict[str, Any] = {"verdicts": verdicts(body)}
    elif '"queries"' in text:
        answer = {"queries": [f"pump {question}", "pozo", question]}
    elif '"passage"' in text:
        answer = {"passage": "El pozo está seco."}
    else:
        answer = {"question": "bomba"}
    return 200, {}, openai(json.dumps(answer, ensure_ascii=False))


@contextmanager
def judging(home: Path, **settings: Any) -> Iterator[tuple[Server, Llm]]:
    """The server and an LLM that asks it; its cache and ledger are in `home`."""
    with serving(judge) as server:
        llm = make(home, server.url, **settings)
        try:
            yield server, llm
        finally:
            llm.close()
