"""faiss without types: its stubs lack the generator, the search parameters and the flags."""

from importlib import import_module
from typing import Any


def faiss_module() -> Any:
    """The module, imported when it is first needed."""
    return import_module("faiss")
