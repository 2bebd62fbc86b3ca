"""Sidecars: ``report.pdf.meta.toml`` says about ``report.pdf`` what front matter says in Markdown.

``report.meta.toml`` does so for every ``report.*`` beside it; ``.yaml`` and ``.yml`` are read as well.
A sidecar is followed like any file, and is no document.
"""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping

PARSER = "sidecar"  # its name in the registry
ENDINGS = (".meta.toml", ".meta.yaml", ".meta.yml")


def is_sidecar(path: str) -> bool:
    """Whether a file's name makes it one."""
    return subject(path) != ""


def subject(path: str) -> str:
    """The path that a sidecar speaks about, whole or without its suffix; ``""`` for other files."""
    lowered = path.lower()
    for ending in ENDINGS:
        stem = path[: -len(ending)]
        if lowered.endswith(ending) and stem and not stem.endswith("/"):
            return stem
    return ""


def candidates(path: str) -> tuple[str, ...]:
    """The names, beside a document, under which a sidecar of it can stand; the weakest first."""
    return tuple(stem + ending for stem in _subjects(path) for ending in ENDINGS)


def pair(documents: Iterable[str], sidecars: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Each document's sidecars, the weakest first; documents without any are left out."""
    by_subject: dict[str, list[str]] = defaultdict(list)
    for sidecar in sorted(sidecars):
        by_subject[subject(sidecar)].append(sidecar)
    pairs: dict[str, tuple[str, ...]] = {}
    for path in documents if by_subject else ():
        found = [s for name in _subjects(path) for s in by_subject.get(name, ())]
        if found:
            pairs[path] = tuple(found)
    return pairs


def _subjects(path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((posixpath.splitext(path)[0], path)))
