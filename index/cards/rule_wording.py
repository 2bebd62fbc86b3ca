"""A group's rules in words, in Spanish and English."""

from collections.abc import Sequence

from index.cards.cases import CasesOf
from index.cards.rule_prompt import Rule, plain
from index.cards.wording import Said, described, noun, whole


def said(of: CasesOf, rules: Sequence[Rule]) -> Said:
    """What the LLM found, and in how many of the cases, the best founded first."""
    group, language = described(of.counted, of.group), of.counted.language
    what, number = noun(of.counted), whole(of.group.count, language)
    read = whole(len(of.cases), language)
    if language == "es":
        title = f"Reglas de {what} con {group}"
        seen = f"los {number}" if len(of.cases) == of.group.count else f"{read} de los {number}"
        head = f"{title}, que un modelo halló en {seen} casos."
        asked = f"¿Qué suele pasar con {what} de {group}? ¿Qué regla, qué patrón, en qué casos?"
    else:
        title = f"Rules of {what} with {group}"
        seen = f"all {number}" if len(of.cases) == of.group.count else f"{read} of {number}"
        head = f"{title}, which a model found in {seen} cases."
        asked = f"What usually happens with {what} of {group}? Which rule, pattern, in which cases?"
    order = sorted(rules, key=lambda rule: -len(set(rule.cases)))
    return Said(title, asked, head, tuple(_line(rule, len(of.cases), language) for rule in order))


def _line(rule: Rule, read: int, language: str) -> str:
    """A rule and what bears it out: ``When X, Y: 37 of 40 cases, 2 against``."""
    when, then = plain(rule.when), plain(rule.then)
    holds, against = len(set(rule.cases)), len(set(rule.exceptions))
    if language == "es":
        count = f"{holds} de {read} casos"
        return f"Si {when}, {then}: {count}{f', {against} en contra' if against else ''}."
    count = f"{holds} of {read} cases"
    return f"When {when}, {then}: {count}{f', {against} against' if against else ''}."
