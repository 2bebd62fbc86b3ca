import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kb.errors import Unavailable, UsageError
from kb.models.bundled_files import TOKENIZER
from kb.models.cross_encoder import CrossEncoder
from kb.models.cross_encoder_head import Head, find_head
from kb.models.cross_encoder_load import load_cross_encoder
from kb.models.hf_tokenizer import HfTokenizer
from kb.models.onnx_graph import last_operator
from kb.models.pair_tokenizer import PairTokenizer
from tests.tiny_cross_encoder import (
    BERT,
    ROBERTA,
    WORDS,
    write_cross_encoder,
    write_pair_tokenizer,
)
from tests.tiny_onnx import FLOAT, INT64, Node, write_graph, write_model


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def loaded(folder: Path, max_tokens: int = 512) -> CrossEncoder:
    load_cross_encoder.cache_clear()
    return load_cross_encoder(str(folder), max_tokens)


@pytest.mark.parametrize("inputs", [BERT, ROBERTA, ("input_ids",)])
@pytest.mark.parametrize(("outputs", "last"), [(1, ""), (2, ""), (1, "Sigmoid"), (2, "Softmax")])
@pytest.mark.parametrize("length", ["t", 16])
def test_every_scale_gives_the_same_probability(
    tmp_path: Path, inputs: tuple[str, ...], outputs: int, last: str, length: int | str
) -> None:
    model = loaded(write_cross_encoder(tmp_path, inputs, outputs, last, length))
    found = model.probabilities("sol mar", ["mar luz sol", "luz", "agua mar", ""])
    # two words shared: 2 - 1.5; none: 0 - 1.5; one: 1 - 1.5
    expected = [sigmoid(0.5), sigmoid(-1.5), sigmoid(-0.5), sigmoid(-1.5)]
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_segments_tell_question_from_passage(tmp_path: Path) -> None:
    """With segments only words across the texts count; without, "sol" twice in one text counts too."""
    typed = loaded(write_cross_encoder(tmp_path / "bert", BERT))
    assert typed.probabilities("mar", ["sol sol"])[0] == pytest.approx(sigmoid(-1.5), abs=1e-6)
    untyped = loaded(write_cross_encoder(tmp_path / "roberta", ROBERTA))
    assert untyped.probabilities("mar", ["sol sol"])[0] == pytest.approx(sigmoid(-0.5), abs=1e-6)


def test_small_probabilities_stay_apart(tmp_path: Path) -> None:
    model = loaded(write_cross_encoder(tmp_path, scale=-10.0))
    low, lower = model.probabilities("sol mar luz pozo", ["sol mar luz", "sol mar luz pozo"])
    assert 0 < lower < low < 1e-13


def test_the_positive_class_is_named_or_the_second(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path, BERT, 2)
    question, passages = "sol mar", ["sol mar"]
    (second,) = loaded(folder).probabilities(question, passages)
    config = folder / "config.json"
    config.write_text(json.dumps({"id2label": {"1": "not_relevant", "0": "Relevant"}}))
    assert loaded(folder).probabilities(question, passages) == pytest.approx(1 - second)
    config.write_text(json.dumps({"id2label": {"1": "relevant", "0": "irrelevant"}}))
    assert loaded(folder).probabilities(question, passages) == pytest.approx(second)


def test_a_sigmoid_behind_which_values_only_move_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    nodes = [
        Node("Cast", ["input_ids"], "x", {"to": FLOAT}),
        Node("Sigmoid", ["x"], "s"),
        Node("Softplus", ["s"], "other"),
        Node("Gather", ["s", "zero"], "column", {"axis": 1}),
        Node("Identity", ["column"], "scores"),
    ]
    values = {"input_ids": (INT64, ["b", "t"])}
    outputs = {"scores": (FLOAT, ["b"]), "other": (FLOAT, ["b", "t"])}
    write_graph(path, nodes, {"zero": np.array(0, np.int64)}, values, outputs)
    assert last_operator(path, "scores") == "Sigmoid"
    assert last_operator(path, "other") == "Softplus"
    assert last_operator(path, "nothing") == ""
    assert find_head(path, [("scores", ["b"]), ("other", ["b", "t"])], ()).squashed
    path.write_bytes(path.read_bytes()[:40])
    assert last_operator(path, "scores") == ""
    path.write_bytes(b"")
    assert last_operator(path, "scores") == ""


