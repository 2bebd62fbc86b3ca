"""A heading that is cut because it is long is cut like any other text: nothing blank at its end."""

from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.sections import MAX_TITLE, Sections

WORDS = st.text("aé", min_size=1, max_size=12)


@given(st.lists(WORDS, min_size=1, max_size=80))
def test_a_title_has_single_blanks_between_words_only(words: list[str]) -> None:
    (title,) = Sections().enter(1, " ".join(words))
    assert title == " ".join(title.split())
    assert len(title) <= MAX_TITLE
    assert " ".join(words).startswith(title)


def test_a_blank_at_the_cut_goes() -> None:
    (title,) = Sections().enter(1, "a" * (MAX_TITLE - 1) + " and more")
    assert title == "a" * (MAX_TITLE - 1)
