"""The sign before each description, by which a reader knows a model's words from a document's."""

import re
from collections.abc import Collection

KIND = "description"
_MARKS = {"es": "Descrito por", "en": "Described by"}
_MARK = re.compile(rf"\[(?:{'|'.join(_MARKS.values())}) ([^\]\n]+)\]")


def mark_of(model: str, language: str) -> str:
    """``[Described by MODEL]``, in Spanish where the document is."""
    name = " ".join(model.replace("[", "(").replace("]", ")").split())
    return f"[{_MARKS['es' if language == 'es' else 'en']} {name}]"


def describer_in(text: str, kinds: Collection[str]) -> tuple[str, bool]:
    """The model whose words are in a chunk, and whether they are all of it; "" where none are.

    The kinds of a chunk tell, so that no text can pass for a description by its looks.
    """
    if KIND not in kinds:
        return "", False
    found = _MARK.search(text)
    return (found[1] if found else "a model"), set(kinds) == {KIND}
