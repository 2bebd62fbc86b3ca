"""Jupyter notebooks: text cells as Markdown, code cells and the text they printed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from ingest import about, language
from ingest.parse.decode import decode, replace_unsafe
from ingest.parse.extracted import ExtractedText
from ingest.parse.front_matter import plain
from ingest.parse.json.parser import JsonParser
from ingest.parse.markdown import MarkdownParser
from ingest.parse.nested import append
from ingest.parse.titles import first_title
from kb.records import Document
from kb.settings import ParseSettings

MAX_OUTPUT = 4000  # characters that are kept of what one cell printed
MAX_CELLS = 20_000


class NotebookParser:
    """Cells in order, of nbformat 3 and later; pictures and other data are left out.

    ``Document.text`` is extracted. What a cell printed is kept up to `MAX_OUTPUT` characters, errors
    among it.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self._markdown = MarkdownParser(settings)
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises: what is no notebook is read as JSON."""
        notebook = _load(data)
        if notebook is None:
            document = JsonParser(self.settings).parse(data, name)
            return replace(document, warnings=("no sound notebook", *document.warnings))
        metadata = _metadata(notebook)
        built = ExtractedText()
        cut = 0
        for cell in _cells(notebook):
            cut += self._cell(built, cell)
        text = built.text
        first = next((e.heading[-1] for e in built.elements if e.level == 1 and e.heading), "")
        warnings = [] if text else ["no text in it"]
        if cut:
            warnings.append(f"long output of {cut} cells was cut to {MAX_OUTPUT} characters each")
        return Document(
            text=text,
            elements=tuple(built.elements),
            title=first_title([metadata.get("title"), first], name),
            language=language.detect(_prose(built)) or language.detect(text),
            metadata=metadata,
            warnings=(*about.oddities(metadata), *warnings),
            verbatim=False,
        )

    def _cell(self, built: ExtractedText, cell: dict[str, Any]) -> int:
        """Append a cell; 1 where its output was cut."""
        kind = cell.get("cell_type")
        source = _text(cell.get("source", cell.get("input")))
        if kind == "heading":  # nbformat 3
            level = cell.get("level")
            level = level if isinstance(level, int) and 1 <= level <= 6 else 1
            built.add("heading", " ".join(source.split()), level=level)
        elif kind == "code":
            built.add("code", source)
            return _add_outputs(built, cell)
        elif kind == "raw":
            built.add("paragraph", source)
        else:
            append(built, self._markdown.parse(source.encode(), ""), below=0)
        return 0


def _load(data: bytes) -> dict[str, Any] | None:
    try:
        loaded: object = json.loads(decode(data), strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(loaded, dict) or not ("cells" in loaded or "worksheets" in loaded):
        return None
    return loaded


def _metadata(notebook: dict[str, Any]) -> dict[str, Any]:
    """Title, authors and what says who may read it; the kernel's own data say nothing to people."""
    found = notebook.get("metadata")
    if not isinstance(found, dict):
        return {}
    dropped = ("kernelspec", "language_info", "widgets", "colab", "toc", "name")
    kept = {str(key): plain(value) for key, value in found.items() if key not in dropped}
    return {replace_unsafe(key): value for key, value in kept.items() if value not in ("", {})}


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sheets = notebook.get("worksheets")
    holders = [notebook, *(sheets if isinstance(sheets, list) else [])]
    left = MAX_CELLS
    for holder in holders:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        for cell in cells if isinstance(cells, list) else []:
            if isinstance(cell, dict) and left:
                left -= 1
                yield cell


def _add_outputs(built: ExtractedText, cell: dict[str, Any]) -> int:
    outputs = cell.get("outputs")
    shown = [
        _output(output)
        for output in (outputs if isinstance(outputs, list) else [])
        if isinstance(output, dict)
    ]
    text = "\n".join(piece.rstrip() for piece in shown if piece.strip())
    built.add("code", text[:MAX_OUTPUT])
    return int(len(text) > MAX_OUTPUT)


def _output(output: dict[str, Any]) -> str:
    """The plain text of one output, whatever the nbformat calls it."""
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    data = output.get("data")
    bundle = data if isinstance(data, dict) else output
    for name in ("text/markdown", "text/plain", "text"):
        if text := _text(bundle.get(name)):
            return text
    return ""


def _text(value: object) -> str:
    """A text, which notebooks may write as a list of lines."""
    if isinstance(value, list):
        return "".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


def _prose(built: ExtractedText) -> str:
    text = built.text
    return "\n\n".join(text[e.start : e.end] for e in built.elements if e.kind != "code")
