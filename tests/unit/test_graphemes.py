import numpy as np
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.chunk.graphemes import Graphemes

PARTS = st.sampled_from(
    ["a", " ", "\r", "\n", "\r\n", "\u0301", "\u200d", "\U0001f468", "\U0001f1ea", "\u1112",
     "\u1161", "\u11ab", "각", "\u0600", "\u0903", "\u0915", "\u094d", "\u200b",
     "\ufe0f", "é", "\u0e33"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=30).map("".join) | st.text(max_size=20))
@example("a\u0301\r\n\u0301")
@example("\U0001f1ea\U0001f1f8\U0001f1ea\U0001f1f8")
def test_bounds_are_those_of_regex(text: str) -> None:
    starts = [m.start() for m in regex.finditer(r"\X", text)] + [len(text)]
    graphemes = Graphemes(text)
    for at in range(len(text) + 1):
        left = max(start for start in starts if start <= at)
        assert graphemes.left_of(at) == left
        assert graphemes.left(np.asarray([at], np.int64)).tolist() == [left]
        assert graphemes.right_of(at) == min(start for start in starts if start >= at)


def test_an_accent_on_a_blank_keeps_the_blank() -> None:
    text = "  \u0301a  "
    assert Graphemes(text).trim(text, 0, len(text)) == (1, 4)
    assert Graphemes(" \n ").trim(" \n ", 0, 3) == (0, 0)
