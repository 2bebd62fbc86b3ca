"""Entities and relations: as extracted from one chunk, and as folded into the graph."""

import msgspec

CO_OCCURRENCE = (
    ""  # the relation of two names that stand in one sentence, where nothing more is known
)


class RawEntity(msgspec.Struct, frozen=True, array_like=True):
    """A name in one chunk; the same name is given once, with all places where it stands."""

    name: str  # as first written
    type: str = ""  # person, organization, place, …; "" where nothing tells
    description: str = ""
    spans: tuple[tuple[int, int], ...] = ()  # characters of the chunk's text
    strength: float = 1.0  # how sure its form is that of a name, above 0 and up to 1


class RawRelation(msgspec.Struct, frozen=True, array_like=True):
    """What one chunk says of two of its entities, by their names as in `RawEntity.name`."""

    source: str
    relation: str  # a verb or noun phrase; `CO_OCCURRENCE` has no direction
    target: str
    description: str = ""
    span: tuple[int, int] = (0, 0)  # the sentence, in characters of the chunk's text
    weight: float = 1.0


class Extraction(msgspec.Struct, frozen=True, array_like=True):
    """What one chunk's text gave.

    Names that stand in one of `sentences` are related by co-occurrence when the graph is folded; an LLM,
    which says itself what is related, leaves them empty.
    """

    entities: tuple[RawEntity, ...] = ()
    relations: tuple[RawRelation, ...] = ()
    sentences: tuple[tuple[int, int], ...] = ()  # characters of the chunk's text, in order


class Mention(msgspec.Struct, frozen=True):
    """Where a node or an edge stands: characters ``start:end`` of the text of a leaf chunk."""

    row: int  # of the leaf in the generation's chunk table
    start: int
    end: int


class Node(msgspec.Struct, frozen=True):
    """An entity."""

    id: str  # of its name's key and what tells it from others of that name; 16 hex digits
    name: str  # the fullest and most used way to write it
    type: str = ""
    aliases: tuple[str, ...] = ()  # all ways it is written, `name` among them, most used first
    description: str = ""


class Edge(msgspec.Struct, frozen=True):
    """A relation of two nodes, given by their places in the graph.

    Co-occurrence (``relation == ""``) has no direction and at most one edge a pair; a typed relation
    goes from `source` to `target`, and a pair may have several.
    """

    source: int
    target: int
    relation: str = CO_OCCURRENCE
    description: str = ""
    weight: float = 1.0  # above 0; of co-occurrence: mentions times normalised PMI
