"""Answers in a given form: its JSON Schema, and reading what a model made of it."""

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from kb.models.llm import json_text
from kb.models.llm.base import Schema

T = TypeVar("T")
# Bounds are checked here; not every server takes them.
_PORTABLE = {"type", "properties", "required", "items", "enum", "const", "anyOf"}


class UnreadableError(ValueError):
    """The answer is not of the form that was asked for."""


def schema_of(form: type) -> Schema:
    """The JSON Schema of a Struct: references resolved, closed, every field required."""
    whole = msgspec.json.schema(form)
    return _plain(whole, whole.get("$defs", {}))


def _plain(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    plain = {key: value for key, value in schema.items() if key in _PORTABLE}
    if "properties" in plain:
        fields = {name: _plain(s, definitions) for name, s in plain["properties"].items()}
        plain |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    if isinstance(plain.get("items"), dict):
        plain["items"] = _plain(plain["items"], definitions)
    if "anyOf" in plain:
        plain["anyOf"] = [_plain(option, definitions) for option in plain["anyOf"]]
    return plain


def read(text: str, form: type[T]) -> T:
    """A whole answer, alone or amid prose and fences.

    Raises:
        UnreadableError: there is none; says what is wrong with what there is.
    """
    if not text.strip():
        raise UnreadableError("it is empty")
    problem = ""
    for candidate in json_text.candidates(text):
        try:
            return msgspec.json.decode(candidate, type=form, strict=False)
        except msgspec.ValidationError as error:
            problem = str(error)
        except msgspec.DecodeError as error:
            problem = problem or f"its JSON is broken: {error}"
    raise UnreadableError(
        problem if json_text.first_bracket(text) is not None else "it holds no JSON"
    )


def salvage(text: str, form: type[T]) -> T | None:
    """What an answer that was cut says up to its last whole part; None where that is nothing."""
    for candidate in (*json_text.candidates(text), *_closed(text)):
        try:
            return msgspec.json.decode(candidate, type=form, strict=False)
        except msgspec.DecodeError:
            continue
    return None


def _closed(text: str) -> Iterator[str]:
    start = json_text.first_bracket(text)
    if start is not None:
        yield from json_text.closed(text[start:])
