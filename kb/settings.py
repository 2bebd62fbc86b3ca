"""Settings: bounded, typed, unknown keys refused.

Order of strength: preset < ``tesela.toml`` < ``TESELA_*`` < flags (see `kb.configure`).
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class Section(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of all sections: a typo in a key is an error, never a silent default."""


class ScanSettings(Section, frozen=True):
    """Which files of a folder are read."""

    hidden: bool = False
    follow_links: bool = False
    max_file_bytes: Annotated[int, Meta(ge=1)] = 1 << 30


class SyncSettings(Section, frozen=True):
    """What a sync may do unasked."""

    # More than this of a source, and more than 10 files, gone: the run stops.
    max_delete: int | str = "20%"


class ParseSettings(Section, frozen=True):
    """How files are read."""

    pdf_engine: Literal["pymupdf", "pypdfium2"] = "pymupdf"
    json_text: str = "text"  # the field, as a dotted path, that is a JSON record's text
    json_title: str = "title"  # and the one that is its title
    file_timeout: int | float | str = "60s"  # for one file, or for one step of a long one
    file_memory: int | str = "1GB"  # for one file, beyond what its text takes (four times its size)
    workers: Annotated[int, Meta(ge=0, le=256)] = 0  # processes that read files; 0: one a core
    engine: str = "native"  # unstructured: that package for Office, HTML and mail
    # Of PDF and images. extract: all text; tools: a summary, whose pages 'tesela inspect' shows;
    # native: all text, and what the LLM of the settings sees in the pictures
    multimodal: Literal["extract", "tools", "native"] = "extract"
    describe_pages: Annotated[int, Meta(ge=1, le=10_000)] = 20  # native: of one document, at most
    # auto: tesseract, else rapidocr, whichever is there; only pages without sound text are read so
    ocr: Literal["auto", "off", "tesseract", "rapidocr"] = "auto"
    # tesseract's names of languages, joined by +; rapidocr reads Latin script and Chinese in one
    ocr_languages: Annotated[str, Meta(pattern=r"^[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20})*$")] = (
        "spa+eng"
    )
    ocr_dpi: Annotated[int, Meta(ge=72, le=600)] = 300


class ChunkSettings(Section, frozen=True):
    """How documents are cut; sizes in tokens of the embedder."""

    strategy: str = "recursive"
    size: Annotated[int, Meta(ge=8, le=8192)] = 256
    # Times size, for documents that are mostly code, whose tokens are shorter than those of prose; at
    # most three quarters of what the embedder reads.
    code_factor: Annotated[float, Meta(ge=1.0, le=8.0)] = 1.5
    overlap: int | str = 0  # tokens, or a share of size as "15%"
    min_size: Annotated[int, Meta(ge=0, le=8192)] = 0  # semantic only; 0: a quarter of size
    threshold: Annotated[float, Meta(ge=-1.0, le=100.0)] = 90.0
    threshold_kind: Literal["percentile", "absolute"] = "percentile"
    window: Annotated[int, Meta(ge=1, le=20)] = 3  # semantic only: sentences a side


class ContextSettings(Section, frozen=True):
    """What is put before a chunk to situate it."""

    provider: str = "structural"
    max_tokens: Annotated[int, Meta(ge=0, le=512)] = 64
    llm_max_tokens: Annotated[int, Meta(ge=8, le=512)] = 128  # of what an LLM says; it is cut there


class EmbedSettings(Section, frozen=True):
    """Which model makes the vectors."""

    embedder: str = "bundled"
    # bundled: encoder-12 | encoder-6; onnx: a folder; openai, hub: a model name
    model: str = "encoder-12"
    url: str = ""  # openai only
    key_env: str = "OPENAI_API_KEY"  # openai only: the variable that holds the key
    dimension: Annotated[int, Meta(ge=0, le=65536)] = 0  # openai only; 0: as the endpoint answers
    query_prefix: str | None = None  # onnx, openai, hub: None means no prefix
    passage_prefix: str | None = None
    max_tokens: Annotated[int, Meta(ge=8, le=131072)] = 512
    threads: Annotated[int, Meta(ge=0, le=256)] = 0  # 0: one a core


class EngineSettings(Section, frozen=True):
    """Which structure finds the nearest vectors."""

    name: str = "exact"
    hnsw_m: Annotated[int, Meta(ge=2, le=128)] = 16
    hnsw_ef_construction: Annotated[int, Meta(ge=8, le=4000)] = 200
    hnsw_ef_search: Annotated[int, Meta(ge=1, le=4000)] = 200
    annoy_trees: Annotated[int, Meta(ge=1, le=1000)] = 100
    # At least trees * candidates are taken; 0: 2.5 times the rows, 20,000 or more
    annoy_search_k: Annotated[int, Meta(ge=0)] = 0
    faiss_kind: Literal["flat", "ivf", "hnsw"] = "flat"
    faiss_nlist: Annotated[int, Meta(ge=0)] = 0  # 0: 4 * sqrt(n)
    faiss_nprobe: Annotated[int, Meta(ge=0)] = 0  # 0: a quarter of the lists
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 42  # faiss takes 31 bits


