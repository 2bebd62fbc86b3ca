"""A text in the question's language is no nearer for that alone."""

from pathlib import Path

import pytest

from tests.running import hits, make_kb

FILTER = "filter.md"
ANSWER = f"docs/{FILTER}"
WATER = {
    FILTER: "The intake filter of the pump must be cleaned every two weeks in autumn.",
    "receta.md": "La tortilla lleva seis huevos, cuatro patatas y una cebolla cortada fina.",
    "historia.md": "El molino se construyó en 1887 y dio luz al pueblo hasta la guerra.",
    "fiesta.md": "La fiesta del pueblo empieza el quince de agosto con música en la plaza.",
    "horario.md": "La oficina abre de lunes a viernes de nueve a dos y los sábados por la mañana.",
    "equipo.md": "El equipo de la oficina se reúne los martes para repartir el trabajo.",
}
QUESTION = "¿cada cuánto hay que limpiar la rejilla de entrada?"


def test_a_spanish_question_finds_the_english_answer_among_spanish_texts(tmp_path: Path) -> None:
    home = make_kb(tmp_path, WATER)
    dense = ("--mode", "dense", "--rerank", "none")
    aware = hits(home, QUESTION, *dense)
    plain = hits(home, QUESTION, *dense, "--set", "query.language_gap=false")
    score = {hit["path"]: hit["score"] for hit in plain}
    raised = {hit["path"]: hit["score"] - score[hit["path"]] for hit in aware}
    assert raised.pop(ANSWER) > 0.02
    assert max(abs(by) for by in raised.values()) < 1e-6
    assert [hit["path"] for hit in aware].index(ANSWER) <= [hit["path"] for hit in plain].index(
        ANSWER
    )
    assert hits(home, QUESTION)[0]["path"] == ANSWER


def test_explain_tells_cosine_and_gap_apart(tmp_path: Path) -> None:
    home = make_kb(tmp_path, WATER)
    for hit in hits(home, QUESTION, "--explain"):
        dense = hit["explain"]["dense"]
        assert abs(dense["cosine"] + dense["language_gap"] - hit["legs"]["dense"]["score"]) < 1e-9
        assert bool(dense["language_gap"]) == (hit["path"] == ANSWER)


def test_a_cross_encoder_is_given_more_of_the_questions_own_language(tmp_path: Path) -> None:
    home = make_kb(tmp_path, WATER)

    def gap(*flags: str) -> float:
        found = {hit["path"]: hit for hit in hits(home, QUESTION, "--explain", *flags)}
        dense = found[ANSWER]["explain"]["dense"]
        score = found[ANSWER]["legs"]["dense"]["score"]
        assert abs(dense["cosine"] + dense["language_gap"] - score) < 1e-9
        return float(dense["language_gap"])

    cross = ("--rerank", "cross-encoder")
    assert gap(*cross) == pytest.approx(0.75 * gap())
    assert gap(*cross, "--set", "query.language_gap=false") == 0
    assert hits(home, QUESTION, *cross)[0]["path"] == ANSWER


def test_nothing_changes_where_all_is_in_one_language(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {k: v for k, v in WATER.items() if k != FILTER})
    assert hits(home, QUESTION) == hits(home, QUESTION, "--set", "query.language_gap=false")
