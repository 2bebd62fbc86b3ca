import json
import logging
from pathlib import Path

import numpy as np
import pytest

from kb.errors import Unavailable, UsageError
from kb.models.onnx_embedder import OnnxEmbedder
from kb.settings import EmbedSettings
from tests.tiny_onnx import write_model, write_tokenizer

#                   [CLS]   [SEP]   [UNK]   sol     mar
TABLE = np.array([[0, 0], [0, 0], [9, 9], [3, 0], [0, 4]], np.float32)
BERT = ("input_ids", "attention_mask", "token_type_ids")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(tmp_path / "model.onnx", TABLE, BERT)
    write_tokenizer(tmp_path / "tokenizer.json", ["sol", "mar"])
    return tmp_path


def embedder(folder: Path, **more: object) -> OnnxEmbedder:
    return OnnxEmbedder(EmbedSettings(embedder="onnx", model=str(folder), **more))


def test_mean_of_token_rows_scaled_to_unit_length(folder: Path) -> None:
    # [CLS] sol mar [SEP] → mean (3/4, 4/4) → length 5/4 → (.6, .8); sol alone → (1, 0)
    rows = embedder(folder).embed(["sol mar", "sol"], "passage")
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [[0.6, 0.8], [1, 0]], atol=1e-6)


def test_prefixes_are_embedded_with_the_text(folder: Path) -> None:
    prefixed = embedder(folder, query_prefix="mar ")
    np.testing.assert_allclose(prefixed.embed(["sol"], "query"), [[0.6, 0.8]], atol=1e-6)
    np.testing.assert_allclose(prefixed.embed(["sol"], "passage"), [[1, 0]], atol=1e-6)


def test_cls_pooling_where_the_model_says_so(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    config = folder / "1_Pooling" / "config.json"
    config.write_text(
        json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    )
    table = TABLE.copy()
    table[0] = [0, 2]
    write_model(folder / "model.onnx", table, BERT)
    np.testing.assert_allclose(embedder(folder).embed(["sol"], "query"), [[0, 1]], atol=1e-6)
    config.write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(Unavailable, match="pooling_mode_max_tokens"):
        embedder(folder)


def test_a_model_with_a_pooled_token_output_only(folder: Path) -> None:
    write_model(folder / "model.onnx", TABLE, ("input_ids",), "token_embeddings")
    np.testing.assert_allclose(embedder(folder).embed(["mar"], "query"), [[0, 1]], atol=1e-6)


def test_no_texts_and_empty_text(folder: Path) -> None:
    assert embedder(folder).embed([], "query").shape == (0, 2)
    np.testing.assert_array_equal(embedder(folder).embed([""], "query"), [[0, 0]])


def test_window_counts_special_tokens_and_prefix(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    small = embedder(folder, max_tokens=8, passage_prefix="mar ")
    assert small.max_tokens == 8 - 2 - 1
    caplog.set_level(logging.WARNING)
    fits = small.embed(["sol " * 5], "passage")
    assert not caplog.records
    cut = small.embed(["sol " * 5 + "mar"], "passage")
    np.testing.assert_array_equal(fits, cut)
    assert "1 of 1 texts (passage) exceed the 8 tokens" in caplog.text
    wide = embedder(folder, max_tokens=9, passage_prefix="mar ").embed(
        ["sol " * 5 + "mar"], "passage"
    )
    assert not np.array_equal(cut, wide)


def test_a_window_that_the_prefix_fills_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"max_tokens is 8, .* spends 8 "):
        _ = embedder(folder, max_tokens=8, passage_prefix="sol " * 6).max_tokens


def test_fingerprint_follows_bytes_prefixes_and_window(folder: Path) -> None:
    seen = {embedder(folder).fingerprint, embedder(folder, query_prefix="q ").fingerprint}
    seen |= {embedder(folder, passage_prefix="q ").fingerprint}
    seen |= {embedder(folder, max_tokens=100).fingerprint}
    same = embedder(folder).fingerprint
    write_model(folder / "model.onnx", TABLE + 1, BERT)
    seen.add(embedder(folder).fingerprint)
    write_tokenizer(folder / "tokenizer.json", ["mar", "sol"])
    seen.add(embedder(folder).fingerprint)
    (folder / "model.onnx_data").write_bytes(b"weights")
    seen.add(embedder(folder).fingerprint)
    assert len(seen) == 7
    assert same in seen


def test_what_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(Unavailable, match=r"no model folder .*nowhere: expected .*tokenizer\.json"):
        embedder(folder / "nowhere")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(Unavailable, match=r"has no tokenizer\.json"):
        embedder(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(Unavailable, match=r"has no model\.onnx"):
        embedder(folder)


def test_broken_files_and_strange_models_are_unavailable(folder: Path) -> None:
    write_model(folder / "model.onnx", TABLE, ("input_ids", "pixels"))
    with pytest.raises(Unavailable, match="inputs input_ids, pixels"):
        embedder(folder).embed(["sol"], "query")
    write_model(folder / "model.onnx", TABLE, ("input_ids",), "logits")
    with pytest.raises(Unavailable, match="outputs logits"):
        embedder(folder).embed(["sol"], "query")
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(Unavailable, match="cannot load the model"):
        embedder(folder).embed(["sol"], "query")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(Unavailable, match="cannot read the tokenizer"):
        embedder(folder).tokenizer.count("sol")


def test_an_id_outside_the_table_names_the_model(folder: Path) -> None:
    write_tokenizer(folder / "tokenizer.json", ["sol", "mar", "luz"])
    with pytest.raises(Unavailable, match=r"model\.onnx failed on 3 tokens"):
        embedder(folder).embed(["luz"], "query")


def test_special_tokens_in_a_text_are_not_special(folder: Path) -> None:
    tokenizer = embedder(folder).tokenizer
    ids, whole = tokenizer.ids("sol [SEP]", 512)
    assert whole == len(ids)
    assert 1 not in ids[:-1].tolist()
    assert tokenizer.frame == (1, 1)


def test_unknown_share_is_of_characters(folder: Path) -> None:
    tokenizer = embedder(folder).tokenizer
    assert tokenizer.unknown_share("sol luces") == pytest.approx(5 / 8)
    assert tokenizer.unknown_share("sol mar") == 0
    assert tokenizer.unknown_share("") == 0
