"""The atoms as the rules look at them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from index.graph.resolve.atoms import Atom, AtomKey, most_given
from index.graph.resolve.groups import Groups
from index.graph.resolve.heads import is_common


class View:
    """Atoms by key and by document, and the groups they are in so far."""

    def __init__(self, atoms: Mapping[AtomKey, Atom], groups: Groups[AtomKey]) -> None:
        self.atoms = atoms
        self.groups = groups
        self.short_names: Mapping[str, set[str]] | None = None  # found when first asked for

    def with_key(self, key: str) -> Sequence[AtomKey]:
        """The atoms of a name's key, sorted."""
        return self._by_key.get(key, ())

    def of_document(self, document: str) -> Mapping[str, Sequence[AtomKey]]:
        """The atoms of a document by key."""
        return self._by_document[document]

    @property
    def keys(self) -> Iterable[str]:
        """All keys, sorted."""
        return self._by_key.keys()

    @property
    def documents(self) -> Iterator[tuple[str, Mapping[str, Sequence[AtomKey]]]]:
        """Each document with its atoms by key."""
        return iter(self._by_document.items())

    def type_of(self, key: str) -> str:
        """The type most often given to a key, in all documents."""
        return self._types.get(key, "")

    def is_common(self, key: str) -> bool:
        """Whether a key is of common nouns in most of its atoms."""
        atoms = self.with_key(key)
        return 2 * sum(is_common(self.atoms[atom]) for atom in atoms) > len(atoms)

    def groups_of(self, atoms: Iterable[AtomKey]) -> dict[AtomKey, AtomKey]:
        """One atom, the first, of each group that the atoms are in, by the group's leader."""
        found: dict[AtomKey, AtomKey] = {}
        for atom in atoms:
            found.setdefault(self.groups.leader(atom), atom)
        return found

    def near(self, atom: AtomKey) -> set[str]:
        """Keys near the names of an atom's group."""
        return {key for one in self.groups.members(atom) for key in self.atoms[one].near}

    def related(self, one: AtomKey, other: AtomKey) -> bool:
        """Whether a text relates the groups of two atoms: nothing is said to relate to itself."""
        keys = [{atom[0] for atom in self.groups.members(each)} for each in (one, other)]
        return any(
            not self.atoms[atom].related.isdisjoint(keys[1]) for atom in self.groups.members(one)
        )

    @cached_property
    def _by_key(self) -> dict[str, list[AtomKey]]:
        by_key: dict[str, list[AtomKey]] = defaultdict(list)
        for atom in sorted(self.atoms):
            by_key[atom[0]].append(atom)
        return dict(by_key)

    @cached_property
    def _by_document(self) -> dict[str, dict[str, list[AtomKey]]]:
        found: dict[str, dict[str, list[AtomKey]]] = defaultdict(lambda: defaultdict(list))
        for atom in sorted(self.atoms, key=lambda atom: (atom[1], atom)):
            found[atom[1]][atom[0]].append(atom)
        return {document: dict(keys) for document, keys in found.items()}

    @cached_property
    def _types(self) -> dict[str, str]:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for (key, _, _), atom in self.atoms.items():
            counts[key].update(atom.types)
        return {key: most_given(types) for key, types in counts.items()}
