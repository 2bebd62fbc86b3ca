"""Stage keys: a result is made again only where its key changed."""

import importlib.util
from collections.abc import Iterable
from pathlib import PurePath

import msgspec

from ingest.chunk.base import Chunker
from ingest.contextualize.base import Contextualizer
from ingest.describe.prompt import VERSION
from ingest.parse.ocr.recognise import outlook
from kb.digest import digest, digest_settings
from kb.errors import Unavailable
from kb.models.embedder import Embedder
from kb.registry import load, names
from kb.settings import ChunkSettings, ContextSettings, LlmSettings, ParseSettings
from kb.store import FileRow

DONE, PENDING, FAILED = "dpf"

_READ_BY_OCR = {"pdf", "image"}


class ReadKeys:
    """Keys of the parse stage, for one run; what they have in common is digested once."""

    def __init__(self, settings: ParseSettings, llm: LlmSettings | None = None) -> None:
        """`llm`: of the model that describes pictures, where one does."""
        results = msgspec.to_builtins(settings)
        most = results.pop("describe_pages")
        native = settings.multimodal == "native"
        self._seen = digest("seen", VERSION, llm.model if llm else "", str(most)) if native else ""
        limits = [str(results.pop(name)) for name in ("file_timeout", "file_memory")]
        del results["workers"]
        self._settings = digest_settings(results)
        self._limits = digest(*limits)  # which only decide over what fails
        self._parse = settings
        self._ocr = ""
        self._versions: dict[str, str] = {}
        self._all_versions: tuple[str, ...] = ()

    def parsed(self, sha256: str, parser: str) -> str:
        """Of the bytes, the parser and its version and settings; not of the file's name."""
        if parser not in self._versions:
            self._versions[parser] = str(load("parser", parser).version)
        ocr = self._outlook() if parser in _READ_BY_OCR else ""
        seen = (self._seen,) if self._seen and parser in _READ_BY_OCR else ()
        return digest("parse", sha256, parser, self._versions[parser], self._settings, ocr, *seen)

    def failed(self, sha256: str, name: str) -> str:
        """Of all that could make it readable: bytes, suffix, parsers, PDF engine, OCR, limits."""
        if not self._all_versions:
            engine = self._parse.pdf_engine
            there = importlib.util.find_spec(engine) is not None
            self._all_versions = (
                *map(_version, names("parser")),
                f"{engine}: {there}",
                self._outlook(),
            )
        suffix = PurePath(name).suffix.lower()
        seen = (self._seen,) if self._seen else ()
        parts = (*self._all_versions, self._settings, self._limits, *seen)
        return digest("failed", sha256, suffix, *parts)

    def _outlook(self) -> str:
        if not self._ocr:
            self._ocr = outlook(self._parse)
        return self._ocr


def partly_described(
    parsed: str, described: Iterable[int], missing: Iterable[int], reason: str
) -> str:
    """Of a document that lacks descriptions; it is no `parsed` key, so that a run goes on with it."""
    pages = (",".join(map(str, numbers)) for numbers in (described, missing))
    return digest("partly described", parsed, *pages, reason)


def _version(parser: str) -> str:
    try:
        return f"{parser}.{load('parser', parser).version}"
    except Unavailable:
        return f"{parser} is not installed"


class IndexKeys:
    """Keys of the chunk and the context stage, for one run."""

    def __init__(
        self,
        chunking: ChunkSettings,
        context: ContextSettings,
        embedder: Embedder,
        window: int,
        llm_model: str,
    ) -> None:
        chunker: type[Chunker] = load("chunker", chunking.strategy)
        provider: type[Contextualizer] = load("contextualizer", context.provider)
        model = embedder.fingerprint
        self._chunk = (
            str(chunker.version),
            digest_settings(chunking),
            str(
                window
            ),  # as it is set: it bounds chunks of code, and to count it takes the tokenizer
            embedder.tokenizer.fingerprint,
            model if chunking.strategy == "semantic" else "",  # it cuts by the model's vectors
        )
        # the embedder's window limits the prefix
        of_llm = (llm_model,) if provider.needs_llm else ()
        self._context = (str(provider.version), digest_settings(context), model, *of_llm)

    def chunked(self, parsed: str) -> str:
        """Of the document, the chunker, the tokenizer."""
        return digest("chunk", parsed, *self._chunk)

    def situated(self, chunked: str) -> str:
        """Of the chunks, the contextualizer, and the model."""
        return digest("context", chunked, *self._context)

    def is_situated(self, row: FileRow, *, retry: bool = False) -> bool:
        """Whether a file's contexts are what they should be; with `retry` those that failed are not."""
        key, state = self.situated(row.chunk_key), row.context_key.partition(":")[2][:1]
        if row.context_key.partition(":")[0] != key or state == PENDING:
            return False
        return not (retry and state == FAILED)


def asked_key(situated: str, contexts: Iterable[str], *, pending: bool, failed: bool) -> str:
    """The key of contexts that an LLM wrote, which the same question need not bring again.

    It says how far it got: all there, some `PENDING`, or some `FAILED`.
    """
    state = PENDING if pending else FAILED if failed else DONE
    return f"{situated}:{state}{digest(*contexts)}"
