"""Which questions ask how things hang together."""

import pytest

from query.route.relation import asks_relation


@pytest.mark.parametrize(
    "question",
    [
        "How is Ana related to the plant?",
        "How are the pump and the valve connected?",
        "What is the relationship between the mayor and the school?",
        "What do the two towns have in common?",
        "What does the river have to do with the strike?",
        "What links the mill to the fire?",
        "¿Qué relación hay entre Ana y Luis?",
        "¿Cómo se relacionan la bomba y la válvula?",
        "¿Qué tienen en común ambos pueblos?",
        "¿Qué tiene que ver el río con la huelga?",
        "¿Cuál es la relación del alcalde con la escuela?",
        "como estan vinculados el molino y el incendio",
    ],
)
def test_these_do(question: str) -> None:
    assert asks_relation(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the mayor?",
        "How do I link a stylesheet?",
        "How is the pump primed?",
        "relación de gastos de 2024",
        "¿Cuántos vínculos caducados hay?",
        "Which towns lie on the river?",
        "",
    ],
)
def test_these_do_not(question: str) -> None:
    assert not asks_relation(question)
