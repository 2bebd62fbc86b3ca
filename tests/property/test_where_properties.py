"""Random conditions against an oracle that is written another way."""

from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from index.where import parse
from kb.errors import UsageError

FIELDS = ("a", "b", "c-d", "é")
TEXTS = st.sampled_from(["", "x", "X", "xy", "Á", "á", "12", "2024-06-01", 'q"\\', "true"])
DAYS = st.sampled_from([date(2024, 6, 1), date(2023, 1, 31)])
NUMBERS = st.sampled_from([-1, 0, 1, 12, 1.5, 12.0])
VALUES = st.one_of(TEXTS, NUMBERS, DAYS, st.booleans())
SCALARS = st.one_of(
    TEXTS, NUMBERS, st.booleans(), st.sampled_from(["2024-06-01T10:00", "2023-01-31"])
)
METADATA = st.dictionaries(
    st.sampled_from(FIELDS), st.one_of(st.none(), SCALARS, st.lists(SCALARS, max_size=3))
)
SIGNS = ("=", "!=", "<", "<=", ">", ">=")
LEAVES = st.one_of(
    st.tuples(st.sampled_from(SIGNS), st.sampled_from(FIELDS), VALUES),
    st.tuples(st.just("contains"), st.sampled_from(FIELDS), VALUES),
    st.tuples(
        st.just("in"), st.sampled_from(FIELDS), st.lists(VALUES, min_size=1, max_size=3).map(tuple)
    ),
    st.tuples(st.just("exists"), st.sampled_from(FIELDS)),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=8,
)
RANK = {"or": 0, "and": 1, "not": 2}


def written_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def written(tree: Any, outer: int = 0) -> str:
    """As few brackets as precedence needs, so that it is tested."""
    kind = tree[0]
    if kind == "exists":
        return f"EXISTS ( {tree[1]} )"
    if kind == "in":
        return f"{tree[1]} in({','.join(map(written_value, tree[2]))})"
    if kind not in RANK:
        return f"{tree[1]} {kind} {written_value(tree[2])}"
    rank = RANK[kind]
    if kind == "not":
        text = f"not {written(tree[1], rank)}"
    else:
        text = f"{written(tree[1], rank)} {kind} {written(tree[2], rank + 1)}"
    return f"({text})" if rank < outer else text


def as_number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value) if str(value).replace(".", "").lstrip("-").isdigit() else None
    except ValueError:
        return None


def as_day(value: Any) -> str | None:
    text = str(value)[:10]
    return text if len(text) == 10 and text[4] == text[7] == "-" else None


def order(found: Any, value: Any) -> int | None:
    """-1, 0, 1, or None where they cannot be compared."""
    if isinstance(found, bool) or isinstance(value, bool):
        both = isinstance(found, bool) and isinstance(value, bool)
        return (found > value) - (found < value) if both else None
    for plainly, view in ((date, as_day), ((int, float), as_number)):
        if isinstance(found, plainly) or isinstance(value, plainly):
            left, right = view(found), view(value)
            if left is None or right is None:
                return None
            return (left > right) - (left < right)  # type: ignore[operator]
    if as_day(found) and as_day(value):
        found, value = as_day(found), as_day(value)
    left, right = found.casefold(), value.casefold()
    return (left > right) - (left < right)


def single(found: Any, sign: str, value: Any) -> bool | None:
    result = order(found, value)
    if sign == "=":
        return result == 0
    if result is None or isinstance(found, bool):
        return None
    return {"<": result < 0, "<=": result <= 0, ">": result > 0, ">=": result >= 0}[sign]


def any_item(found: Any, sign: str, value: Any) -> bool | None:
    results = [single(x, sign, value) for x in (found if isinstance(found, list) else [found])]
    return True if True in results else None if None in results else False


def oracle(tree: Any, fields: dict[str, Any]) -> bool | None:
    kind, first, *rest = tree
    if kind == "not":
        inner = oracle(first, fields)
        return None if inner is None else not inner
    if kind in ("and", "or"):
        both = {oracle(first, fields), oracle(rest[0], fields)}
        deciding = kind == "or"
        return deciding if deciding in both else None if None in both else not deciding
    found = fields.get(first)
    if kind == "exists":
        return found is not None
    if found is None:
        return None
    return leaf(kind, found, rest[0])


def leaf(kind: str, found: Any, value: Any) -> bool | None:
    if kind == "in":
        return any(any_item(found, "=", each) for each in value)
    if kind == "contains" and isinstance(found, str):
        return str(value).casefold() in found.casefold()
    if kind == "!=":
        return not any_item(found, "=", value)
    return any_item(found, "=" if kind == "contains" else kind, value)


@settings(max_examples=400, deadline=None)
@given(TREES, METADATA)
def test_conditions_mean_what_the_oracle_says(tree: Any, fields: dict[str, Any]) -> None:
    assert parse(written(tree)).truth(fields.get) is oracle(tree, fields)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30) | st.text("abin()'\"`=<>!,.-0129 andortexis", max_size=40))
def test_any_text_is_read_or_refused_with_its_column(source: str) -> None:
    try:
        parse(source).truth({"a": "x", "b": 1}.get)
    except UsageError as error:
        said = str(error)
        assert said.startswith("--where: column ")
        assert 1 <= int(said.split()[2].rstrip(":")) <= len(source) + 1
