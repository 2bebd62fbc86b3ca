"""Relations by the words between two names: a small set of typed patterns, Spanish and English."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from index.graph.extract.found import Found
from index.graph.records import RawRelation

SAME = "also known as"  # the relation of two names of one thing
_FAR = 64  # characters between two names
_THE = r"(?: (?:the|a|an|el|la|los|las|un|una))?"
_ROLE = r"(?P<role>[^\W\d_][\w-]*(?: (?!of |de )[^\W\d_][\w-]*){0,2})"
_IS = r"(?:is|was|are|were|became|es|era|fue|son|eran)"
_VERBS = r"""
acquir(?:es|ed) bought buys founded founds co-founded created creates built builds designed designs
wrote writes published publishes directed directs produced produces developed develops invented
discovered discovers married marries met leads led heads headed runs ran owns owned joined joins left
leaves killed defeated beat beats won wins played plays starred hired hires replaced replaces
succeeded succeeds uses used supports supported calls called imports extends implements requires
contains includes borders visited visits moved lives lived studied studies teaches taught graduated
died attacked attacks signed signs released releases launched launches sells sold makes made sent
sends gave gives told tells asked asks warned warns trusts trusted mentors mentored
compró compra fundó funda creó crea construyó diseñó escribió escribe publicó publica dirigió dirige
produjo produce desarrolló desarrolla inventó descubrió casó conoció lidera lideró encabeza preside
presidió posee dejó mató derrotó venció ganó gana jugó juega contrató reemplazó sustituyó sucedió usa
utiliza utilizó apoya apoyó llamó requiere contiene incluye limita visitó vive vivió estudió estudia
enseña enseñó murió atacó firmó lanzó vendió vende hizo hace envió envía dio dijo preguntó avisó
nombró nombra representa representó pertenece
""".split()  # noqa: SIM905
_TO = r"(?: (?:by|in|at|for|to|with|from|on|as|a|en|con|por|para|de|al|del))?"
_VERB = rf"(?P<verb>(?:{'|'.join(_VERBS)}){_TO})"
_WHO = r",? (?:who |that |que )?"
_WORK = r"(?:work(?:s|ed|ing)|trabaj(?:a|ó|aba|an)) (?:at|for|in|en|para)"
_STAND = r"(?:located|based|headquartered|situad[oa]|ubicad[oa]) (?:in|at|en)"
_CALLED = r"(?:known|called|conocid[oa]|llamad[oa])"
_PATTERNS = tuple(
    (re.compile(pattern), relation)
    for pattern, relation in (
        (rf",? ?(?:also|better|formerly|también)? ?{_CALLED}(?: (?:as|como))?,?", SAME),
        (r",? (?:aka|a\.k\.a\.|alias|stands for)", SAME),
        (rf"{_WHO}(?:{_IS} )?{_WORK}{_THE}", "works at"),
        (rf",? (?:{_IS} |está |estaba )?{_STAND}{_THE}", "located in"),
        (rf"{_WHO}(?:{_IS} )?(?:born|nacid[oa]|nació) (?:in|en){_THE}", "born in"),
        (rf",? (?:{_IS} )?(?:a )?(?:part|parte) (?:of|de|del){_THE}", "part of"),
        (rf",? (?:{_IS}{_THE} )?(?:member|miembro) (?:of|de|del){_THE}", "member of"),
        (rf",? {_IS}{_THE} {_ROLE} (?P<of>of|de|del|at|in|en|for){_THE}", ""),
        (rf",{_THE} {_ROLE} (?P<of>of|de|del|at|for){_THE}", ""),
        (rf"{_WHO}(?:was |is |fue |se |was later |then |luego )?{_VERB}{_THE}", ""),
    )
)


def typed(text: str, names: Sequence[Found], sentence: tuple[int, int]) -> Iterator[RawRelation]:
    """Relations of neighbouring names of one sentence.

    Args:
        text: of the chunk.
        names: of the sentence, in order, none inside another.
        sentence: start and end; each relation stands on it.
    """
    for place, (before, after) in enumerate(pairwise(names)):
        gap = text[before.end : after.start]
        relation = _relation(gap) if len(gap) <= _FAR else ""
        if relation:
            subject = _beyond(text, names[: place + 1]) if gap.startswith(", ") else before
            yield RawRelation(subject.name, relation, after.name, span=sentence)


def _beyond(text: str, names: Sequence[Found]) -> Found:
    """Whom a sentence goes on about after a comma: in "Zhang, a dentist in Leeds, works" not Leeds."""
    for earlier in reversed(names[:-1]):
        if text.startswith(", ", earlier.end):
            return earlier
    return names[-1]


def _relation(gap: str) -> str:
    gap = " ".join(f"_{gap}_".split()).strip("_").rstrip().lower()
    if not gap or "\n" in gap:
        return ""
    for pattern, relation in _PATTERNS:
        found = pattern.fullmatch(gap)
        if found:
            said = found.groupdict()
            return relation or said.get("verb") or f"{said['role']} {said['of']}"
    return ""
