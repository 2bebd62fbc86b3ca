"""Which words a document keeps coming back to, and which of them a chunk is told."""

from ingest.contextualize.key_terms import KeyTerms
from kb.records import Chunk

TEXT = (
    "La Turbina del molino. La turbina gira; otra turbina espera.\n"  # turbina 3
    "Sello, sello, sello y sello. Sobre el eje y sobre la base, sobre todo.\n"  # sello 4, sobre 3
    "Un canal y dos: canal.\n"  # canal 2
)


def chunk(text: str) -> Chunk:
    return Chunk("c", "d", "a.md", 0, len(text), text)


def test_frequent_words_that_the_chunk_lacks_as_they_are_first_written() -> None:
    # sello 4 times = 3 bits, turbina 3 times = 2 bits; canal is said too rarely, sobre is no key.
    assert KeyTerms(TEXT).lacking(chunk("El eje."), "") == ["Sello", "Turbina"]
    assert KeyTerms(TEXT).lacking(chunk("TURBINA nueva."), "") == ["Sello"]
    assert KeyTerms(TEXT).lacking(chunk("El eje."), "El sello del molino") == ["Turbina"]


def test_a_word_said_once_more_changes_nothing_within_a_power_of_two() -> None:
    words = [f"palabra{letter}" for letter in "abcdefgh"]
    before = " ".join(word for n, word in enumerate(words) for _ in range(4 + n % 3))
    after = f"{before} palabraa"  # 4 → 5
    told = [KeyTerms(text).lacking(chunk("x"), "") for text in (before, after)]
    assert told[0] == told[1] == words[:3]
