"""Which questions are taken for broad ones. Written after the rules; see README for real collections."""

import pytest

from kb.settings import QuerySettings
from query.route import route
from query.route.broad import asks_overview

BROAD = """
Give me an overview of the safety policies.
Summarize what the reports say about staffing.
What are the key lessons from last year's incidents?
How did our travel policy change between 2023 and 2025?
What is this handbook about?
Compare the maintenance plans of the two plants.
What do all the suppliers have to deliver, and what does each of them charge?
What attitude does the narrator take towards the war?
Which ways of paying are accepted?
Describe the main character's development.
How has the team's structure evolved since it was founded?
What role does money play in the novel?
In broad terms, how does the company make money?
What happened over the course of the project?
Tell me the story from beginning to end.
Hazme un resumen de los informes trimestrales.
¿De qué trata este libro?
¿Cuáles son los principales riesgos del proyecto?
¿Cómo ha cambiado la política de gastos en los últimos años?
¿Qué temas se tratan en las actas?
Compara los dos contratos de mantenimiento.
¿Qué papel juega el agua en la novela?
¿Cuál es el tema de la obra?
Explica a grandes rasgos cómo funciona la cooperativa.
¿Cómo evoluciona la relación entre los dos hermanos?
Dame una visión general de los manuales.
¿Qué se dice de la seguridad a lo largo del documento?
¿En qué se diferencia la postura del alcalde de la de los vecinos?
¿Qué imagen da el autor de la ciudad?
Enumera todas las obligaciones del inquilino.
"""
NARROW = """
How long does the warranty last?
What is the torque of the M8 bolts?
What does error E-217 mean?
How do I change the password of the router?
What type of oil does the gearbox take?
How many people work in the northern team?
What is the difference between a lock and a latch?
Who plays the role of Hamlet in the film?
Which key opens the main valve?
Where does the main road cross the river?
Who sent radio waves across the Atlantic?
¿Cuánto dura la garantía?
¿Cómo cambio el filtro de la bomba?
¿Dónde está el cuadro eléctrico principal?
¿Qué tipo de aceite lleva la caja?
¿Qué diferencia hay entre un perno y un tornillo?
¿Quién interpreta el papel de Hamlet?
¿Qué papel se usa en la impresora?
¿Qué río corre a lo largo de la calle Mayor?
¿Qué debo hacer si salta el diferencial?
"""


def test_broad_and_narrow_questions() -> None:
    broad, narrow = BROAD.strip().splitlines(), NARROW.strip().splitlines()
    assert [question for question in broad if not asks_overview(question)] == []
    assert [question for question in narrow if asks_overview(question)] == []


def test_the_reason_names_the_words() -> None:
    assert asks_overview("¿Cómo ha cambiado  la política?") == (
        "it asks for how it changes: 'Cómo ha cambiado'"
    )


def test_the_tree_is_taken_only_where_there_is_one() -> None:
    text, auto = "Summarize the reports.", QuerySettings(mode="auto")
    taken = route(text, auto, ("raptor", "derived"))
    assert taken.mode == "tree"
    assert "summary" in taken.kinds
    assert "'Summarize'" in taken.reason
    assert route(text, auto, ()).mode == "hybrid"
    assert route("Who signed?", auto, ("raptor",)).mode == "hybrid"


@pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse", "tree", "graph"])
def test_what_is_asked_for_is_taken(mode: str) -> None:
    chosen = route("Summarize the reports.", QuerySettings(mode=mode), ("raptor",))  # type: ignore[arg-type]
    assert chosen.mode == mode
    assert ("summary" in chosen.kinds) == (mode == "tree")
