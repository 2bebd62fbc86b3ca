"""Whether a question asks for a count, a share or what is most common, in Spanish or English."""

import re

_ASKS = re.compile(
    r"""\b(?:
      cu[aá]nt[ao]s | how\s+many
    | (?:qu[eé]|cu[aá]l\s+es\s+(?:el|la))\s+(?:porcentaje|proporci[oó]n|fracci[oó]n)
    | what\s+(?:is\s+the\s+)?(?:share|percentage|percent|proportion|fraction)
    | (?:porcentaje|proporci[oó]n|n[uú]mero|cantidad|recuento|total|suma|media|promedio|mediana
        |reparto|distribuci[oó]n)\s+(?:total\s+)?de
    | (?:percentage|share|proportion|number|count|total|sum|average|mean|median|breakdown
        |distribution)\s+(?:\w+\s+)?(?:of|by)
    | (?:m[aá]s|menos)\s+(?:frecuentes?|com[uú]n(?:es)?|habitual(?:es)?|numeros[ao]s?|repetid[ao]s?)
    | (?:most|least)\s+(?:common|frequent|numerous|often)
    | c[oó]mo\s+se\s+(?:reparten|distribuyen)
    | (?:average|median|total|the\s+mean)\s+\w+
    | cu[aá]l\s+es\s+(?:el|la)\s+(?:\w+\s+)?(?:medi[oa]|promedio|total)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_to_count(text: str) -> bool:
    """Whether cards may know the answer: it takes many documents to tell."""
    return _ASKS.search(text) is not None
