"""A test set for a knowledge base that has none yet."""

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.location import Location
from kb.models.embedder import Embedder
from query.evaluate.generate.documents import documents_of
from query.evaluate.generate.make import make
from query.evaluate.generate.write import manifest_of, write_set
from query.evaluate.held import Mask
from query.evaluate.testset import kept_folder

SEED = 1


def make_questions(
    location: Location,
    reader: GenerationReader,
    embedder: Embedder,
    live: Mask | None,
    count: int,
) -> int:
    """Make questions as ``tesela eval gen`` does, and keep them where it would.

    Args:
        location: of the KB.
        reader: its current generation.
        embedder: of the settings.
        live: rows that may answer, bool (n,); None for all.
        count: how many are wanted.

    Returns:
        How many there are.

    Raises:
        UsageError: the documents give none.
    """
    documents = documents_of(location, reader, live, SEED)
    drafts = make(documents, count, SEED, lambda words: embedder.embed(words, "query")).drafts
    if not drafts:
        raise UsageError(
            "no question could be made: the documents hold no sentences in Spanish or English that "
            "say enough; give a test set with --queries and --qrels"
        )
    manifest = manifest_of(drafts, SEED, reader.manifest.number, "")
    write_set(kept_folder(location), drafts, manifest)
    return len(drafts)
