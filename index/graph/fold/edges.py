"""Edges: what stands in a sentence together, weighed by how much more than chance, and what is said."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from index.graph.extract.phrases import TYPE as TERM
from index.graph.fold.relate import Said, Sentence, is_same, pairs
from index.graph.records import CO_OCCURRENCE, Edge, Node
from index.graph.resolve.atoms import AtomKey

Span = tuple[int, int, int]
_TERM_PAIRS = 2  # sentences that a term and another name must share


@dataclass(slots=True)
class _Typed:
    weight: float = 0.0
    spans: set[Span] = field(default_factory=set)
    said: Counter[str] = field(default_factory=Counter)


def edges_of(
    nodes: Sequence[Node],
    node_of: Mapping[AtomKey, int],
    together: Iterable[Sentence],
    relations: Iterable[Said],
) -> list[tuple[Edge, list[Span]]]:
    """All edges, each with the sentences it stands on, in order of ends and relation."""
    made = _typed(node_of, relations) + _co_occurring(nodes, node_of, together)
    return sorted(made, key=lambda pair: (pair[0].source, pair[0].target, pair[0].relation))


def npmi(both: int, one: int, other: int, all_: int) -> float:
    """Normalised pointwise mutual information, -1 to 1 (Bouma 2009).

    ``ln(p(x, y) / (p(x) p(y))) / -ln p(x, y)`` of counts of sentences; 1 where all hold both.
    """
    if both == all_:
        return 1.0
    return math.log(both * all_ / (one * other)) / -math.log(both / all_)


def _co_occurring(
    nodes: Sequence[Node], node_of: Mapping[AtomKey, int], together: Iterable[Sentence]
) -> list[tuple[Edge, list[Span]]]:
    number = 0
    of_node: Counter[int] = Counter()
    spans: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for sentence in together:
        number += 1
        of_node.update({node_of[atom] for atom in sentence.atoms})
        place = (sentence.row, sentence.start, sentence.end)
        met = {(node_of[a], node_of[b]) for a, b in pairs(sentence)}
        for one, other in {(min(pair), max(pair)) for pair in met}:
            if one != other:
                spans[one, other].append(place)
    made = []
    for (one, other), places in spans.items():
        both = len(places)
        above = npmi(both, of_node[one], of_node[other], number)
        if TERM in (nodes[one].type, nodes[other].type) and (both < _TERM_PAIRS or above <= 0):
            continue
        weight = both * (1 + above) / 2
        if weight > 0:
            edge = Edge(one, other, CO_OCCURRENCE, "", round(weight, 4))
            made.append((edge, sorted(places)))
    return made


def _typed(
    node_of: Mapping[AtomKey, int], relations: Iterable[Said]
) -> list[tuple[Edge, list[Span]]]:
    found: dict[tuple[int, int, str], _Typed] = defaultdict(_Typed)
    for relation in relations:
        ends = node_of[relation.source], node_of[relation.target]
        if ends[0] == ends[1] or (is_same(relation.raw.relation) and not relation.raw.description):
            continue
        typed = found[*ends, " ".join(relation.raw.relation.lower().split())]
        typed.weight += relation.raw.weight
        typed.spans.add((relation.row, *relation.raw.span))
        typed.said[relation.raw.description] += 1
    return [
        (
            Edge(source, target, name, _said(typed.said), round(typed.weight, 4)),
            sorted(typed.spans),
        )
        for (source, target, name), typed in found.items()
    ]


def _said(said: Counter[str]) -> str:
    return min((-number, -len(text), text) for text, number in said.items())[2]
