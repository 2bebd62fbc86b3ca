"""Why a document or a chunk is not among the hits, and what would bring it.

`why_not` goes the way of a question: is it indexed (`unindexed`), do filters, validity and operators let
it through (`kept_out`), how far does each leg, the fusion and the rerank rank it (`standing`), which
step between ranking and hits drops it, and which single change brings it (`changes`), tried.
"""

from query.why_not.runs import Asking, Way
from query.why_not.verdict import Verdict
from query.why_not.why_not import why_not

__all__ = ["Asking", "Verdict", "Way", "why_not"]
