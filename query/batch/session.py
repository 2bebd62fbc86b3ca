"""Answers lines on one generation; models are loaded once, whatever the lines ask for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from index.reader import GenerationReader
from kb.configure import check_parts
from kb.digest import digest_settings
from kb.errors import UsageError
from kb.models.embedder import Embedder
from kb.settings import QuerySettings
from query.asked import ask, narrowed
from query.batch.lines import Line
from query.batch.remember import remembering
from query.filter import rows_of_paths
from query.phrases import notes
from query.pipeline import Searcher
from query.results import Results
from query.retrieve import MODES

SETTINGS = tuple(field.name for field in msgspec.structs.fields(QuerySettings))
_TEXTS = ("text", "lex", "vec")
KEYS = ("id", *_TEXTS, "path", "explain", *SETTINGS)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a line: results, or the reason why there are none."""

    id: str | int
    results: Results | None
    error: str = ""


class Session:
    """One reader and its searchers, shared by threads.

    Args:
        reader: the generation.
        settings: of lines that say nothing else.
        globs: ``--path`` of lines that name none.
        embedder: called when a line first needs a vector.
    """

    def __init__(
        self,
        reader: GenerationReader,
        settings: QuerySettings,
        globs: Sequence[str],
        embedder: Callable[[], Embedder],
    ) -> None:
        self.reader = reader
        self._settings = settings
        self._plain: dict[str, Any] = msgspec.to_builtins(settings)
        self._globs = tuple(globs)
        self._embedder = lru_cache(1)(lambda: remembering(embedder()))
        self._searcher = lru_cache(16)(lambda chosen: Searcher(reader, chosen, self._embedder))
        self._rows = lru_cache(64)(lambda chosen: rows_of_paths(reader, chosen))
        self._load(settings.mode)

    def answer(self, line: Line) -> Answer:
        """Answer a line; what is wrong with it is told in the answer.

        Raises:
            Unavailable | TeselaError: no line can be answered.
        """
        if line.error:
            return Answer(line.id, None, line.error)
        try:
            return Answer(line.id, self._results(line.fields))
        except UsageError as error:
            return Answer(line.id, None, str(error))

    def _results(self, fields: Mapping[str, Any]) -> Results:
        settings = self._settings_of(fields)
        text, lex, vec = (_text(fields, name) for name in _TEXTS)
        asked = ask(text, lex, vec, settings.operators)
        settings = narrowed(asked, settings)
        live = self._rows(_globs(fields["path"]) if "path" in fields else self._globs)
        explain = fields.get("explain", False)
        if not isinstance(explain, bool):
            raise UsageError(f"explain is true or false, not {explain!r}")
        hits = self._searcher(settings).search(asked, live, explain)
        return Results(
            asked.query,
            self.reader.manifest.number,
            digest_settings(settings),
            hits,
            asked.subqueries,
            notes(asked, hits, self.reader.bm25),
        )

    def _settings_of(self, fields: Mapping[str, Any]) -> QuerySettings:
        unknown = [key for key in fields if key not in KEYS]
        if unknown:
            raise UsageError(f"unknown key {unknown[0]!r}: there are {', '.join(KEYS)}")
        given = {key: value for key, value in fields.items() if key in SETTINGS}
        if not given:
            return self._settings
        try:
            settings = msgspec.convert({**self._plain, **given}, QuerySettings)
        except msgspec.ValidationError as error:
            raise UsageError(str(error).replace("`$.", "`")) from error
        check_parts("query", settings)
        return settings

    def _load(self, mode: str) -> None:
        """Open what the threads share before there are any."""
        reader = self.reader
        _ = reader.bm25, reader.chunks.documents, reader.tokens
        if len(reader):
            _ = reader.chunks[0]
        if "dense" in MODES[mode]:
            _ = reader.engine


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name} is a text, not {value!r}")
    return value.strip()


def _globs(value: Any) -> tuple[str, ...]:
    globs = [value] if isinstance(value, str) else value
    if not isinstance(globs, list) or not all(isinstance(glob, str) for glob in globs):
        raise UsageError(f"path is a glob or a list of them, not {value!r}")
    return tuple(globs)
