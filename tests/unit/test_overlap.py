import pytest

from ingest.chunk.overlap import resolve_overlap
from kb.errors import UsageError
from kb.registry import load, names
from kb.settings import ChunkSettings
from tests.chunking import bag_of_words, tokenizer


@pytest.mark.parametrize(
    ("overlap", "size", "tokens"),
    [
        (0, 100, 0),
        (20, 100, 20),
        ("15%", 100, 15),
        ("15%", 256, 38),
        ("12.5 %", 80, 10),
        ("7", 9, 7),
    ],
)
def test_tokens_or_a_share(overlap: int | str, size: int, tokens: int) -> None:
    assert resolve_overlap(ChunkSettings(size=size, overlap=overlap)) == tokens


BAD = [
    ({"size": 100, "overlap": 100}, "smaller than chunk size"),
    ({"size": 100, "overlap": 150}, "smaller than chunk size"),
    ({"size": 100, "overlap": "100%"}, "smaller than chunk size"),
    ({"size": 100, "overlap": -1}, "0 or more"),
    ({"size": 100, "overlap": "-5%"}, "0 or more"),
    ({"size": 0}, "8 to 8192 tokens, not 0"),
    ({"overlap": "many"}, "'many'"),
    ({"overlap": "nan%"}, "'nan%'"),
    ({"overlap": "inf%"}, "'inf%'"),
    ({"size": 100, "min_size": 101}, "min_size"),
    ({"threshold": -0.5}, "0 to 100"),
    ({"threshold": 90.0, "threshold_kind": "absolute"}, "-1 to 1"),
]


@pytest.mark.parametrize("name", names("chunker"))
@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_sizes_are_refused_before_any_work(
    name: str, settings: dict[str, int], message: str
) -> None:
    made = ChunkSettings(**settings)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=message):
        resolve_overlap(made)
    with pytest.raises(UsageError, match=message):
        load("chunker", name)(made, tokenizer(), bag_of_words)
