"""Text of others inside a prompt: fenced, and without anything that could pass for the fence.

A bracket that opens what reads as one of the reserved tags becomes ``[``, whatever it is spelled with:
another case, look-alike letters and brackets, blanks and invisible signs in between, escapes of HTML,
URLs and JSON. So does the bracket of the marks by which chat models tell turns apart (``<|im_start|>``,
``[INST]``): some servers read them in a message, too. Replacing it (not deleting the tag) leaves nothing
that could close up to a new one. Signs that show nothing, in which words can be hidden from people and not
from a model, are taken out.
"""

import re
import unicodedata

TAGS = ("passage", "document", "chunk", "text", "community", "question", "system", "instructions")
_TURNS = ("startofturn", "endofturn", "sys", "bos", "eos", "endoftext", "imstart", "imend")
# Signs that read as "<" and that NFKC does not fold to it.
_OPENING = (
    "<\u2039\u2329\u27e8\u3008\u276e\u276c\u2770\u02c2\u1438\u227a\u226a\u00ab\u300a\u29fc\u2329"
)
_BRACKET = re.compile(
    rf"[{_OPENING}\uff1c\ufe64]|&(?:lt|#0*60|#[xX]0*3[cC]);?|%3[cC]|\\u003[cC]|\\x3[cC]",
    re.IGNORECASE,
)
_LETTERS = str.maketrans(
    "аеорсухѕіјԁһԛԍкмтвпӏɡαορνικτυεχηɑɩıℓοսոհցքзьᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "aeopcyxsijdhqgkmtbnlgaopviktuexnaiilounhgqzbabcdeghijklmnoprstuvwyz",
)
_FAR = 4096  # signs behind a bracket that are looked at: a tag with blanks and such inside
_LONGEST = max(map(len, (*TAGS, *_TURNS)))
_INST = re.compile(r"\[(?=\s*/?\s*INST\s*\])", re.IGNORECASE)
# Zero-width space and joiners of words, marks of direction, and the alphabets without a shape (tags,
# variation selectors beyond the usual 16). The joiners within Persian words and emoji stay.
HIDDEN = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff\x00-\x08\x0e-\x1f\x7f-\x9f]"
)


def fenced(tag: str, text: str, **attributes: str | int) -> str:
    """``<tag name="value">``, the text without look-alikes of a fence, ``</tag>``."""
    named = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    return f"<{tag}{named}>\n{defused(text)}\n</{tag}>"


def defused(text: str) -> str:
    """The text without hidden signs, in which no reserved tag opens or closes, nor a turn."""
    text = _INST.sub("(", HIDDEN.sub("", text))
    parts: list[str] = []
    last = 0
    for found in _BRACKET.finditer(text):
        if _opens_tag(text[found.end() : found.end() + _FAR]):
            parts += (text[last : found.start()], "[")
            last = found.end()
    return "".join(parts) + text[last:]


def looks_like(letter: str) -> str:
    """The Latin letter that another looks like; itself where there is none."""
    return letter.translate(_LETTERS)


def _attribute(value: str | int) -> str:
    """In one line and without what could end it."""
    return " ".join(defused(str(value)).replace('"', "'").replace(">", "]").split())


def _opens_tag(behind: str) -> bool:
    """Whether what stands behind a bracket reads as a reserved tag, or as the mark of a turn."""
    first = unicodedata.normalize("NFKD", behind.lstrip()[:1])
    if first.startswith("|"):
        return True
    read = _letters(behind)
    if read.startswith((*TAGS, *_TURNS)):
        return True
    return re.match(r"\s*/?\s*s\s*>", behind) is not None  # of Llama and Mistral


def _letters(text: str) -> str:
    """The first letters, each as what it looks like, and nothing else."""
    read = ""
    for start in range(0, len(text), 64):
        piece = unicodedata.normalize("NFKD", text[start : start + 64]).casefold()
        read += "".join(c for c in piece.translate(_LETTERS) if c.isascii() and c.isalpha())
        if len(read) >= _LONGEST:
            break
    return read
