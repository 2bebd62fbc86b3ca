"""How many tokens a call has: as near as can be told, and at the very most."""

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from kb.errors import Unavailable
from kb.models.llm.base import Call
from kb.models.llm_tokens import count_llm_tokens

_FRAME = 16  # of roles and turns
_FORM = 1024  # what providers may add to tell the model of a schema
_AREA, _SMALLEST = 750, 14 * 14  # pixels of a picture that are one token: usually, at least
_BYTES = 3  # of a token, where the real count is not at hand; a little on the high side


def estimate(call: Call) -> int:
    """Prompt tokens, counted as OpenAI's models do; by bytes without the extra ``llm``.

    A picture takes width times height by 750, as Anthropic has it; others are near that.
    """
    return _count(_text(call)) + _FRAME + _seen(call, _AREA)


def most(call: Call) -> int:
    """Prompt tokens that no tokenizer passes: none makes more tokens than there are bytes.

    Nor do models cut pictures in smaller squares than 14 by 14 pixels. A few bill a picture as many
    times the tokens that it has; only one call can then pass a cap.
    """
    size = len(_text(call).encode("utf-8", "replace")) + 4 * _FRAME + _seen(call, _SMALLEST)
    return size + _FORM if call.schema is not None else size


def count(text: str) -> int:
    """Tokens of a text, as `estimate` counts."""
    return _count(text)


def grouped(texts: Sequence[str], most: int, room: int) -> Iterator[slice]:
    """Neighbours that go into one call: so many texts and tokens at most; a longer text goes alone."""
    start, size = 0, 0
    for i, text in enumerate(texts):
        tokens = count(text)
        if i > start and (i - start == most or size + tokens > room):
            yield slice(start, i)
            start, size = i, 0
        size += tokens
    if texts:
        yield slice(start, len(texts))


def _seen(call: Call, area: int) -> int:
    return sum(_FRAME + -(-p.width * p.height // area) for p in call.prompt.pictures)


def _text(call: Call) -> str:
    form = "" if call.schema is None else msgspec.json.encode(call.schema).decode()
    return "\n".join((call.prompt.text, call.extra, form))


def _count(text: str) -> int:
    if _has_tokenizer():
        return count_llm_tokens(text)
    return -(-len(text.encode("utf-8", "replace")) // _BYTES)


@cache
def _has_tokenizer() -> bool:
    try:
        count_llm_tokens("")
    except Unavailable:
        return False
    return True
