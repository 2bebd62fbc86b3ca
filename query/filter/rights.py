"""Who may read what. Fails closed: whatever is labelled is hidden from those without the label.

A document's labels come from the settings' rules that match its path, from its own ``acl``, and from a
sidecar's. Each of these that speaks has to be satisfied, by any one of its labels: a label in a
document never opens what a rule closes.
"""

from collections.abc import Callable, Collection, Iterable

from index.chunk_table import DocumentEntry
from ingest.about import plain_label
from kb.errors import UsageError
from kb.settings import AclSettings
from query.filter.paths import is_void, path_matcher

Labels = frozenset[str]


def may_read(acl: AclSettings, principal: Iterable[str]) -> Callable[[DocumentEntry], bool]:
    """Whether a principal with these labels may read a document.

    Raises:
        UsageError: a rule whose glob cannot be read.
    """
    held = frozenset(plain_label(label) for label in principal)
    rules_of = _rules(acl)

    def readable(document: DocumentEntry) -> bool:
        demands: list[Collection[str]] = [*rules_of(document.path), *document.about.acl]
        if not demands:
            return not acl.required
        return all(not held.isdisjoint(labels) for labels in demands)

    return readable


def may_read_path(acl: AclSettings, principal: Iterable[str]) -> Callable[[str], bool]:
    """As `may_read` for a file of which only the path is known, e.g. one that could not be read."""
    held = frozenset(plain_label(label) for label in principal)
    rules_of = _rules(acl)

    def readable(path: str) -> bool:
        demands = rules_of(path)
        return all(not held.isdisjoint(d) for d in demands) if demands else not acl.required

    return readable


def _rules(acl: AclSettings) -> Callable[[str], list[Labels]]:
    rules = []
    for rule in acl.rules:
        if rule.path.startswith("!") or is_void(rule.path):
            raise UsageError(f"acl.rules: path {rule.path!r} matches no file: write a glob")
        matches = path_matcher([rule.path], "acl.rules: path")
        rules.append((matches, frozenset(plain_label(label) for label in rule.labels)))
    if not rules:
        return lambda _path: []
    return lambda path: [labels for matches, labels in rules if matches(path)]
