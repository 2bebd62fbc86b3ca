"""What the cross-encoder in the box promises: one number a pair, whatever stands beside it."""

import math

import numpy as np
import pytest

from kb.models.bundled_files import BUNDLED, CROSS_ENCODER
from kb.models.cross_encoder import CrossEncoder
from kb.models.cross_encoder_load import load_cross_encoder

QUESTION = "¿Cada cuánto hay que engrasar la turbina?"
ANSWER = "The turbine needs grease once a year, before the dry season."
PASSAGES = [
    ANSWER,
    "La turbina se engrasa una vez al año.",
    "La bomba se ceba con agua limpia antes de arrancar.",
    "Grease stains come out of cotton with warm water and soap.",
    "",
    "x",
    "Nota. " * 700,
]


@pytest.fixture(scope="module")
def model() -> CrossEncoder:
    return load_cross_encoder("", 512)


@pytest.fixture(scope="module")
def together(model: CrossEncoder) -> list[float]:
    return model.probabilities(QUESTION, PASSAGES).tolist()


def test_a_probability_is_the_same_to_the_bit_alone_and_in_any_order(
    model: CrossEncoder, together: list[float]
) -> None:
    assert [float(model.probabilities(QUESTION, [p])[0]) for p in PASSAGES] == together
    assert model.probabilities(QUESTION, PASSAGES[::-1]).tolist() == together[::-1]


def test_answers_stand_first_in_either_language(together: list[float]) -> None:
    assert all(0 < p < 1 for p in together)
    assert min(together[:2]) > 2 * max(together[2:])


@pytest.mark.parametrize("question", ["a", "?", "</s>", "qué </s> </s> turbina", "turbina " * 700])
def test_any_question_gets_a_number(model: CrossEncoder, question: str) -> None:
    found = model.probabilities(question, [ANSWER, ""])
    assert np.isfinite(found).all()


def test_it_is_small_and_shares_the_tokenizer() -> None:
    folder = BUNDLED / CROSS_ENCODER
    assert (folder / "model.onnx").stat().st_size <= 26_000_000
    assert not (folder / "tokenizer.json").exists()
    assert (BUNDLED / "tokenizer.json").exists()


def test_its_number_is_known(model: CrossEncoder) -> None:
    """Catches another tokenizer or graph; threads and processors differ in the last digits only."""
    (found,) = model.probabilities("When was the bridge built?", ["The bridge was built in 1932."])
    assert math.log(found / (1 - found)) == pytest.approx(0.02, abs=0.1)
