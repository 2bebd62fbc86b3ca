"""Questions that ask how things hang together, in Spanish and English."""

import re

_ASKS = re.compile(
    r"""
    \b(?:
      (?:how|in\ what\ way)\ (?:is|are|was|were)\b.{1,120}?\b(?:related|connected|linked|tied)\b
    | (?:how|in\ what\ way)\ (?:does|do|did)\b.{1,120}?\b(?:relate|connect)\ (?:to|with)\b
    | (?:relations?|relationships?|connections?|links?|ties?)\ between\b
    | what\ (?:do|does|did)\b.{1,120}?\bhave\ (?:to\ do\ with|in\ common)
    | what\ (?:connects|links|relates|ties)\b
    | (?:relaci[oó]n|relaciones|v[ií]nculos?|conexi[oó]n|conexiones|nexos?|parentesco)\ 
        (?:hay\ |existe\ |tienen?\ |guardan?\ |une\ )?(?:entre|con|del?\b.{1,80}?\bcon)\b
    | qu[eé]\ (?:relaci[oó]n|v[ií]nculo|conexi[oó]n|parentesco)\b
    | c[oó]mo\ (?:se|est[aá]n?)\ (?:relacion|conect|vincul)(?:an?|ad[oa]s?)\b
    | qu[eé]\ (?:tienen?|ten[ií]an?)\ (?:que\ ver|en\ com[uú]n)\b
    | qu[eé]\ (?:une|unen|vincula|conecta)\ a\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def asks_relation(text: str) -> str:
    """The words by which a question asks how things are related; "" where it does not."""
    found = _ASKS.search(" ".join(text.split()))
    return found[0].strip() if found else ""
