"""Sets of words, written as text."""


def word_set(words: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(words.split())