class Bm25Settings(Section, frozen=True):
    """The lexical leg."""

    k1: Annotated[float, Meta(ge=0.0, le=10.0)] = 0.9
    b: Share = 0.6
    idf: Literal["lucene", "robertson"] = "lucene"
    stop_words: bool = True
    stem: bool = True
    fold_enye: bool = False  # True: año and ano are one word
    cognates: bool = True  # also look a query's words up as their English or Spanish cognates


class TokenVectorSettings(Section, frozen=True):
    """Sign bits of token vectors, kept for the maxsim rerank (about 10 KB per 200-token chunk)."""

    store: bool = True


class RaptorSettings(Section, frozen=True):
    """Trees of summaries over the chunks."""

    enabled: bool = False
    scope: Literal["corpus", "folder", "document"] = "corpus"  # what has a tree of its own
    summarizer: Literal["extractive", "llm"] = "extractive"  # whose words; llm: of section llm
    dimensions: Annotated[int, Meta(ge=1, le=256)] = 10  # that vectors are reduced to
    threshold: Annotated[float, Meta(gt=0.0, lt=1.0)] = 0.1  # a share above it makes a member
    cluster_tokens: Annotated[int, Meta(ge=64, le=1_000_000)] = 3500  # a longer cluster is divided
    max_levels: Annotated[int, Meta(ge=1, le=20)] = 8  # of summaries
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 42
    # "": never; otherwise a share of leaves as `tesela raptor stats` tells it
    rebuild_if: Annotated[str, Meta(pattern=r"^(drift>(0(\.\d+)?|1))?$")] = "drift>0.2"


class GraphSettings(Section, frozen=True):
    """A graph of entities and relations, and reports on its communities."""

    enabled: bool = False
    extractor: Literal["rules", "llm"] = "rules"  # llm: of section llm
    # what an LLM may call an entity; others are taken, too
    types: tuple[Annotated[str, Meta(min_length=1, max_length=40)], ...] = (
        "person",
        "organization",
        "place",
        "event",
        "object",
        "concept",
    )
    gleanings: Annotated[int, Meta(ge=0, le=5)] = 0  # rounds that ask an LLM for what it left out
    reports: Literal["extractive", "llm"] = "extractive"  # whose words
    community_size: Annotated[int, Meta(ge=2, le=10_000)] = 10  # members; a larger one is divided


class GenerationsSettings(Section, frozen=True):
    """How much of the past is kept; tagged snapshots are kept besides."""

    keep: Annotated[int, Meta(ge=1, le=1000)] = 3  # newest generations, the current one among them


class QuerySettings(Section, frozen=True):
    """How a question is answered."""

    k: Annotated[int, Meta(ge=1, le=10_000)] = 10
    # tree, graph: derived chunks answer, too; auto: where the question asks for them
    mode: Literal["auto", "hybrid", "dense", "sparse", "tree", "graph"] = "auto"
    # tree, and auto where it takes to it: descend, the summaries on the best ways down from the top
    # answer; collapsed, all summaries and chunks compete
    tree: Literal["descend", "collapsed"] = "descend"
    depth: Annotated[int, Meta(ge=1, le=100_000)] = 150  # candidates of each leg
    fusion: str = "auto"
    rrf_k: Annotated[int, Meta(ge=1, le=10_000)] = 60
    alpha: Share = 0.65  # weighted fusion: the dense leg's share
    rerank: str = "maxsim"
    # cross-encoder only: a folder, an .onnx file in one, or a hub id; "": the one in the box
    rerank_model: str = ""
    # cross-encoder only: candidates that late interaction orders for it; how many of the best it reads; its
    # share beside that order's; and tokens of question and passage together (a model may read fewer)
    cross_encoder_pool: Annotated[int, Meta(ge=1, le=10_000)] = 150
    cross_encoder_depth: Annotated[int, Meta(ge=1, le=10_000)] = 20
    cross_encoder_weight: Share = 0.5
    rerank_max_tokens: Annotated[int, Meta(ge=16, le=8192)] = 512
    rerank_depth: Annotated[int, Meta(ge=1, le=10_000)] = 50
    rerank_weight: Share = 0.6  # of the reranker's score; the rest is the fused score's
    llm_depth: Annotated[int, Meta(ge=1, le=1000)] = 20  # what the llm rerank reads of them
    helpers: tuple[Literal["multi-query", "hyde", "step-back"], ...] = ()  # further searches
    max_calls: Annotated[int, Meta(ge=0, le=10_000)] = 8  # to an LLM, for one question
    support: Share = 0.35  # what likeness to the best candidate adds to another
    # What meeting all that the best candidate leaves unmet would add to another (maxsim only).
    complement: Annotated[float, Meta(ge=0.0, le=10.0)] = 3.0
    # In mode graph. local: chunks around the entities that the question names; global: reports on
    # communities of entities; auto: as the question asks
    graph: Literal["auto", "local", "global"] = "auto"
    # Where there is a graph: what a chunk may gain, as a share of the candidates' range of scores, that the
    # best hits lead to by the entities they name.
    links: Annotated[float, Meta(ge=0.0, le=10.0)] = 0.5
    language_gap: bool = True  # take off what a question's own language adds to any text in it
    expand: str = "none"  # the text around a hit: section, document, or window:N chunks a side
    expand_characters: Annotated[int, Meta(ge=1, le=10_000_000)] = 8000  # of it, in whole chunks
    operators: bool = True  # a question's "phrases" and -exclusions bind; False: it is plain text
    include_expired: bool = False  # also what is expired, superseded or not yet valid; marked
    tag_weights: dict[str, Share] = {}  # tag → weight; documents whose tags weigh more move up
    tag_share: Share = 0.32  # of the tag's weight, where there are any; the rest is the score's
    collapse: bool = True  # hits that say nearly the same become one
    diversity: Share = 0.0  # what unlikeness to the hits before counts; 0: only the score
    prune: bool = False  # drop weak hits: 3 to 5 stay
    # What is weak: 0 (the last candidate) to 1 (the best), or a probability if the reranker gives one.
    prune_below: Share = 0.5


