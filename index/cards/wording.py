"""A card's sentences, in Spanish and English."""

import posixpath
from dataclasses import dataclass

from index.cards.counting import Counted, Group
from index.cards.numbers import Numbers
from ingest.words import words

# Folders and files whose names say nothing of what lies in them.
_NO_NAMES = words("""
archivos data datos docs documentos documents files ficheros kb corpus src . ..
""") | {""}
_UNITS = {
    "es": {"documents": "documentos", "records": "registros", "matches": "menciones"},
    "en": {"documents": "documents", "records": "records", "matches": "mentions"},
}
_FIELDS = {
    "year": "año",
    "month": "mes",
    "folder": "carpeta",
    "source": "fuente",
    "language": "idioma",
    "type": "tipo",
    "tags": "etiqueta",
    "title": "título",
    "path": "archivo",
}
_MOST_TIED = 3  # groups that are the most common together; more are no answer
_ONE = {
    "documentos": "documento",
    "registros": "registro",
    "menciones": "mención",
    "documents": "document",
    "records": "record",
    "mentions": "mention",
}
_VALUES = {"es": {"true": "sí", "false": "no"}, "en": {"true": "yes", "false": "no"}}
_NUMBERS = {
    "es": "suma {sum}, media {mean}, mediana {median}, mínimo {min}, máximo {max}",
    "en": "sum {sum}, mean {mean}, median {median}, minimum {min}, maximum {max}",
}


@dataclass(frozen=True, slots=True)
class Said:
    """A card in words."""

    title: str
    asked: str  # the questions it answers; for search, not to be shown as the documents' words
    head: str  # stands above each part of a long card
    lines: tuple[str, ...]


def said(counted: Counted) -> Said:
    """The sentences of a card."""
    head = _head(counted)
    if len(counted.groups) > 1:
        head = f"{head} {_most_common(counted)}".rstrip()
    top = counted.groups[: counted.definition.settings.top]
    lines = [*(_group(counted, group) for group in top), *_rest(counted, len(top))]
    return Said(_title(counted), _asked(counted), head, tuple(lines))


def noun(counted: Counted) -> str:
    """What the counted things are called."""
    given = counted.definition.settings.noun
    if given:
        return given
    name = posixpath.basename(counted.folder)
    stem = " ".join(posixpath.splitext(name)[0].replace("_", " ").replace("-", " ").split())
    of = counted.definition.settings.of
    one_file = counted.documents == 1 and of == "documents"
    return _UNITS[counted.language][of] if one_file or stem.lower() in _NO_NAMES else stem


def label(counted: Counted) -> str:
    """The fields that are grouped by, in words."""
    join = " y " if counted.language == "es" else " and "
    return join.join(_field(name, counted.language) for name in counted.definition.fields)


def described(counted: Counted, group: Group) -> str:
    """A group: ``color negro, sexo macho``."""
    return ", ".join(
        f"{_field(name, counted.language)} {_VALUES[counted.language].get(value, value)}"
        for name, value in zip(counted.definition.fields, group.values, strict=True)
    )


def whole(number: int, language: str) -> str:
    """``1,234``; in Spanish ``1.234``."""
    return f"{number:,}".replace(",", ".") if language == "es" else f"{number:,}"


def share(part: int, all_: int, language: str) -> str:
    """``33.3%``; in Spanish ``33,3 %``."""
    percent = 100 * part / all_ if all_ else 0.0
    text = f"{percent:.1f}".removesuffix(".0")
    if part and text == "0":
        text = "<0.1"
    return f"{text.replace('.', ',')} %" if language == "es" else f"{text}%"


def _field(name: str, language: str) -> str:
    field, colon, part = name.rpartition(":")
    if colon and part in ("year", "month"):
        shown = _field(field, language)
        return f"{_FIELDS[part]} de {shown}" if language == "es" else f"{part} of {shown}"
    if language == "es" and name.lower() in _FIELDS:
        return _FIELDS[name.lower()]
    return "tag" if name.lower() == "tags" else name.replace("_", " ")


