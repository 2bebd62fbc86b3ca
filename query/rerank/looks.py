"""One look at the candidates, or two: a dear reranker reads only the best of what a cheap one ordered."""

from index.reader import GenerationReader
from kb.registry import load
from kb.settings import QuerySettings
from query.first_stage import Found
from query.hits import Trail
from query.question import Question
from query.ranking import Ranking, continued
from query.rerank.again import best_places, look_again
from query.rerank.base import Reranker
from query.rerank.blend import Blend, blend
from query.retrieve import MODES

# Whoever reads a question and a passage together knows what another language says without help. What it
# is given to read had better hold more of the question's own language, where the answer is more often:
# on a collection of both, paraphrases gain .02 to .03 and questions in the other language lose .01 to .02.
_GAP_READ = 0.75


class Looks:
    """A reranker, with late interaction before it where it looks again.

    Late interaction needs its vectors at hand, and a purely lexical question is to load no embedder:
    without either, the fused order is the first look.
    """

    def __init__(
        self, reranker: Reranker, settings: QuerySettings, reader: GenerationReader
    ) -> None:
        self._reranker, self._settings, self._reader = reranker, settings, reader
        self._first = reranker
        if reranker.looks_again:
            late = "dense" in MODES[settings.mode] and reader.tokens is not None
            self._first = load("reranker", "maxsim" if late else "none")(settings)

    @property
    def needs_tokens(self) -> bool:
        """Whether the question is to be embedded with token vectors."""
        return self._first.needs_tokens or self._reranker.needs_tokens

    @property
    def gap_share(self) -> float:
        """See `Question`."""
        return _GAP_READ if self._reranker.looks_again else 1.0

    def rerank(self, question: Question, found: Found) -> Trail:
        """The first stage's ranking with its best in a better order. Raises as `Reranker.score`."""
        fused = found.fused
        if self._settings.rerank == "none" or len(fused.ranking) == 0:
            return Trail(found.legs, fused, None, fused.ranking)
        pool = fused.ranking.top(_pool(self._settings))
        blended = self._blend(question, pool)
        order = blended.order
        reranked = Ranking(pool.rows[order], blended.total[order])
        return Trail(found.legs, fused, blended, continued(reranked, fused.ranking, len(pool)))

    def _blend(self, question: Question, pool: Ranking) -> Blend:
        """Parts of the final scores of a pool of at least one candidate, in its order."""
        reader = self._reader
        judged = self._first.score(question, pool.rows, reader)
        vectors = reader.vectors_of(pool.rows)
        blended = blend(judged, pool.scores, vectors, self._settings)
        if not self._reranker.looks_again:
            return blended
        read = best_places(blended, self._settings.cross_encoder_depth)
        again = self._reranker.score(question, pool.rows[read], reader)
        return look_again(blended, read, again.scores, self._settings)


def _pool(settings: QuerySettings) -> int:
    """How many candidates the reranker looks at, or what orders them for it."""
    match settings.rerank:
        case "llm":
            return min(settings.rerank_depth, settings.llm_depth)
        case "cross-encoder":
            return settings.cross_encoder_pool
        case _:
            return settings.rerank_depth
