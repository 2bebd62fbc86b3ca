"""Text of others inside a prompt: fenced, and without anything that could pass for the fence.

A bracket that opens what reads as one of the reserved tags becomes ``[``, whatever it is spelled with:
another case, look-alike letters and brackets, blanks and invisible signs in between, HTML entities.
Replacing it (not deleting the tag) leaves nothing that could close up to a new one.
"""

import re
import unicodedata

TAGS = ("passage", "document", "chunk", "text", "community", "question", "system", "instructions")
# Signs that read as "<" and that NFKC does not fold to it.
_OPENING = (
    "<\u2039\u2329\u27e8\u3008\u276e\u276c\u2770\u02c2\u1438\u227a\u226a\u00ab\u300a\u29fc\u2329"
)
_BRACKET = re.compile(rf"[{_OPENING}\uff1c\ufe64]|&(?:lt|#0*60|#[xX]0*3[cC]);?", re.IGNORECASE)
_LETTERS = str.maketrans(
    "аеорсухѕіјԁһԛԍкмтвпӏɡαορνικτυεχηɑɩıℓοսոհցքзь",
    "aeopcyxsijdhqgkmtbnlgaopviktuexnaiilounhgqzb",
)
_FAR = 64  # signs behind a bracket that are looked at: a tag with blanks and such inside


def fenced(tag: str, text: str, **attributes: str | int) -> str:
    """``<tag name="value">``, the text without look-alikes of a fence, ``</tag>``."""
    named = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{named}>\n{defused(text)}\n</{tag}>"


def defused(text: str) -> str:
    """The text, in which no reserved tag opens or closes."""
    parts: list[str] = []
    last = 0
    for found in _BRACKET.finditer(text):
        if _opens_tag(text[found.end() : found.end() + _FAR]):
            parts += (text[last : found.start()], "[")
            last = found.end()
    return "".join(parts) + text[last:]


def _opens_tag(behind: str) -> bool:
    """Whether what stands behind a bracket reads as a reserved tag."""
    read = _letters(behind)
    return read.startswith(TAGS)


def _letters(text: str) -> str:
    """Letters only, each as what it looks like."""
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
    return "".join(c for c in plain if c.isascii() and c.isalpha())
