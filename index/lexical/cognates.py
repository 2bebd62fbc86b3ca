"""Spellings a Spanish word would have in English, and the other way round.

Most learned words of the two languages differ in their ending (``información``, ``information``) and
in a few letters (``fotografía``, ``photography``). A query's word is also looked up as its likely
cognates; those that no chunk holds cost nothing.
"""

from collections.abc import Iterable

_SHORTEST = 6  # letters; shorter words meet strangers

_SPANISH_ENGLISH = """
aciones ations|acion ation|ciones tions|cion tion|siones sions|idades ities|idad ity
encias ences|encia ence|ancia ance|icas ic|icos ic|ico ic|ica ic|oso ous|osa ous|ismo ism
istas ists|ista ist|ivos ive|ivas ive|ivo ive|iva ive|amente ly|mente ly|ario ary|aria ary
orio ory|oria ory|ias ies|ia y|io y|ados ated|adas ated|ado ated|ada ated|izar ize|ar ate
as es|os es|as s|os s|es s|a e|o e
"""
_LETTERS = (("f", "ph"), ("cua", "qua"), ("t", "th"), ("i", "y"))
_STARTS = (("esp", "sp"), ("est", "st"), ("esc", "sc"))

Pairs = tuple[tuple[str, str], ...]


def _longest_first(pairs: Iterable[tuple[str, str]]) -> Pairs:
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


def _swapped(pairs: Iterable[tuple[str, str]]) -> Pairs:
    return tuple((b, a) for a, b in pairs)


_ENDINGS = [
    (pair.split()[0], pair.split()[1])
    for pair in _SPANISH_ENGLISH.strip().replace("\n", "|").split("|")
]
_RULES: dict[tuple[str, str], tuple[Pairs, Pairs, Pairs]] = {
    ("es", "en"): (_longest_first([*_ENDINGS, ("a", ""), ("o", "")]), _LETTERS, _STARTS),
    ("en", "es"): (_longest_first(_swapped(_ENDINGS)), _swapped(_LETTERS), _swapped(_STARTS)),
}


def cognates(word: str, source: str, target: str) -> list[str]:
    """Likely spellings in `target` of a folded word of `source`, at most a few dozen, no duplicates.

    Empty for short words, words with signs and pairs of languages other than Spanish and English.
    """
    if len(word) < _SHORTEST or not word.isalpha() or (source, target) not in _RULES:
        return []
    endings, letters, starts = _RULES[source, target]
    size = next((len(a) for a, _ in endings if word.endswith(a)), None)
    found = [
        word[: len(word) - len(a)] + b for a, b in endings if len(a) == size and word.endswith(a)
    ]
    for spelling in [*found, word]:
        for a, b in letters:
            if a in spelling[:-2]:
                found += [spelling.replace(a, b, 1), spelling.replace(a, b)]
        found += [b + spelling.removeprefix(a) for a, b in starts if spelling.startswith(a)]
    return list(dict.fromkeys(found))
