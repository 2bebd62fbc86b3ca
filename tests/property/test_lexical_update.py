"""An index made from the one before has the bytes of one made anew."""

import random
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from index.lexical.build import build_bm25, can_take_over
from index.lexical.merge import Part
from kb.settings import Bm25Settings

WORDS = st.sampled_from(
    ["bomba", "pump", "válvula", "E-217", "don't", "de", "año", "ano", "中文", "running", "中"]
)
TEXT = st.lists(WORDS, max_size=6).map(" ".join)
CHUNKS = st.lists(st.tuples(TEXT, st.sampled_from(["es", "en", ""])), max_size=12)


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@settings(max_examples=150, deadline=None)
@given(
    before=CHUNKS, after=CHUNKS, keep=st.randoms(use_true_random=False), block=st.integers(1, 40)
)
def test_bytes_of_an_update(
    before: list[tuple[str, str]], after: list[tuple[str, str]], keep: random.Random, block: int
) -> None:
    after = [*after, *(chunk for chunk in before if keep.random() < 0.6)]
    keep.shuffle(after)
    target = np.full(len(before), -1, np.int64)
    free = dict(enumerate(after))
    for row, chunk in enumerate(before):
        found = next((i for i, other in free.items() if other == chunk), None)
        if found is not None:
            target[row] = found
            del free[found]
    with tempfile.TemporaryDirectory() as folder:
        old, fresh, updated = (Path(folder) / name for name in ("old", "fresh", "updated"))
        rules = Bm25Settings()
        build_bm25(old, before, rules)
        build_bm25(fresh, after, rules)
        build_bm25(updated, iter(after), rules, block, Part(old, target))
        assert contents(updated) == contents(fresh)


def test_other_rules_cannot_be_taken_over(tmp_path: Path) -> None:
    build_bm25(tmp_path, [("running pumps", "en")], Bm25Settings())
    assert can_take_over(tmp_path, Bm25Settings(k1=2.0))
    assert not can_take_over(tmp_path, Bm25Settings(stem=False))
    assert not can_take_over(tmp_path / "nowhere", Bm25Settings())
