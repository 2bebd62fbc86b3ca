from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from kb.digest import sha256_file
from kb.errors import UsageError
from kb.models.bundled_embedder import BundledEmbedder
from kb.models.bundled_files import MODELS, TOKENIZER, digests, model_file
from kb.models.load import load_embedder, supports_tokens
from kb.settings import EmbedSettings

SPANISH = "¿Cómo se calibra el sensor de presión?"
ENGLISH = "The pressure sensor is calibrated once a year."
AT = [0, 1, 100, 383]
GOLDEN = {
    ("encoder-12", SPANISH, "query"): [0.03849, -0.05229, 0.0349, 0.03849],
    ("encoder-12", ENGLISH, "passage"): [0.01862, 0.00004, 0.07417, 0.06125],
    ("encoder-6", SPANISH, "query"): [0.02841, -0.04479, 0.02721, 0.06051],
    ("encoder-6", ENGLISH, "passage"): [0.01588, -0.01075, 0.06157, 0.06656],
}
GOLDEN_TOKENS = {
    "encoder-12": [0.04001, -0.02545, -0.07026],
    "encoder-6": [0.02791, -0.02238, -0.05352],
}
TEXTS = [ENGLISH, SPANISH, "sol", "", "línea\n" * 60, "def f(x): return x </s> <s>", "x " * 200]


@cache
def bundled(model: str = "encoder-12", threads: int = 0) -> BundledEmbedder:
    return BundledEmbedder(EmbedSettings(model=model, threads=threads))


@pytest.mark.parametrize(("case", "numbers"), GOLDEN.items(), ids=lambda c: str(c)[:30])
def test_golden_vectors(case: tuple[str, str, str], numbers: list[float]) -> None:
    model, text, role = case
    row = bundled(model).embed([text], role)[0]  # type: ignore[arg-type]
    assert row.shape == (384,)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(row[AT], numbers, atol=0.004)


@pytest.mark.parametrize("model", MODELS)
def test_golden_token_vectors(model: str) -> None:
    rows, tokens = bundled(model).embed_with_tokens(["sensor de presión", ""], "passage")
    assert [t.shape for t in tokens] == [(3, 384), (0, 384)]
    np.testing.assert_allclose(np.linalg.norm(tokens[0], axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(tokens[0][0][:3], GOLDEN_TOKENS[model], atol=0.004)
    assert rows.shape == (2, 384)


def test_spanish_and_english_agree_more_than_strangers() -> None:
    e = bundled()
    q = e.embed([SPANISH], "query")
    p = e.embed([ENGLISH, "The harbour was closed during the storm."], "passage")
    close, far = (q @ p.T)[0]
    assert close > far + 0.05


def test_bits_do_not_depend_on_company_threads_or_tokens() -> None:
    alone = np.concatenate([bundled(threads=1).embed([t], "passage") for t in TEXTS])
    for threads in (1, 2, 5):
        together = bundled(threads=threads).embed(TEXTS, "passage")
        np.testing.assert_array_equal(together, alone)
    backwards, tokens = bundled(threads=2).embed_with_tokens(TEXTS[::-1], "passage")
    np.testing.assert_array_equal(backwards[::-1], alone)
    again = bundled(threads=1).embed_with_tokens([TEXTS[0]], "passage")[1][0]
    np.testing.assert_array_equal(tokens[-1], again)


def test_token_vectors_are_those_of_the_text() -> None:
    for role in ("query", "passage"):
        tokens = bundled().embed_with_tokens([ENGLISH], role)[1][0]  # type: ignore[arg-type]
        assert len(tokens) == bundled().tokenizer.count(ENGLISH)


def test_a_text_of_max_tokens_is_read_to_its_last_token() -> None:
    e = bundled("encoder-6")
    assert e.max_tokens == 512 - 2 - 2  # <s> and </s>, then "passage" and ":"
    word = "sol "
    assert e.tokenizer.count(word * e.max_tokens) == e.max_tokens
    start = word * (e.max_tokens - 1)
    full, other, over = e.embed([start + "sol", start + "ley", start + "sol ley"], "passage")
    assert not np.array_equal(full, other)
    np.testing.assert_array_equal(full, over)


def test_end_token_in_a_text_is_plain_text() -> None:
    tokenizer = bundled().tokenizer
    for text in ("a </s> b", "<s>", "<unk><pad>", "\uff1c/s\uff1e"):
        ids, _ = tokenizer.ids(text, 512)
        assert not {0, 1, 2, 3} & set(ids[1:-1].tolist()), text
        assert tokenizer.count(text) == len(ids) - 2 == len(tokenizer.offsets(text))
        assert tokenizer.unknown_share(text) == 0


def test_unknown_share() -> None:
    tokenizer = bundled().tokenizer
    assert tokenizer.unknown_share("La presión máxima: 4 bar (±0,1). Über 20 °C!") == 0
    assert tokenizer.unknown_share("知识库中的文档") == 1
    assert tokenizer.unknown_share("مرحبا بالعالم") == 1
    assert tokenizer.unknown_share("sol 知识库") == pytest.approx(3 / 6)


def test_digests_are_those_of_the_files() -> None:
    known = digests()
    assert known == {
        TOKENIZER.name: sha256_file(TOKENIZER),
        **{name: sha256_file(model_file(name)) for name in MODELS},
    }, "run tools/bundled_digests.py"


def test_fingerprints_tell_the_models_apart() -> None:
    prints = {bundled(m).fingerprint for m in MODELS}
    prints.add(BundledEmbedder(EmbedSettings(max_tokens=256)).fingerprint)
    assert len(prints) == 3
    assert bundled("encoder-12", 3).fingerprint == bundled().fingerprint


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (EmbedSettings(model="encoder-9"), "encoder-9.*encoder-12, encoder-6"),
        (EmbedSettings(max_tokens=513), "513.*512"),
        (EmbedSettings(query_prefix="q: "), "own prefixes"),
    ],
)
def test_settings_it_cannot_honour_are_refused(settings: EmbedSettings, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        BundledEmbedder(settings)


def test_load_and_token_support(monkeypatch: pytest.MonkeyPatch) -> None:
    e = load_embedder(EmbedSettings())
    assert (e.name, e.dimension) == ("bundled/encoder-12", 384)
    assert supports_tokens(e)
    assert e.token_mean.shape == (384,)
    assert e.token_mean.dtype == np.float32
    assert not supports_tokens(
        load_embedder(EmbedSettings(embedder="openai", url="http://localhost:1"))
    )


def test_an_error_in_one_thread_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    e = BundledEmbedder(EmbedSettings(threads=2))

    def fail(ids: Callable[..., object]) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(e._model, "pool", fail)
    with pytest.raises(RuntimeError, match="broken"):
        e.embed(TEXTS, "query")
