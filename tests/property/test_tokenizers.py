from functools import cache

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.models.bundled_embedder import PREFIXES, BundledEmbedder
from kb.models.careful_tokenizer import CarefulTokenizer
from kb.settings import EmbedSettings

SPECIALS = st.sampled_from(["</s>", "<s>", "<unk>", "<pad>", "<", "/s>", "\uff1c", "▁", "query: "])
TEXTS = st.lists(st.text(max_size=20) | SPECIALS, max_size=6).map("".join)


@cache
def bundled() -> BundledEmbedder:
    return BundledEmbedder(EmbedSettings())


@cache
def careful() -> CarefulTokenizer:
    return CarefulTokenizer()


@given(TEXTS)
@example("▁▂▃")
@settings(deadline=None)
def test_prefix_and_specials_cost_what_max_tokens_takes_off(text: str) -> None:
    tokenizer = bundled().tokenizer
    for prefix in PREFIXES.values():
        room = 2 + tokenizer.count(prefix) + tokenizer.count(text)
        ids, whole = tokenizer.ids(text, room, prefix)
        assert whole == len(ids) == room
        assert not {0, 1, 2} & set(ids[1:-1].tolist())


@given(TEXTS)
@settings(deadline=None)
def test_offsets_and_count_follow_one_rule(text: str) -> None:
    for tokenizer in (bundled().tokenizer, careful()):
        offsets = tokenizer.offsets(text)
        assert offsets.shape == (tokenizer.count(text), 2)
        assert (np.diff(offsets[:, 0]) >= 0).all()
        assert (offsets >= 0).all()
        assert (offsets <= len(text)).all()
        assert (offsets[:, 0] <= offsets[:, 1]).all()


@given(TEXTS)
@settings(deadline=None)
def test_unknown_share_is_a_share(text: str) -> None:
    assert 0 <= bundled().tokenizer.unknown_share(text) <= 1
    assert careful().count(text) >= bundled().tokenizer.count(text)
