"""Function words of Spanish and English, and the language they betray.

Short lists: articles, pronouns, prepositions, conjunctions, auxiliaries, question words. Words that
can carry the question (``system``, ``new``, ``first``) are in none.
"""

from collections.abc import Iterable

from index.lexical.folding import fold

_SPANISH = """
a al algo alguna algunas alguno algunos algún ante aquel aquella aquellas aquello aquellos aquél
aunque aún bajo cada como con contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos
cuya cuyas cuyo cuyos cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde donde
durante dónde e el ella ellas ellos en entonces entre era eran es esa esas ese eso esos esta
estaba estaban estado estamos estar estas este esto estos está están estén esté fue fueron ha
haber había habían habrá hace hacia han has hasta hay haya he hemos la las le les lo los mas me mi
mientras mis misma mismas mismo mismos muy más mí ni no nos nosotros nuestra nuestras nuestro
nuestros o os otra otras otro otros para pero por porque pues puede pueden que quien quienes quién
quiénes qué se sea sean según ser será serán si sido siendo sin sino sobre sola solo son soy su
sus suya suyas suyo suyos sí sólo tal tales también tampoco tan tanto te tener tengo tenía ti
tiene tienen todas todos todo toda tras tu tus tú u un una unas uno unos usted ustedes va vosotros
y ya yo él ésta éstas éste éstos
"""
_ENGLISH = """
a about after all also am an and any are aren't as at be because been before being between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each for
from had hadn't has hasn't have haven't having he he's her here hers herself him himself his how i
i'd i'll i'm i've if in into is isn't it it's its itself just me more most my myself no nor not of
off on once only or other our ours ourselves out over own same she she's should shouldn't so some
such than that that's the their theirs them themselves then there there's these they they'll
they're they've this those through to too under until up upon us very was wasn't we we'll we're
we've were weren't what what's when where which while who who's whom whose why will with won't
would wouldn't you you'll you're you've your yours yourself yourselves
"""


def _with_bare(words: Iterable[str]) -> frozenset[str]:
    """Also as typed without accents: ``tambien``."""
    return frozenset(form for word in words for form in (word, fold(word)))


STOP_WORDS = {"es": _with_bare(_SPANISH.split()), "en": _with_bare(_ENGLISH.split())}


def guess_languages(words: Iterable[str]) -> frozenset[str]:
    """The languages whose function words a query may leave out.

    Counts each language's function words among the casefolded words: the most wins, a draw is a
    union (``no``, ``a`` and ``me`` are both), none at all is the empty set.
    """
    heard = list(words)
    counts = {code: sum(w in stop for w in heard) for code, stop in STOP_WORDS.items()}
    most = max(counts.values())
    return frozenset(code for code, n in counts.items() if n == most and n > 0)
