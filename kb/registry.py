"""The part registry: one line a part, imported only when named.

A part is a class behind a small Protocol. The value names where it lives (``module:Class``), the
package it needs beyond the core, and the extra that installs it. ``--help`` choices, ``tesela doctor``
and the contract tests iterate these tables.
"""

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kb.errors import Unavailable, UsageError


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part lives and what it needs."""

    target: str  # "module:Class"
    summary: str  # one line, for --help
    needs: str = ""  # importable package, beyond the core dependencies
    extra: str = ""  # the extra that installs it

    @property
    def install(self) -> str:
        """The command that brings what the part needs."""
        return f"uv sync --extra {self.extra} (or: pip install 'tesela[{self.extra}]')"


PARTS: Mapping[str, Mapping[str, Part]] = {
    "parser": {
        "markdown": Part(
            "ingest.parse.markdown:MarkdownParser", "Markdown, front matter into metadata"
        ),
        "text": Part("ingest.parse.text:TextParser", "plain text, any encoding"),
        "rst": Part("ingest.parse.rst:RstParser", "reStructuredText"),
        "html": Part("ingest.parse.html.parser:HtmlParser", "HTML without its boilerplate"),
        "csv": Part("ingest.parse.csv.parser:CsvParser", "CSV, TSV: a row is a record"),
        "json": Part("ingest.parse.json.parser:JsonParser", "JSON and JSON lines"),
        "notebook": Part("ingest.parse.notebook:NotebookParser", "Jupyter notebooks"),
        "mail": Part("ingest.parse.mail.parser:MailParser", "e-mail with its attachments"),
        "latex": Part("ingest.parse.latex.parser:LatexParser", "LaTeX"),
        "python": Part("ingest.parse.code.python:PythonParser", "Python by its definitions"),
        "code": Part("ingest.parse.code.other:CodeParser", "other source code"),
        "config": Part("ingest.parse.config:ConfigParser", "YAML, TOML and INI by their sections"),
        "xml": Part("ingest.parse.xml.parser:XmlParser", "XML: text with the names around it"),
        "pdf": Part("ingest.parse.pdf.parser:PdfParser", "PDF, bare pages by OCR"),
        "docx": Part("ingest.parse.docx.parser:DocxParser", "Word document"),
        "pptx": Part("ingest.parse.pptx.parser:PptxParser", "PowerPoint presentation"),
        "xlsx": Part("ingest.parse.xlsx.parser:XlsxParser", "Excel workbook"),
        "xls": Part("ingest.parse.xls:XlsParser", "Excel workbook before 2007, or binary (xlsb)"),
        "odt": Part("ingest.parse.odf.parser:OdtParser", "OpenDocument text"),
        "ods": Part("ingest.parse.odf.parser:OdsParser", "OpenDocument spreadsheet"),
        "odp": Part("ingest.parse.odf.parser:OdpParser", "OpenDocument presentation"),
        "epub": Part("ingest.parse.epub.parser:EpubParser", "EPUB book"),
        "rtf": Part("ingest.parse.rtf.parser:RtfParser", "RTF document"),
        "image": Part("ingest.parse.image:ImageParser", "PNG, JPEG, TIFF, GIF, WebP, BMP, by OCR"),
        "unstructured": Part(
            "ingest.parse.unstructured.parser:UnstructuredParser",
            "Office, HTML and mail by the package unstructured",
            "unstructured",
            "unstructured",
        ),
        "sidecar": Part(
            "ingest.parse.sidecar:SidecarParser", "NAME.meta.toml or .yaml beside a document"
        ),
    },
    "parse engine": {
        "native": Part("ingest.parse.choose:parser_for", "a parser for each format"),
        "unstructured": Part(
            "ingest.parse.unstructured.parser:UnstructuredParser",
            "the package unstructured where it can",
            "unstructured",
            "unstructured",
        ),
    },
    "ocr": {
        "tesseract": Part("ingest.parse.ocr.tesseract:TesseractOcr", "the system's tesseract"),
        "rapidocr": Part(
            "ingest.parse.ocr.rapid:RapidOcr", "models in a wheel", "rapidocr", "rapidocr"
        ),
    },
    "chunker": {
        "recursive": Part(
            "ingest.chunk.recursive:RecursiveChunker", "sections, blocks, sentences, words"
        ),
        "fixed": Part("ingest.chunk.fixed:FixedChunker", "equal sizes with overlap"),
        "semantic": Part("ingest.chunk.semantic:SemanticChunker", "where the topic turns"),
    },
    "contextualizer": {
        "none": Part("ingest.contextualize.none:NoContext", "the chunk alone"),
        "structural": Part(
            "ingest.contextualize.structural:StructuralContext", "title and heading path, no LLM"
        ),
        "llm": Part(
            "ingest.contextualize.llm:LlmContext",
            "50 to 100 tokens of an LLM that read the document",
        ),
    },
    "embedder": {
        "bundled": Part(
            "kb.models.bundled_embedder:BundledEmbedder", "the model in the box, offline"
        ),
        "onnx": Part(
            "kb.models.onnx_embedder:OnnxEmbedder", "a folder with model.onnx and tokenizer.json"
        ),
        "openai": Part("kb.models.openai_embedder:OpenAIEmbedder", "an OpenAI-compatible endpoint"),
        "hub": Part(
            "kb.models.hub_embedder:HubEmbedder",
            "a model id, needs a network",
            "huggingface_hub",
            "hub",
        ),
    },
    "llm": {
        "openai": Part("kb.models.llm.openai:OpenAIChat", "any OpenAI-compatible endpoint"),
        "anthropic": Part("kb.models.llm.anthropic:AnthropicChat", "Anthropic's messages"),
    },
    "engine": {
        "exact": Part("index.engines.exact:ExactEngine", "every vector is compared"),
        "hnsw": Part(
            "index.engines.hnsw:HnswEngine", "graph of near neighbours", "hnswlib", "hnsw"
        ),
        "annoy": Part(
            "index.engines.annoy:AnnoyEngine", "forest of random splits", "annoy", "annoy"
        ),
        "faiss": Part(
            "index.engines.faiss:FaissEngine", "flat, ivf or hnsw by faiss", "faiss", "faiss"
        ),
        "auto": Part("index.engines.auto:AutoEngine", "exact while that is quick, then hnsw"),
    },
    "derivation": {
        "raptor": Part("index.raptor.derivation:Raptor", "trees of summaries"),
        "cards": Part("index.cards.derivation:Cards", "counts and shares over all documents"),
        "graph": Part("index.graph.derivation:Graph", "entities and their relations"),
    },
    "fusion": {
        "auto": Part("query.fuse.auto:AutoFusion", "weighs each leg by what it can know"),
        "rrf": Part("query.fuse.rrf:ReciprocalRankFusion", "reciprocal ranks"),
        "weighted": Part("query.fuse.weighted:WeightedSum", "normalised scores, --alpha for dense"),
    },
    "helper": {
        "multi-query": Part("query.helpers.multi_query:MultiQuery", "the question in other words"),
        "hyde": Part("query.helpers.hyde:Hyde", "near an imagined answer, or near the best hits"),
        "step-back": Part("query.helpers.step_back:StepBack", "a broader question, by an LLM"),
    },
    "reranker": {
        "none": Part("query.rerank.none:NoRerank", "as fused"),
        "maxsim": Part("query.rerank.maxsim:MaxSimRerank", "late interaction over token vectors"),
        "cross-encoder": Part(
            "query.rerank.cross_encoder:CrossEncoderRerank",
            "question and passage read together, by the model in the box or yours",
        ),
        "llm": Part("query.rerank.llm:LlmRerank", "an LLM says how much each passage helps"),
    },
}


def names(kind: str) -> tuple[str, ...]:
    """All names of a kind, the default first."""
    return tuple(PARTS[kind])


def choose(kind: str, name: str) -> Part:
    """The registry line for a part.

    Raises:
        UsageError: no such part; the message lists what there is.
        Unavailable: the package behind it is not installed; the message names the extra.
    """
    try:
        part = PARTS[kind][name]
    except KeyError:
        raise UsageError(f"no {kind} {name!r}: choose one of {', '.join(PARTS[kind])}") from None
    if part.needs and importlib.util.find_spec(part.needs) is None:
        raise Unavailable(
            f"{kind} {name!r} needs the package {part.needs!r}, which is not installed: "
            f"{part.install}"
        )
    return part


def load(kind: str, name: str) -> Any:
    """Import and return a part's class. Raises as `choose` does.

    A broken import inside the part is not mistaken for a missing extra: it is raised as it is.
    """
    module, _, attribute = choose(kind, name).target.partition(":")
    return getattr(importlib.import_module(module), attribute)
