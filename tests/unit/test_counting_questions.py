"""Which questions are for cards."""

import pytest

from kb.settings import QuerySettings
from query.route import route
from query.route.counting import asks_to_count

COUNTING = (
    "¿Cuántos gatos negros hay?",
    "cuantas polizas vencen este año",
    "How many contracts are active?",
    "What share of the contracts is active?",
    "What percentage of tickets were closed?",
    "¿Qué porcentaje de los tickets está cerrado?",
    "Which status is most common?",
    "¿Cuál es el estado más frecuente?",
    "number of open tickets",
    "número de incidencias por mes",
    "¿Cuál es el peso medio de los machos?",
    "average weight of the cats",
    "What is the total of the invoices?",
    "breakdown of tickets by priority",
    "¿Cómo se reparten los contratos por año?",
)
OTHERS = (
    "What does error E-217 mean?",
    "¿Quién aprueba los gastos de viaje?",
    "How do I prime the pump?",
    "¿Cuánto tarda la bomba en cebarse?",
    "When does the contract end?",
    "¿Qué hacer si la turbina se para?",
    "account settings of the server",
)


@pytest.mark.parametrize("question", COUNTING)
def test_a_counting_question_is_known(question: str) -> None:
    assert asks_to_count(question)


@pytest.mark.parametrize("question", OTHERS)
def test_another_question_is_left_alone(question: str) -> None:
    assert not asks_to_count(question)


def test_cards_answer_in_auto_where_there_are_some() -> None:
    auto = QuerySettings(mode="auto")
    assert route(COUNTING[0], auto, ("chunks", "cards")).kinds == ("text", "card")
    assert route(COUNTING[0], auto, ("chunks",)).kinds == ("text",)
    assert route(OTHERS[0], auto, ("chunks", "cards")).kinds == ("text",)
    assert route(COUNTING[0], QuerySettings(mode="hybrid"), ("cards",)).kinds == ("text",)