def test_what_is_no_score_is_refused_by_name(tmp_path: Path) -> None:
    model = loaded(write_cross_encoder(tmp_path, scale=math.nan))
    with pytest.raises(Unavailable, match=r"model\.onnx gave nan for a passage"):
        model.probabilities("sol", ["sol"])
    model = loaded(write_cross_encoder(tmp_path, scale=math.inf))
    with pytest.raises(Unavailable, match=r"model\.onnx gave inf for a passage"):
        model.probabilities("sol", ["sol"])
    with pytest.raises(Unavailable, match=r"ends in a sigmoid and yet gave 1\.5"):
        Head(tmp_path, "scores", True, 1).probability([1.5])
    with pytest.raises(Unavailable, match="gave 4 numbers"):
        Head(tmp_path, "scores", False, 1).probability([1.0] * 4)


def test_what_is_no_cross_encoder_says_what_it_is(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path)
    table = np.eye(20, dtype=np.float32)
    write_model(folder / "model.onnx", table, BERT)
    with pytest.raises(Unavailable, match=r"last_hidden_state: it is an encoder"):
        loaded(folder).probabilities("sol", ["sol"])
    write_model(folder / "model.onnx", table, BERT, "logits")  # as a language model's
    with pytest.raises(Unavailable, match=r"gives logits: it is an encoder"):
        loaded(folder).probabilities("sol", ["sol"])
    with pytest.raises(Unavailable, match=r"encoder-6.*it is an encoder"):
        load_cross_encoder("encoder-6", 512).probabilities("sol", ["sol"])
    write_cross_encoder(folder, inputs=("input_ids", "pixels"))
    with pytest.raises(Unavailable, match=r"inputs input_ids, pixels: a cross-encoder reads"):
        loaded(folder).probabilities("sol", ["sol"])
    write_cross_encoder(folder, outputs=3)
    (folder / "config.json").write_text('{"id2label": {"0": "no", "1": "maybe", "2": "yes"}}')
    with pytest.raises(Unavailable, match=r"3 classes apart \(no, maybe, yes\)"):
        loaded(folder).probabilities("sol", ["sol"])
    encoder = [("last_hidden_state", ["b", "t", 8]), ("pooler_output", ["b", 8])]
    with pytest.raises(Unavailable, match="it is an encoder"):
        find_head(folder, encoder, ())
    assert find_head(folder / "model.onnx", [*encoder, ("logits", ["b", 1])], ()).output == "logits"
    with pytest.raises(Unavailable, match="outputs a, b: expected one of logits"):
        find_head(folder, [("a", ["b", 1]), ("b", ["b", 1])], ())
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(Unavailable, match=r"cannot load the model .*model\.onnx"):
        loaded(folder).probabilities("sol", ["sol"])


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"no model folder \./nowhere"):
        load_cross_encoder("./nowhere", 512)
    with pytest.raises(Unavailable, match=r"has no model\.onnx: expected a folder with"):
        loaded(tmp_path)
    write_cross_encoder(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(Unavailable, match=r"has no tokenizer\.json"):
        loaded(tmp_path)
    write_cross_encoder(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(Unavailable, match=r"cannot read .*config\.json"):
        loaded(tmp_path)


@pytest.mark.parametrize(
    "name", ["onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"]
)
def test_where_the_weights_may_lie(tmp_path: Path, name: str) -> None:
    folder = write_cross_encoder(tmp_path)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / name)
    assert loaded(folder).probabilities("sol", ["sol"]).shape == (1,)
    assert loaded(folder / name).probabilities("sol", ["sol"]).shape == (1,)


def test_plain_weights_come_before_quantised_ones_which_can_be_named(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path)
    plain = (folder / "model.onnx").read_bytes()
    write_cross_encoder(folder, scale=2.0)
    (folder / "model.onnx").rename(folder / "model_quantized.onnx")
    (folder / "model.onnx").write_bytes(plain)
    assert loaded(folder).probabilities("sol", ["sol"])[0] == pytest.approx(sigmoid(-0.5))
    named = loaded(folder / "model_quantized.onnx").probabilities("sol", ["sol"])[0]
    assert named == pytest.approx(sigmoid(0.5))


def test_a_tokenizer_above_serves_only_an_onnx_folder(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "other")
    (folder / "tokenizer.json").rename(tmp_path / "tokenizer.json")
    with pytest.raises(Unavailable, match=r"has no tokenizer\.json"):
        loaded(folder)


def test_the_window_is_the_smallest_that_is_named(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path)
    passage = "luz " * 20 + "sol"
    hit, missed = sigmoid(-0.5), sigmoid(-1.5)
    assert loaded(folder).probabilities("sol", [passage])[0] == pytest.approx(hit, abs=1e-6)
    assert loaded(folder, 24).probabilities("sol", [passage])[0] == pytest.approx(missed, abs=1e-6)
    limits = {"config.json": "max_position_embeddings", "tokenizer_config.json": "model_max_length"}
    for name, key in limits.items():
        write_cross_encoder(folder)
        (folder / name).write_text(json.dumps({key: 20}))
        assert loaded(folder).probabilities("sol", [passage])[0] == pytest.approx(missed, abs=1e-6)
        (folder / name).write_text(json.dumps({key: 25}))
        assert loaded(folder).probabilities("sol", [passage])[0] == pytest.approx(hit, abs=1e-6)
        (folder / name).write_text(json.dumps({key: 1e30}))
        assert loaded(folder).probabilities("sol", [passage])[0] == pytest.approx(hit, abs=1e-6)
    # RoBERTa counts positions from behind its padding token: 26 of them are 24 tokens
    (folder / "config.json").write_text(
        json.dumps({"model_type": "roberta", "max_position_embeddings": 26, "pad_token_id": 1})
    )
    assert loaded(folder).probabilities("sol", [passage])[0] == pytest.approx(missed, abs=1e-6)


def pairs(folder: Path, pair: bool = True, doubled: bool = False) -> PairTokenizer:
    write_pair_tokenizer(folder / "tokenizer.json", WORDS, pair)
    return PairTokenizer(HfTokenizer(folder / "tokenizer.json"), doubled)


def test_the_passage_is_cut_first_and_the_question_never_below_half(tmp_path: Path) -> None:
    tokenizer = pairs(tmp_path)

    def lengths(asked: int, read: int, window: int) -> tuple[int, int, int]:
        found = tokenizer.pair("sol " * asked, "mar " * read, window)
        assert len(found) <= window
        assert found.ids.shape == found.segments.shape
        ids = found.ids.tolist()
        return ids.count(3), ids.count(4), found.cut

    # three special tokens, so 20 is room for 17, half of it 8
    assert lengths(5, 5, 20) == (5, 5, 0)
    assert lengths(5, 20, 20) == (5, 12, 8)
    assert lengths(8, 90, 20) == (8, 9, 81)
    assert lengths(12, 90, 20) == (8, 9, 85)
    assert lengths(90, 90, 20) == (8, 9, 163)
    assert lengths(90, 2, 20) == (15, 2, 75)  # a short passage leaves the question its room
    assert lengths(0, 3, 20) == (0, 3, 0)


def test_a_pair_without_a_template_is_joined_by_hand(tmp_path: Path) -> None:
    with_template = pairs(tmp_path).pair("sol", "mar luz", 20)
    by_hand = pairs(tmp_path, pair=False).pair("sol", "mar luz", 20)
    assert with_template.ids.tolist() == by_hand.ids.tolist() == [0, 3, 1, 4, 5, 1]
    assert with_template.segments.tolist() == by_hand.segments.tolist() == [0, 0, 0, 1, 1, 1]
    doubled = pairs(tmp_path, pair=False, doubled=True)
    assert doubled.pair("sol", "mar luz", 20).ids.tolist() == [0, 3, 1, 1, 4, 5, 1]
    assert len(doubled.pair("sol", "mar " * 50, 20)) == 20


def test_the_bundled_tokenizer_has_a_template_for_pairs() -> None:
    """<s> A </s> </s> B </s>, as XLM-RoBERTa was trained."""
    found = PairTokenizer(HfTokenizer(TOKENIZER)).pair("sol", "mar", 64).ids.tolist()
    assert (found[0], found[-1]) == (0, 2)
    assert found.count(2) == 3


def test_one_in_the_box_is_named_and_shares_the_tokenizer_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_cross_encoder(tmp_path / "reader-6")
    (folder / "tokenizer.json").rename(tmp_path / "tokenizer.json")
    for module in ("cross_encoder_load", "cross_encoder_folder"):
        monkeypatch.setattr(f"kb.models.{module}.BUNDLED", tmp_path)
    load_cross_encoder.cache_clear()
    model = load_cross_encoder("reader-6", 512)
    assert model.name == "bundled/reader-6"
    assert model.probabilities("sol", ["sol"])[0] == pytest.approx(sigmoid(-0.5), abs=1e-6)


def test_special_tokens_in_the_texts_are_plain_text(tmp_path: Path) -> None:
    assert pairs(tmp_path).pair("sol [SEP]", "[CLS] mar", 64).ids.tolist().count(1) == 2


def test_a_tokenizer_that_separates_nothing_is_refused(tmp_path: Path) -> None:
    tokenizer = json.loads(
        (write_cross_encoder(tmp_path) / "tokenizer.json").read_text(encoding="utf-8")
    )
    tokenizer["post_processor"] = None
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(Unavailable, match="puts no special token between"):
        loaded(tmp_path).probabilities("sol", ["mar"])


class TestHub:
    """`query.rerank_model` = owner/name."""

    @pytest.fixture(autouse=True)
    def _fresh(self) -> None:
        pytest.importorskip("huggingface_hub")
        load_cross_encoder.cache_clear()

    def test_plain_weights_are_fetched_and_quantised_ones_only_where_there_are_no_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from huggingface_hub.errors import LocalEntryNotFoundError

        stored = write_cross_encoder(tmp_path)
        asked: list[bool] = []

        def download(model: str, allow_patterns: list[str], **options: object) -> str:
            if options.get("local_files_only"):
                raise LocalEntryNotFoundError("not here")
            asked.append("onnx/model_quantized.onnx" in allow_patterns)
            return str(stored)

        monkeypatch.setattr("huggingface_hub.snapshot_download", download)
        assert load_cross_encoder("owner/name", 512).name == "hub/owner/name"
        assert asked == [False]
        (stored / "model.onnx").rename(stored / "model_quantized.onnx")
        load_cross_encoder.cache_clear()
        model = load_cross_encoder("owner/name", 512)
        assert asked == [False, False, True]
        assert model.probabilities("sol", ["sol"]).shape == (1,)

    def test_no_network(self, tmp_path: Path) -> None:
        code = (
            "from kb.errors import Unavailable\n"
            "from kb.models.cross_encoder_load import load_cross_encoder\n"
            "try:\n    load_cross_encoder('owner/name', 512)\n"
            "except Unavailable as e:\n    print(e.exit_code, e)\n"
        )
        environment = os.environ | {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
        )
        assert done.stdout.startswith("6 owner/name is not in the hub's cache"), done.stderr
        assert "or set query.rerank_model to a folder" in done.stdout

    def test_no_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(Unavailable, match=r"no folder owner/name.*uv sync --extra hub"):
            load_cross_encoder("owner/name", 512)

    def test_no_id(self) -> None:
        with pytest.raises(UsageError, match=r"query\.rerank_model is 'a--b/c', not a hub id"):
            load_cross_encoder("a--b/c", 512)
