import pytest

from ingest.look.pixels import Pictured, asks_for_pixels, needs_pixels

TEXT = Pictured(3, images=0.0, curves=2, characters=2000)
FIGURE = Pictured(3, images=0.3, curves=0, characters=900)
DRAWING = Pictured(3, images=0.0, curves=400, characters=900)
PHOTO = Pictured(3, images=0.9, curves=0, characters=12)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("¿De qué COLOR es la placa?", "color"),
        ("¿Qué muestra el gráfico de caudales?", "grafico"),
        ("Who signed? Is there a stamp?", "stamp"),
        ("what colour is the wire", "colour"),
        ("How long must the capacitors discharge?", ""),
        ("¿Cómo se configura la bomba?", ""),  # no "figura"
        ("sellar la junta", ""),
    ],
)
def test_words_that_ask_for_what_only_eyes_see(question: str, word: str) -> None:
    assert asks_for_pixels(question) == word


@pytest.mark.parametrize(
    ("question", "page", "needed"),
    [
        ("¿Qué muestra el gráfico?", FIGURE, True),
        ("¿Qué muestra el gráfico?", DRAWING, True),
        ("¿Qué muestra el gráfico?", TEXT, False),
        ("¿Cuánto cuesta?", FIGURE, False),
        ("¿Cuánto cuesta?", PHOTO, True),
    ],
)
def test_when_the_page_has_to_be_looked_at(question: str, page: Pictured, needed: bool) -> None:
    why = needs_pixels(question, page)
    assert bool(why) == needed
    assert not needed or "page 3" in why
