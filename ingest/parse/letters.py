"""Letters as people write them: ligatures opened, accents composed."""

import re
import unicodedata

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
_LIGATURE = re.compile("[\ufb00-\ufb06]")


def composed(text: str) -> str:
    """`text` in NFC with Latin ligatures opened, for formats whose text is extracted."""
    if _LIGATURE.search(text):
        text = text.translate(_LIGATURES)
    return unicodedata.normalize("NFC", text)
