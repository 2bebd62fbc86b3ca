"""Nodes from groups of atoms: their names, types, descriptions and ids."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from index.graph.extract.phrases import TYPE as TERM
from index.graph.names import name_key, words_of
from index.graph.records import Node
from index.graph.resolve.atoms import Atom, AtomKey, most_given
from kb.digest import digest

_DESCRIBED = 400  # characters of a description that is put together of several
_ID = 16


def nodes_of(
    groups: Sequence[Sequence[AtomKey]], atoms: Mapping[AtomKey, Atom]
) -> list[tuple[Node, Sequence[AtomKey]]]:
    """The node of each group, with the group, in order of id."""
    made = [_node(group, atoms) for group in groups]
    ids = _ids([(name_key(node.name), group, node.type) for node, group in made])
    named = [
        (Node(id_, node.name, node.type, node.aliases, node.description), group)
        for id_, (node, group) in zip(ids, made, strict=True)
    ]
    return sorted(named, key=lambda pair: pair[0].id)


def _node(
    group: Sequence[AtomKey], atoms: Mapping[AtomKey, Atom]
) -> tuple[Node, Sequence[AtomKey]]:
    names: Counter[str] = Counter()
    types: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for one in group:
        names.update(atoms[one].names)
        types.update(atoms[one].types)
        said.update(atoms[one].descriptions)
    kind = most_given(Counter({k: n for k, n in types.items() if k != TERM})) or most_given(types)
    aliases = tuple(name for _, name in sorted((-number, name) for name, number in names.items()))
    return Node("", _main_name(names, kind), kind, aliases, _description(said)), group


def _main_name(names: Counter[str], kind: str) -> str:
    """The most used way to write the most used name; a person's is the fuller one that holds it."""
    keys: Counter[str] = Counter()
    for name, number in names.items():
        keys[name_key(name)] += number
    best = _most(keys)
    if kind == "person":
        around = {key: n for key, n in keys.items() if f" {best} " in f" {key} "}
        longer = {key: n for key, n in around.items() if len(key.split()) > 1}
        best = _most(Counter(longer or around))
    written = {name: n for name, n in names.items() if name_key(name) == best}
    bare = {name: n for name, n in written.items() if len(words_of(name)) == len(best.split())}
    return _most(Counter(bare or written))


def _most(counts: Counter[str]) -> str:
    return min((-number, what) for what, number in counts.items())[1]


def _description(said: Counter[str]) -> str:
    """What was said of it, the most said and then the longest first, as far as there is room."""
    kept: list[str] = []
    for text in sorted(said, key=lambda text: (-said[text], -len(text), text)):
        if kept and len(" ".join((*kept, text))) > _DESCRIBED:
            break
        kept.append(text)
    return " ".join(kept)


def _ids(named: Sequence[tuple[str, Sequence[AtomKey], str]]) -> list[str]:
    """From the name's key alone; where several share it, from what tells them apart, too."""
    sharing: dict[str, list[int]] = defaultdict(list)
    for place, (key, _, _) in enumerate(named):
        sharing[key].append(place)
    ids = [""] * len(named)
    for key, places in sharing.items():
        callings = [min(one[2] for one in named[place][1]) for place in places]
        kinds = [named[place][2] for place in places]
        for place, calling, kind in zip(places, callings, kinds, strict=True):
            parts = [key]
            if len(places) > 1:
                parts.append(calling)
            if callings.count(calling) > 1:
                parts += (kind, min(one[1] for one in named[place][1]))
            ids[place] = digest("node", *parts)[:_ID]
    return ids
