"""What a terminal shows of a chunk."""

import io

from rich.console import Console

from cli.snippet import LINES, question_words, snippet

CONSOLE = Console(width=44, file=io.StringIO())
FILLER = "Nada de esto tiene que ver con lo que se pregunta aquí. "


def bold(text: str, question: str) -> list[str]:
    shown = snippet(CONSOLE, text, question_words(question), 4)
    return [shown.plain[s.start : s.end] for s in shown.spans if s.style == "bold"]


def test_words_are_marked_in_any_form_and_function_words_are_not() -> None:
    text = "Los rodamientos de la bomba llevan 40 gramos de grasa."
    assert bold(text, "¿Cuántos GRAMOS de grasa lleva el rodamiento?") == [
        "rodamientos",
        "llevan",
        "gramos",
        "grasa",
    ]


def test_accents_do_not_matter_but_the_enye_does() -> None:
    assert bold("El camión del año 1990, ano de la nada", "camion año") == ["camión", "año"]


def test_the_lines_that_hold_the_words_are_shown() -> None:
    text = FILLER * 10 + "La contraseña del variador es secreta. " + FILLER * 10
    shown = snippet(CONSOLE, text, question_words("contraseña variador"), 4).plain
    assert "contraseña del variador" in " ".join(shown.split())
    assert len(shown.splitlines()) <= LINES + 1
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_a_short_text_is_shown_whole() -> None:
    assert snippet(CONSOLE, "hola", frozenset(), 4).plain == "hola"
    assert snippet(CONSOLE, "", frozenset(), 4).plain == ""
