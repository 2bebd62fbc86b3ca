"""Which rows may answer, decided before any leg looks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.errors import UsageError

Mask = NDArray[np.bool_]


def rows_of_paths(reader: GenerationReader, globs: Sequence[str]) -> Mask | None:
    """True for the rows whose path matches any of `globs`, bool (n,); None when there are no globs.

    Globs read like lines of a .gitignore: ``*.md`` at any depth, ``docs/**/*.md`` from the KB's home.
    Those with ``!`` in front take out, wherever they stand; alone they take out of everything.

    Raises:
        UsageError: a glob that cannot be read.
    """
    if not globs:
        return None
    from pathspec import GitIgnoreSpec

    wanted = [glob for glob in globs if not glob.startswith("!")]
    try:
        taken = GitIgnoreSpec.from_lines(wanted or ["*"])
        left_out = GitIgnoreSpec.from_lines(_positive(glob) for glob in globs if glob not in wanted)
    except ValueError as error:
        raise UsageError(f"--path {' '.join(globs)}: {error}") from error
    documents = reader.chunks.documents
    firsts = [d.first for d in documents] + [len(reader)]
    mask = np.zeros(len(reader), np.bool_)
    for document, first, last in zip(documents, firsts, firsts[1:], strict=False):
        path = document.path
        mask[first:last] = taken.match_file(path) and not left_out.match_file(path)
    return mask


def _positive(glob: str) -> str:
    if not glob[1:].strip():
        raise ValueError("there is nothing behind the '!'")
    return glob[1:]
