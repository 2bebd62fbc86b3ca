import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.sentences import sentence_starts


def cut(text: str) -> list[str]:
    starts = sentence_starts(text)
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["El Sr. Pérez vive en la Av. Libertador 12.", "La Dra. Gómez no.", "¿Vienes?", "¡Claro!"],
        ["Usa p. ej. Python 3.11.", "Cuesta 3.50 euros.", "Espera... ya voy.", "Y luego…", "Fin."],
        ["Según EE. UU. y la ONU, etc. no hay más.", "Véase pág. 12 y art. 5.", "«Hola.»", "Dijo."],
        ["Mr. Smith went to the U.S. in 1999.", "He read e.g. Fig. 3.", "It cost $3.50.", "Wait!"],
        ["I live in the U.S.", "The end."],
        ["The U.S. Army and J. K. Rowling met Dr. No at 5 p.m. on Monday.", "They left."],
        ['He said "Stop!" and left.', '"Why?" he asked.', "(It was late.)", "OK."],
        ["Use file.txt and v1.2.3.", "Then run it."],
        ["misma frase.", "misma frase.", "misma frase."],
        ["我们今天去北京。", "明天回来\uff1f", "好\uff01", "行。"],
        ["1. Primero va esto.", "Luego lo otro."],
        ["See no. 5 of the list.", "I said no.", "Then yes."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


def test_no_space_before_an_opening_mark_or_after_a_wide_stop() -> None:
    assert cut("¿Vienes?¡Claro!") == ["¿Vienes?", "¡Claro!"]
    assert cut("今天。明天。") == ["今天。", "明天。"]


def test_blank_lines_and_list_marks_start_a_sentence() -> None:
    assert cut("sin punto\n\notra\ncosa\n- uno\n- dos\n2) tres") == [
        "sin punto", "otra\ncosa", "- uno", "- dos", "2) tres"
    ]  # fmt: skip


@given(st.text(st.sampled_from("aB.!?… \n\r\"')¿1-。x"), max_size=60))
def test_starts_rise_from_zero_and_stand_on_ink(text: str) -> None:
    starts = sentence_starts(text)
    assert starts[:1] == ([0] if text else [])
    assert starts == sorted(set(starts))
    assert all(not text[at].isspace() for at in starts[1:])


@pytest.mark.parametrize(
    "text", ["." * 10**6, "\n \n" * 300_000, "a. " * 300_000, "\n" + " " * 10**6]
)
def test_a_megabyte_takes_a_second(text: str) -> None:
    begun = time.process_time()
    sentence_starts(text)
    assert time.process_time() - begun < 3
