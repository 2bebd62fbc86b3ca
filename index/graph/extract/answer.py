"""What an LLM answers of a chunk, and that as an extraction."""

import msgspec

from index.graph.extract.located import Located
from index.graph.names import name_key
from index.graph.records import Extraction, RawEntity, RawRelation

_MOST_NAME = 120  # characters; what is longer is a sentence
_MOST_SAID = 600


class SaidEntity(msgspec.Struct, frozen=True):
    """An entity as an LLM gives it."""

    name: str
    type: str = ""
    description: str = ""


class SaidRelation(msgspec.Struct, frozen=True):
    """A relation as an LLM gives it."""

    source: str
    relation: str
    target: str
    description: str = ""


class SaidGraph(msgspec.Struct, frozen=True):
    """The form of an answer."""

    entities: list[SaidEntity]
    relations: list[SaidRelation] = []


def to_extraction(text: str, said: SaidGraph) -> Extraction:
    """The entities at their places in the text; of the relations those whose ends are entities."""
    located = Located(text, [one.name for one in said.entities])
    entities: dict[tuple[str, str], RawEntity] = {}
    known: set[str] = set()
    for one in said.entities:
        name = " ".join(one.name.split())
        if not name_key(name) or len(name) > _MOST_NAME:
            continue
        description = " ".join(one.description.split())[:_MOST_SAID]
        kind = " ".join(one.type.lower().split())
        known.add(name_key(name))
        entities.setdefault(
            (name, description), RawEntity(name, kind, description, located.spans(name))
        )
    relations = dict.fromkeys(
        RawRelation(
            " ".join(one.source.split()),
            " ".join(one.relation.split()),
            " ".join(one.target.split()),
            " ".join(one.description.split())[:_MOST_SAID],
            located.sentence((one.source, one.target)),
        )
        for one in said.relations
        if name_key(one.source) in known and name_key(one.target) in known
    )
    return Extraction(tuple(entities.values()), tuple(relations))
