"""Compiled modules: a worker may write none, so we write those for it that it had to compile.

Without this a module that only workers import, such as a parser, would be compiled by each of them.
"""

import contextlib
import os
import py_compile
import sys
from collections.abc import Iterable


def missing() -> list[str]:
    """The sources of modules that this process imported and that have no bytecode on disk."""
    specs = [getattr(module, "__spec__", None) for module in list(sys.modules.values())]
    return [
        spec.origin
        for spec in specs
        if spec is not None
        and spec.has_location
        and spec.origin
        and spec.cached
        and not os.path.exists(spec.cached)  # noqa: PTH110  (some hundreds, on each run)
    ]


def write(sources: Iterable[str]) -> None:
    """What importing them here would have written; where that is not possible, nothing."""
    for source in sources:
        if source.endswith(".py") and os.access(os.path.dirname(source), os.W_OK):  # noqa: PTH120
            with contextlib.suppress(OSError, py_compile.PyCompileError):
                py_compile.compile(source, doraise=True)
