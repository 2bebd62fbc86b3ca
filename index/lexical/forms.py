"""A surface token into the forms it is indexed under: whole and in parts.

``getUserName`` and ``get_user_name`` → getusername, get, user, name. ``multi-agent`` → multiagent,
multi, agent. ``kb/models/embedder.py`` → itself, kb, models, embedder.py, embedder, py.
``HTTP-403`` → itself, http, 403. ``1,000`` and ``1.000`` → themselves, 1000.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["word", "whole", "part"]

_SEGMENT = re.compile(r"::|->|[/\\@:&]")
_WORD = re.compile(r"[.\-',]")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_NAMES = frozenset({"US", "IT", "WHO", "AND", "OR", "NOT"})  # in capitals no function words
_LONG = 3  # letters or digits: python3 and 1990s are cut, h264 and v2 are not


class Form(NamedTuple):
    """A casefolded spelling, accents still on.

    ``word`` stands in the text between blanks or joints, ``part`` inside a word; both may be stop
    words and are stemmed. ``whole`` is taken as it is.
    """

    text: str
    kind: Kind


def forms(surface: str) -> list[Form]:
    """All forms of a surface token, the most specific first, without duplicates."""
    if surface in _NAMES:
        return [Form(surface.casefold(), "whole")]
    if surface.isalpha() and (surface[1:].islower() or surface.isupper() or len(surface) == 1):
        return [Form(surface.casefold(), "word")]
    return list(dict.fromkeys(_compound(surface)))


def _compound(surface: str) -> Iterator[Form]:
    bare = surface[:-2] if surface[-2:] in ("'s", "'S") else surface
    core = bare.strip("-.+#")
    if bare != core:
        yield Form(bare.casefold(), "whole")
    if _GROUPED.fullmatch(core):
        yield Form(core, "whole")
        yield Form(re.sub(r"[.,]", "", core), "whole")
        return
    if _INITIALS.fullmatch(core):
        yield Form(core.replace(".", "").casefold(), "whole")
        return
    segments = _SEGMENT.split(core)
    if len(segments) > 1:
        yield Form(core.casefold(), "whole")
    for segment in segments:
        yield from _segment(segment)


def _segment(segment: str) -> Iterator[Form]:
    words = [w for w in _WORD.split(segment) if w]
    if _HYPHENATED.fullmatch(segment):
        yield Form(segment.replace("-", "").casefold(), "word")
    elif len(words) > 1:
        yield Form(segment.casefold(), "whole")
    for word in words:
        # l'home, d'Antoni, don't: the letter beside the apostrophe is no word.
        if len(word) > 1 or "'" not in segment:
            yield from _word(word)


def _word(word: str) -> Iterator[Form]:
    pieces = split_identifier(word)
    joined = "".join(pieces) if "_" in word else word
    if len(pieces) < 2:
        yield Form((joined or word).casefold(), "word")
        return
    yield Form(joined.casefold(), "whole")
    for piece in pieces:
        yield Form(piece.casefold(), "part")


def split_identifier(word: str) -> list[str]:
    """Cut at underscores, at a change of case and where long runs of letters and digits meet.

    ``parseHTTPResponse`` → parse, HTTP, Response. ``_cache_1990s`` → cache, 1990, s.
    """
    pieces: list[str] = []
    start = 0
    for i in range(1, len(word) + 1):
        if i == len(word) or _cut(word, start, i):
            piece = word[start:i].strip("_")
            if piece:
                pieces.append(piece)
            start = i
    return pieces


def _cut(word: str, start: int, i: int) -> bool:
    a, b = word[i - 1], word[i]
    if a == "_" or b == "_":
        return True
    if a.isdigit() != b.isdigit():
        return i - start >= _LONG
    if a.islower() and b.isupper():
        return True
    return a.isupper() and b.isupper() and word[i + 1 : i + 2].islower()
