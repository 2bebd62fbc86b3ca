from kb.models.load import load_embedder
from kb.registry import load
from kb.settings import ChunkSettings, EmbedSettings
from tests.chunking import check, plain, slices

GARDEN = (
    "Los tomates necesitan mucho sol y riego cada mañana. El abono se echa en primavera. "
    "Las hojas amarillas indican falta de nitrógeno. Conviene podar los brotes laterales. "
)
SQL = (
    "A transaction groups several statements into one unit. The database writes a log first. "
    "If the server crashes, the log is replayed. An index speeds up queries on a column. "
)


def test_the_real_model_finds_the_turn() -> None:
    embedder = load_embedder(EmbedSettings())
    settings = ChunkSettings(strategy="semantic", size=200, min_size=20)
    chunker = load("chunker", "semantic")(
        settings, embedder.tokenizer, lambda texts: embedder.embed(texts, "passage")
    )
    doc = plain(GARDEN + SQL)
    spans = chunker.split(doc)
    check(doc, spans, 200)
    assert slices(doc, spans) == [GARDEN.strip(), SQL.strip()]
    assert spans == chunker.split(doc)
