"""The keys of derived components: pure.

A component that an LLM has not answered in full carries that in its key, so that the next run, or one
that is asked to try again, sees that it is not what is wanted.
"""

from collections.abc import Mapping

from index import plan, token_table
from index.derived.files import DERIVED
from index.lexical import analyzer
from index.lexical import build as lexical
from kb.digest import digest
from kb.registry import load, names
from kb.settings import Settings
from kb.store import Store

VERSION = 1  # of the files in ``derived``
_FAILED, _PENDING = "~failed", "~pending"


def derivations(settings: Settings) -> list[str]:
    """The derivations that generations are to have, in the order of the registry."""
    return [name for name in names("derivation") if load("derivation", name).enabled(settings)]


def derivation_keys(settings: Settings, store: Store, vectors: str) -> dict[str, str]:
    """The key of each derived component, made from the chunks and vectors of key `vectors`."""
    return {
        name: digest("derivation", name, vectors, *load("derivation", name).key(settings, store))
        for name in derivations(settings)
    }


def with_derived(
    keys: Mapping[str, str], made: Mapping[str, str], settings: Settings
) -> dict[str, str]:
    """The keys of all components: those of the leaves, of the derivations, of what indexes these."""
    leaves = {name: key for name, key in keys.items() if name != DERIVED and name not in made}
    if not made:
        return leaves
    index = digest(
        DERIVED,
        f"{VERSION}.{lexical.VERSION}.{analyzer.VERSION}.{token_table.VERSION}",
        leaves["vectors"],
        str("tokens" in leaves),
        *plan.term_rules(settings.bm25),
        *made.values(),
    )
    return {**leaves, **made, DERIVED: index}


def unanswered(key: str, contents: str, *, pending: bool, failed: bool) -> str:
    """The key of a component whose LLM did not say all; `contents` tells what it holds instead."""
    if pending:
        return f"{key}{_PENDING}-{contents}"
    return f"{key}{_FAILED}-{contents}" if failed else key


def settled(key: str, before: str | None, *, retry: bool) -> str:
    """The key that a component of key `before` may keep: its own, where nothing is asked again."""
    if before is not None and not retry and before.startswith(f"{key}{_FAILED}-"):
        return before
    return key
