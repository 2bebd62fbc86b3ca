"""From text to a tree, by recursive descent: ``or`` binds least, then ``and``, then ``not``."""

from index.where.nodes import And, Compare, Contains, Exists, In, Node, Not, Or
from index.where.tokens import Token, tokens, wrong
from index.where.values import Value, fold
from kb.errors import UsageError

MAX_DEPTH = 50
_SIGNS = ("=", "!=", "<", "<=", ">", ">=")


def parse(source: str) -> Node:
    """The condition in `source`; the language is described in `index.where`.

    Raises:
        UsageError: it is none; the message points at the column.
    """
    reader = _Reader(source)
    node = reader.either(0)
    rest = reader.here
    if rest.kind != "end":
        raise reader.wrong(rest, "and, or, or the end of the condition")
    return node


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = tokens(source)
        self._at = 0

    @property
    def here(self) -> Token:
        return self._tokens[self._at]

    def wrong(self, token: Token, expected: str) -> UsageError:
        met = f"not {token.text}" if token.kind != "end" else "and there is no more"
        return wrong(self._source, token.column, f"{expected} should stand here, {met}")

    def either(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise wrong(self._source, self.here.column, f"more than {MAX_DEPTH} levels deep")
        parts = [self._both(depth)]
        while self._takes("or"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _both(self, depth: int) -> Node:
        parts = [self._negation(depth)]
        while self._takes("and"):
            parts.append(self._negation(depth))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _negation(self, depth: int) -> Node:
        negations = 0
        while self._takes("not"):
            negations += 1
        node = self._single(depth)
        return Not(node) if negations % 2 else node

    def _single(self, depth: int) -> Node:
        if self._takes("("):
            node = self.either(depth + 1)
            self._insist(")")
            return node
        if self._takes("exists"):
            self._insist("(")
            field = self._field()
            self._insist(")")
            return Exists(field)
        return self._comparison(self._field())

    def _comparison(self, field: str) -> Node:
        token = self.here
        if self._takes("in"):
            return In(field, self._list())
        if self._takes("contains"):
            return Contains(field, self._value())
        if token.kind == "sign" and token.text in _SIGNS:
            self._at += 1
            return Compare(field, token.text, self._value())
        raise self.wrong(token, "= != < <= > >= in or contains")

    def _list(self) -> tuple[Value, ...]:
        self._insist("(")
        values = [self._value()]
        while self._takes(","):
            values.append(self._value())
        self._insist(")")
        return tuple(values)

    def _value(self) -> Value:
        token = self.here
        if token.kind == "name" and not token.keyword:
            message = f'a text stands in quotes: "{token.text}"'
            raise wrong(self._source, token.column, message)
        if token.kind != "value":
            raise self.wrong(token, 'a value ("text", 12, 2024-06-01, true)')
        self._at += 1
        return token.value

    def _field(self) -> str:
        token = self.here
        if token.kind != "name" or token.keyword:
            raise self.wrong(token, "a field's name")
        self._at += 1
        return fold(token.text)

    def _takes(self, text: str) -> bool:
        token = self.here
        taken = token.text == text and (token.kind == "sign" or token.keyword)
        self._at += taken
        return taken

    def _insist(self, sign: str) -> None:
        token = self.here
        if not self._takes(sign):
            raise self.wrong(token, sign)
