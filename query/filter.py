"""Which rows may answer, decided before any leg looks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.errors import UsageError

Mask = NDArray[np.bool_]


def rows_of_paths(reader: GenerationReader, globs: Sequence[str]) -> Mask | None:
    """True for the rows whose path matches any of `globs`, bool (n,); None when there are no globs.

    Globs read like lines of a .gitignore: ``*.md`` at any depth, ``docs/**/*.md`` from the KB's home,
    ``!`` takes out.

    Raises:
        UsageError: a glob that cannot be read.
    """
    if not globs:
        return None
    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines(globs)
    except ValueError as error:
        raise UsageError(f"--path {globs}: {error}") from error
    documents = reader.chunks.documents
    firsts = [d.first for d in documents] + [len(reader)]
    mask = np.zeros(len(reader), np.bool_)
    for document, first, last in zip(documents, firsts, firsts[1:], strict=False):
        mask[first:last] = spec.match_file(document.path)
    return mask
