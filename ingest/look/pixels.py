"""Whether a question can be answered from text, or somebody has to look at the page."""

import re
import unicodedata
from dataclasses import dataclass

PICTURE = 0.05  # share of a page under images: less is a logo or a rule
CURVES = 30  # paths of a drawing; a page with a table has as many for its lines
MOSTLY = 0.5  # of a page under images
LITTLE_TEXT = 80  # characters that are known of such a page
# Spanish and English words for what only eyes see, without accents.
_SEEN = re.compile(
    r"\b(?:figuras?|graficos?|graficas?|diagramas?|imagen(?:es)?|ilustracion(?:es)?|fotos?|fotografias?"
    r"|dibujos?|planos?|mapas?|esquemas?|croquis|logotipos?|firmas?|sellos?|iconos?|curvas?|color(?:es)?"
    r"|figures?|graphs?|charts?|plots?|diagrams?|images?|pictures?|photos?|photographs?|drawings?|maps?"
    r"|sketch(?:es)?|logos?|signatures?|stamps?|icons?|curves?|colou?rs?|screenshots?|axis|axes)\b"
)


@dataclass(frozen=True, slots=True)
class Pictured:
    """What a page shows besides its text."""

    page: int
    images: float  # share of the page under images
    curves: int  # paths that are no lines of a table
    characters: int  # of the text that is known

    @property
    def has_picture(self) -> bool:
        """Whether there is anything that text does not tell."""
        return self.images >= PICTURE or self.curves >= CURVES

    @property
    def is_picture(self) -> bool:
        """Whether the page is next to nothing but a picture."""
        return self.has_picture and (
            self.characters < LITTLE_TEXT and (self.images >= MOSTLY or self.curves >= CURVES)
        )


def needs_pixels(question: str, page: Pictured) -> str:
    """Why the page has to be looked at to answer, ``""`` where its text is all there is to know."""
    asked = asks_for_pixels(question)
    if page.is_picture:
        return f"page {page.page} is a picture with next to no text: its pixels may hold the answer"
    if asked and page.has_picture:
        return f"the question asks for a {asked!r}, and page {page.page} has a picture: look at it"
    return ""


def asks_for_pixels(question: str) -> str:
    """The word in a question that asks for what only eyes see."""
    plain = unicodedata.normalize("NFD", question.casefold())
    found = _SEEN.search("".join(c for c in plain if not unicodedata.combining(c)))
    return found[0] if found else ""
