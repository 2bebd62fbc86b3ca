"""Sidecars: metadata in TOML or YAML, and no text."""

import tomllib
from typing import Any, ClassVar

from ingest import about
from ingest.parse import front_matter
from ingest.parse.decode import decode
from ingest.parse.titles import title_from_name
from kb.records import Document
from kb.settings import ParseSettings


class SidecarParser:
    """Gives a document without text, whose metadata are those of the file it stands beside.

    One that cannot be read closes its document: it may have held an ``acl``.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        try:
            metadata = _read(decode(data))
            warnings = about.oddities(metadata)
        except ValueError as error:
            metadata = {"acl": []}
            warnings = (f"{error}: nobody can read the document beside it",)
        return Document(
            text="", elements=(), title=title_from_name(name), metadata=metadata, warnings=warnings
        )


def _read(text: str) -> dict[str, Any]:
    """Which of the two it is shows in the text: no TOML with a key in it is a YAML mapping.

    Raises:
        ValueError: it is neither.
    """
    try:
        loaded: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        loaded = front_matter.read_yaml(text)
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ValueError("neither TOML nor a YAML mapping")
    return {str(key): front_matter.plain(value) for key, value in loaded.items()}
