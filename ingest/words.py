"""Sets of words."""


def words(text: str) -> frozenset[str]:
    """The set of the words in `text`, which are parted by blanks."""
    return frozenset(text.split())