def _things(counted: Counted, number: int) -> str:
    """``1 document``, ``90 cats``; the singular of a noun that a user or a folder gives is not known."""
    name = noun(counted)
    return f"{whole(number, counted.language)} {_ONE.get(name, name) if number == 1 else name}"


def _title(counted: Counted) -> str:
    if counted.language == "es":
        return f"Recuento de {noun(counted)} por {label(counted)}"
    return f"Count of {noun(counted)} by {label(counted)}"


def _head(counted: Counted) -> str:
    spanish = counted.language == "es"
    where = f" ({counted.folder})" if counted.folder else ""
    if conditions := " and ".join(counted.definition.settings.where):
        where += f", solo con {conditions}" if spanish else f", only with {conditions}"
    day = counted.definition.day
    on = f" a {day}" if day and spanish else f" on {day}" if day else ""
    title = f"{_title(counted)}{where}{on}"
    of = "en total" if spanish else "in all"
    numbers = _amounts(counted, counted.numbers)
    return f"{title}: {_things(counted, counted.total)} {of}{numbers}."


def _asked(counted: Counted) -> str:
    what, by = noun(counted), label(counted)
    others = " ".join(word for word in counted.titles if word not in what.lower().split())
    of = f"{what} ({others})" if others else what
    value = counted.definition.settings.value
    if counted.language == "es":
        amounts = f" ¿Cuál es el valor medio, total, mínimo y máximo de {value}?" if value else ""
        return (
            f"¿Cuántos {of} hay? ¿Cuántos de cada {by}, y qué porcentaje? ¿Qué {by} es más "
            f"frecuente?{amounts}"
        )
    amounts = f" What is the average, total, lowest and highest {value}?" if value else ""
    return (
        f"How many {of} are there? How many of each {by}, and what share? Which {by} is most "
        f"common?{amounts}"
    )


def _most_common(counted: Counted) -> str:
    first, second = counted.groups[:2]
    if first.count == second.count:
        names = [described(counted, g) for g in counted.groups if g.count == first.count]
        if len(names) > _MOST_TIED:
            return ""
        each = whole(first.count, counted.language)
        if counted.language == "es":
            return f"Los más frecuentes, con {each} cada uno: {'; '.join(names)}."
        return f"The most common, with {each} each: {'; '.join(names)}."
    if counted.language == "es":
        return f"Lo más frecuente: {described(counted, first)}."
    return f"The most common: {described(counted, first)}."


def _group(counted: Counted, group: Group) -> str:
    language = counted.language
    part = share(group.count, counted.total, language)
    amounts = _amounts(counted, group.numbers)
    return f"{described(counted, group)}: {_things(counted, group.count)} ({part}){amounts}."


def _rest(counted: Counted, shown: int) -> list[str]:
    language = counted.language
    spanish = language == "es"
    lines = []
    others = counted.groups[shown:]
    if others:
        number = whole(len(others), language)
        units = whole(sum(group.count for group in others), language)
        lines.append(f"Y {number} más: {units}." if spanish else f"And {number} more: {units}.")
    if counted.without:
        word = "Sin" if spanish else "Without"
        part = share(counted.without, counted.total, language)
        lines.append(f"{word} {label(counted)}: {_things(counted, counted.without)} ({part}).")
    if counted.several:
        lines.append(
            "Uno puede contar en varios grupos."
            if spanish
            else "One can count in more than one group."
        )
    return lines


def _amounts(counted: Counted, numbers: Numbers | None) -> str:
    if numbers is None:
        return ""
    names = ("sum", "mean", "median", "min", "max")
    values = {name: amount(getattr(numbers, name), counted.language) for name in names}
    field = _field(counted.definition.settings.value, counted.language)
    return f"; {field}: {_NUMBERS[counted.language].format(**values)}"


def amount(number: float, language: str) -> str:
    """At most two decimals: ``1,234.5``; in Spanish ``1.234,5``."""
    text = f"{number:,.2f}".rstrip("0").rstrip(".")
    if language == "es":
        return text.translate(str.maketrans(",.", ".,"))
    return text