class LlmSettings(Section, frozen=True):
    """Which LLM is asked, where something asks for one, and what it may cost."""

    kind: str = "openai"
    url: str = ""  # of the server, e.g. http://localhost:11434/v1; "": none
    model: str = ""
    key_env: str = ""  # the variable with the key; "": the provider's usual one, for it alone
    timeout: Annotated[float, Meta(gt=0.0, le=3600.0)] = 120.0  # seconds, for one answer
    concurrency: Annotated[int, Meta(ge=1, le=256)] = 4
    requests_per_minute: Annotated[int, Meta(ge=0)] = 0  # 0: no limit
    tokens_per_minute: Annotated[int, Meta(ge=0)] = 0  # of prompts and answers; 0: no limit
    context_window: Annotated[int, Meta(ge=512)] = 32_768  # tokens, prompt and answer
    max_output: Annotated[int, Meta(ge=16)] = 4096  # tokens
    temperature: Annotated[float, Meta(ge=0.0, le=2.0)] | None = 0.0
    seed: int | None = None
    max_usd: Annotated[float, Meta(ge=0.0, le=1e6)] | None = None  # these three for a run
    max_calls: Annotated[int, Meta(ge=0)] | None = None
    max_tokens: Annotated[int, Meta(ge=0)] | None = None


class AclRule(Section, frozen=True):
    """Who may read the files that a glob, as in a .gitignore, matches."""

    path: Annotated[str, Meta(min_length=1)]
    # A principal's labels are given with commas between them, so none can hold one.
    labels: Annotated[
        tuple[Annotated[str, Meta(min_length=1, pattern="^[^,]*$")], ...], Meta(min_length=1)
    ]


class AclSettings(Section, frozen=True):
    """Rights by path; a document's own ``acl`` is asked besides."""

    required: bool = False  # also hide documents that no label speaks about
    rules: tuple[AclRule, ...] = ()


class CountSettings(Section, frozen=True):
    """One card of counts, or one for each group of LLM's rules; see `index.cards`."""

    # Of the card's path, card:NAME.
    name: Annotated[str, Meta(pattern=r"^[^\W_][\w.-]{0,59}$")]
    group_by: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(max_length=4)] = ()
    of: Literal["documents", "records", "matches"] = "documents"  # what is counted
    where: tuple[Annotated[str, Meta(min_length=1)], ...] = ()  # which of them; all have to hold
    value: str = ""  # a field whose numbers are added up
    extract: str = ""  # a regular expression whose named groups are fields
    noun: str = ""  # what the counted things are called; "": as their folder
    as_of: str = ""  # a day, or "today"; "": what holds without an end
    top: Annotated[int, Meta(ge=1, le=1000)] = 100  # groups that are named; the rest is one number
    rules: bool = False  # an LLM also says what the cases of a group have in common


class CardsSettings(Section, frozen=True):
    """What is counted over all documents, and what it takes of an LLM."""

    counts: tuple[CountSettings, ...] = ()
    rule_groups: Annotated[int, Meta(ge=1, le=1000)] = 12  # the largest groups, that get rules
    rule_cases: Annotated[int, Meta(ge=2, le=1000)] = 40  # of each group that the LLM reads


class Settings(Section, frozen=True):
    """Everything that can be set, one section a stage."""

    scan: ScanSettings = field(default_factory=ScanSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    parse: ParseSettings = field(default_factory=ParseSettings)
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    bm25: Bm25Settings = field(default_factory=Bm25Settings)
    token_vectors: TokenVectorSettings = field(default_factory=TokenVectorSettings)
    raptor: RaptorSettings = field(default_factory=RaptorSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    generations: GenerationsSettings = field(default_factory=GenerationsSettings)
    query: QuerySettings = field(default_factory=QuerySettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    acl: AclSettings = field(default_factory=AclSettings)
    cards: CardsSettings = field(default_factory=CardsSettings)
