"""The store: what each stage has produced, in one SQLite file, keyed by what it was made from."""

from kb.store.store import FileRow, Said, SourceRow, Store

__all__ = ["FileRow", "Said", "SourceRow", "Store"]
