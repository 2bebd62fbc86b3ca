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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Presión máxima: 3 bar", "es"),
        ("Bomba averiada, cambiar junta", "es"),
        ("Reunión mañana a las 10", "es"),
        ("Año fiscal cerrado", "es"),
        ("Introducción", "es"),
        ("Maximum pressure: 3 bar", "en"),
        ("Spare parts price list 2025", "en"),
        ("Broken pump, replace gasket", "en"),
        ("Weekly filter cleaning", "en"),
        ("Haga clic en el botón Settings y elija Advanced Options en el menú", "es"),
        ("El deploy del backend falló por un timeout en el load balancer", "es"),
        ("Our office in San Sebastián de los Reyes opens at nine", "en"),
        ("Please send the factura to María López before Friday", "en"),
        ("Handbuch Wasserpumpe", ""),
        ("Pompe à eau solaire", ""),
        ("Manual do usuário", ""),
        ("E-217 4471 BS30", ""),
        ("Filtro", ""),
    ],
)
def test_a_few_words(text: str, code: str) -> None:
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
