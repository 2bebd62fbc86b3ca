r"""``--where``: a small language for conditions on metadata; never evaluated as code.

    condition = all of them joined: a or b, a and b, not a, ( a )
    comparison = FIELD = VALUE, also != < <= > >=
               | FIELD in (VALUE, …)
               | FIELD contains VALUE
               | exists(FIELD)

FIELD is a name such as ``status``, ``valid-from`` or, inside a mapping, ``author.name``; one with
blanks or one that is a keyword stands between backticks. VALUE is a text in quotes, double or single
(``\"`` and ``\\`` inside), a number, a date ``2024-06-01`` or true / false. Keywords, field names and
texts are compared without regard to case.

What a comparison means is said in `index.where.values`; missing fields in
`index.where.nodes`.
"""

from index.where.nodes import Node
from index.where.parser import parse

__all__ = ["Node", "parse"]
