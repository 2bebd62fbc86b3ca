"""Answers lines on one generation; models are loaded once, whatever the lines ask for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from index.derived.joined import joined
from index.reader import GenerationReader
from kb.configure import check_parts
from kb.digest import digest_settings
from kb.errors import Unavailable, UsageError
from kb.models.embedder import Embedder
from kb.settings import QuerySettings
from query.asked import ask, narrowed
from query.batch.lines import Line
from query.batch.remember import remembering
from query.expand import expanded, read_expand
from query.filter import Filter, marked, rows
from query.phrases import notes
from query.pipeline import Searcher, check_llm
from query.results import Results, searched
from query.retrieve import MODES

if TYPE_CHECKING:
    from kb.models.llm.llm import Llm

SETTINGS = tuple(field.name for field in msgspec.structs.fields(QuerySettings))
_decode = msgspec.json.Decoder(QuerySettings).decode
_TEXTS = ("text", "lex", "vec")
# Keys that narrow, and the option each stands for. Who asks is for the whole run to say.
_LISTS = {
    "path": "paths",
    "tag": "tags",
    "type": "types",
    "language": "languages",
    "where": "where",
}
_DATES = ("since", "until", "as_of")
KEYS = ("id", *_TEXTS, *_LISTS, *_DATES, "explain", *SETTINGS)


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
        chosen: the filter; a line replaces those of its options that it names.
        embedder: called when a line first needs a vector.
        llm: called when a line first needs an LLM.
    """

    def __init__(
        self,
        reader: GenerationReader,
        settings: QuerySettings,
        chosen: Filter,
        embedder: Callable[[], Embedder],
        llm: "Callable[[], Llm] | None" = None,
    ) -> None:
        self.reader = reader
        self._settings = settings
        self._plain: dict[str, Any] = msgspec.to_builtins(settings)
        self._filter = chosen
        self._llm = llm
        self._embedder = lru_cache(1)(lambda: remembering(embedder()))
        # By their bytes: settings with a table in them have no hash.
        whole = joined(reader)  # opened once for all searchers
        self._searcher = lru_cache(16)(
            lambda raw: Searcher(whole, _decode(raw), self._embedder, llm)
        )
        self._rows = lru_cache(64)(lambda narrowed_to: rows(reader, narrowed_to))
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
        read_expand(settings.expand)
        settings = narrowed(asked, settings)
        self._insist_on_llm(settings)
        chosen = self._filter_of(fields, settings)
        explain = fields.get("explain", False)
        if not isinstance(explain, bool):
            raise UsageError(f"explain is true or false, not {explain!r}")
        searcher = self._searcher(msgspec.json.encode(settings, order="sorted"))
        question = searcher.question(asked)
        live = self._rows(chosen)
        found = searcher.search(question, live, explain)
        hits = expanded(marked(found, searcher.reader, chosen), searcher.reader, settings, live)
        return Results(
            asked.query,
            self.reader.manifest.number,
            digest_settings(settings),
            hits,
            searched(question),
            [*notes(asked, hits, self.reader.bm25), *question.notes],
            chosen.as_of,
            chosen.narrows,
            llm=question.llm_used,
        )

    def _insist_on_llm(self, settings: QuerySettings) -> None:
        """A line that needs an LLM, where there is none, is that line's mistake."""
        if self._llm is None:
            try:
                check_llm(settings, None)
            except Unavailable as error:
                raise UsageError(str(error)) from error

    def _filter_of(self, fields: Mapping[str, Any], settings: QuerySettings) -> Filter:
        given: dict[str, Any] = {
            option: _strings(key, fields[key]) for key, option in _LISTS.items() if key in fields
        }
        given |= {key: _text(fields, key) for key in _DATES if key in fields}
        return replace(self._filter, **given, include_expired=settings.include_expired)

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


def _strings(key: str, value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise UsageError(f"{key} is a text or a list of them, not {value!r}")
    return tuple(values)
