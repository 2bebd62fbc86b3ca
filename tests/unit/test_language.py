import pytest

from ingest.language import declared, detect, for_chunk


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("El cliente debe pagar la factura", "es"),
        ("¿Qué dice la política de viajes?", "es"),
        ("El lince ibérico vive en Doñana", "es"),
        ("The invoice must be paid", "en"),
        ("how do I reset it", "en"),
        ("O relatório anual da empresa foi publicado em março de 2024 e não é longo", "pt"),
        ("Le rapport annuel de la société a été publié en mars", "fr"),
        ("Der Jahresbericht der Firma wurde im März veröffentlicht", "de"),
        ("La relazione annuale della società è stata pubblicata in marzo", "it"),
        ("これは日本語の文章です。", "ja"),
        ("", ""),
        ("12 34,5 %", ""),
        ("hola", ""),
        ("for (int i = 0; i < n; i++) { a[i] = f(b[i]); }", ""),
        ("```\nthe code is in this and that for the\n```\nEl código de la empresa está aquí", "es"),
    ],
)
def test_detect(text: str, code: str) -> None:
    assert detect(text) == code


def test_the_larger_part_of_a_mixed_text_wins() -> None:
    es, en = "El pago de la cuota es en enero. ", "The fee is due in January. "
    assert detect(es * 3 + en) == "es"
    assert detect(es + en * 3) == "en"


def test_a_short_chunk_goes_by_its_document() -> None:
    assert for_chunk("Total: 45", "es") == "es"
    assert for_chunk("Anexo técnico", "es") == "es"
    assert for_chunk("The fee is due in January.", "es") == "en"
    assert for_chunk("", "en") == "en"


def test_declared() -> None:
    assert declared({"lang": "es-MX"}) == "es"
    assert declared({"language": "EN"}) == "en"
    assert declared({"lang": "Spanish"}) == ""
    assert declared({"lang": 3}) == ""
