"""The steps between a ranking and its hits, with the arithmetic shown."""

import numpy as np
import pytest

from query.ranking import Ranking
from query.select.boost import boost, weight_of
from query.select.collapse import collapse
from query.select.diversity import diversify
from query.select.prune import prune
from query.select.wording import Wording

TEXTS = ["a pump", "b valve", "A PUMP.", "c motor", "a pump", "b  valve", "d fan"]


def test_the_best_ranked_stays_and_names_the_others() -> None:
    found = collapse(range(7), lambda i: Wording(TEXTS[i]), want=10, look=10)
    assert found.heads == [0, 1, 3, 6]
    assert found.copies == {0: [2, 4], 1: [5]}


def test_copies_are_counted_up_to_where_one_looks() -> None:
    asked: list[int] = []

    def said(place: int) -> Wording:
        asked.append(place)
        return Wording(TEXTS[place])

    found = collapse(range(7), said, want=2, look=5)
    assert (found.heads, found.copies) == ([0, 1], {0: [2, 4]})
    assert asked == [0, 1, 2, 3, 4]
    further = collapse(range(7), lambda i: Wording(TEXTS[i]), want=3, look=0)
    assert (further.heads, further.copies) == ([0, 1, 3], {0: [2]})


def test_a_chain_of_small_changes_does_not_join_its_ends() -> None:
    base = [f"w{chr(97 + i)}{chr(97 + j)}" for i in range(6) for j in range(5)]  # 30 words
    texts = [
        " ".join(base),
        " ".join([*base, "more", "and", "more"]),  # 3 of 33 added: same as the first
        " ".join([*base, "more", "and", "more", "still", "others", "here"]),  # 6 of 36: a sixth
    ]
    found = collapse(range(3), lambda i: Wording(texts[i]), want=3, look=3)
    assert (found.heads, found.copies) == ([0, 2], {0: [1]})


def test_tags_weigh_a_third() -> None:
    ranking = Ranking(np.array([5, 6, 7]), np.array([3.0, 2.0, 1.0]))  # scaled 1, .5, 0
    weights = np.array([0.0, 1.0, 0.5])
    boosted, parts = boost(ranking, weights, 0.32)
    # .68 · 1 = .68; .68 · .5 + .32 · 1 = .66; .68 · 0 + .32 · .5 = .16
    assert boosted.rows.tolist() == [5, 6, 7]
    assert boosted.scores.tolist() == pytest.approx([0.68, 0.66, 0.16])
    higher, parts = boost(ranking, weights, 0.5)
    # .5; .25 + .5 = .75; .25
    assert higher.rows.tolist() == [6, 5, 7]
    assert parts.parts(0) == pytest.approx(
        {"score_before": 2.0, "score_share": 0.25, "tag_share": 0.5}
    )


def test_the_highest_weight_of_a_document_counts() -> None:
    assert weight_of(["draft", "final"], {"final": 0.9, "draft": 0.2}) == 0.9
    assert weight_of(["other"], {"final": 0.9}) == 0.0
    assert weight_of([], {"final": 0.9}) == 0.0


def test_mmr_passes_over_what_is_like_a_hit() -> None:
    # Cosines to the first: 1, .8, 0. The least, 0, is the floor: likeness is the cosine itself.
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    scores = np.array([3.0, 2.0, 1.0])  # scaled 1, .5, 0
    found = diversify(scores, vectors, 0.5, 3)
    # first .5 · 1; then .5 · .5 - .5 · .8 = -.15 against .5 · 0 - .5 · 0 = 0: the third;
    # the second last, at its likeness to the first (.8 is more than .6)
    assert found.picked == [0, 2, 1]
    assert found.score == pytest.approx([0.5, 0.0, 0.25])
    assert found.likeness == pytest.approx([0.0, 0.0, -0.4])
    assert found.parts(2) == pytest.approx(
        {"score_before": 2.0, "score_share": 0.25, "likeness_share": -0.4}
    )


def test_little_diversity_keeps_the_order() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    # .9 · .5 - .1 · .8 = .37 stays above 0
    assert diversify(np.array([3.0, 2.0, 1.0]), vectors, 0.1, 3).picked == [0, 1, 2]


def test_equal_vectors_are_wholly_alike() -> None:
    vectors = np.ones((3, 1), np.float32)
    found = diversify(np.array([3.0, 2.0, 1.0]), vectors, 0.5, 3)
    assert found.picked == [0, 1, 2]
    assert found.likeness == pytest.approx([0.0, -0.5, -0.5])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("diversity", [0.0, 0.3, 1.0])
def test_picks_never_rise(seed: int, diversity: float) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(20, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scores = np.sort(generator.normal(size=20))[::-1]
    found = diversify(scores, vectors, diversity, 20)
    values = [score + like for score, like in zip(found.score, found.likeness, strict=True)]
    assert values == sorted(values, reverse=True)
    assert sorted(found.picked) == list(range(20))
    assert found.picked[:7] == diversify(scores, vectors, diversity, 7).picked


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0, 1, 2, 3, 4]),
        ([0.9, 0.8, 0.7, 0.4], [0, 1, 2]),
        ([0.9, 0.1, 0.1, 0.1], [0, 1, 2]),  # never fewer than three
        ([0.9, 0.1], [0, 1]),  # where there are three
        ([0.1, 0.2, 0.3, 0.9], [0, 1, 3]),  # a probability need not fall
        ([0.9, float("nan"), 0.8, 0.7], [0, 2, 3]),
        ([], []),
    ],
)
def test_three_stay_whatever_they_are_worth(values: list[float], kept: list[int]) -> None:
    assert prune(np.array(values), 0.5) == kept


def test_a_summary_and_a_passage_are_never_copies_of_each_other() -> None:
    text = "The pump runs at night and stops by day."
    told = [Wording(text, derived=place % 2 == 1) for place in range(4)]
    found = collapse(range(4), told.__getitem__, 4, 4)
    assert found.heads == [0, 1]
    assert found.copies == {0: [2], 1: [3]}
