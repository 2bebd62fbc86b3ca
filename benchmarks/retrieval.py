"""Retrieval quality on collections in BEIR layout, through the product's own index and query code.

    python benchmarks/retrieval.py --data DIR [--sets a,b] [--json FILE] [--model encoder-12]
        [--cross-encoder [FOLDER]] [--every N]

DIR/NAME holds corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (header). A
record is a document of one chunk, "title, newline, text"; the settings are the defaults, the same for
all collections. Where queries have a `kind`, nDCG@10 is also told for each. Vectors are kept in --cache, so
a second run embeds nothing but the questions.
"""

import argparse
import csv
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

from index.build import publish_chunks
from index.files import IndexedFile
from index.plan import component_keys
from index.reader import GenerationReader
from ingest.language import detect
from kb.configure import load_settings, parse_value
from kb.digest import sha256_file
from kb.location import Location
from kb.models.embedder import Embedder
from kb.models.load import load_embedder
from kb.records import Chunk
from kb.settings import Settings
from query.evaluate.metrics import mrr, ndcg, recall
from query.pipeline import Searcher
from query.ranking import Ranking

SETS = (
    "xquad_en",
    "xquad_es",
    "xquad_es2en",
    "fastapi_es2en",
    "anthropic_code_chunks",
    "cranfield",
    "hotpot100",
    "manuals",
)
SHOWN = 20
# sparse and dense are the plain legs, hybrid is equal-weight reciprocal rank fusion; default is what a
# plain `tesela query` does; the cross-encoder looks at the same hybrid as maxsim, or follows the default
METHODS = ("sparse", "dense", "hybrid", "hybrid+maxsim", "default")
WITH_CROSS_ENCODER = ("hybrid+cross-encoder", "default+cross-encoder")


def chunks(folder: Path) -> Iterator[Chunk]:
    """One chunk a record of corpus.jsonl; its path is the record's id."""
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            title = record.get("title") or ""
            text = f"{title}\n{record['text']}" if title else record["text"]
            identity = record["_id"]
            yield Chunk(
                id=identity,
                doc_id=identity,
                path=identity,
                start=0,
                end=len(text),
                text=text,
                language=detect(text),
            )


def questions(folder: Path) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Question texts by id, and the judged grades of each; questions without a judgement are left out."""
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t")
        next(rows)
        for query, document, grade in rows:
            grades.setdefault(query, {})[document] = int(grade)
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {r["_id"]: r["text"] for r in records if r["_id"] in grades}, grades


def kinds_of(folder: Path) -> dict[str, str]:
    """The kind of each question, where they have some."""
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {r["_id"]: r["kind"] for r in records if r.get("kind")}


def build(folder: Path, location: Location, settings: Settings, embedder: Embedder) -> None:
    """Index the collection, where it is not indexed already."""
    location.folder.mkdir(parents=True, exist_ok=True)
    corpus = IndexedFile("corpus.jsonl", "", 0, 0, 0, sha256=sha256_file(folder / "corpus.jsonl"))
    keys = component_keys([corpus], settings, embedder.fingerprint, tokens=True)
    publish_chunks(location, settings, embedder, lambda *_: None, keys, lambda: chunks(folder))


def measure(
    folder: Path,
    location: Location,
    settings: Settings,
    embedder: Embedder,
    pairs: bool = False,
    every: int = 1,
) -> dict:
    """Means of each measure for each method, and of nDCG@10 for each kind of question.

    Args:
        folder: of the collection.
        location: of its index.
        settings: of the defaults.
        embedder: the index's.
        pairs: with the cross-encoder, too.
        every: only each n-th question.
    """
    reader = GenerationReader.open(location, settings.bm25)
    plain = replace(
        settings.query, fusion="rrf", rerank="maxsim", language_gap=False, operators=False
    )
    by_rank = Searcher(reader, plain, lambda: embedder)
    default = Searcher(reader, replace(settings.query, k=SHOWN), lambda: embedder)
    by_pairs = [
        Searcher(reader, replace(query, rerank="cross-encoder"), lambda: embedder)
        for query in (plain, settings.query)
        if pairs
    ]
    ids = [document.path for document in reader.chunks.documents]
    texts, grades = questions(folder)
    texts = dict(list(texts.items())[::every])
    kinds = kinds_of(folder)
    methods = (*METHODS, *WITH_CROSS_ENCODER) if pairs else METHODS
    found: dict[str, dict[str, list[float]]] = {method: defaultdict(list) for method in methods}
    for query, text in texts.items():
        trail = by_rank.trail(by_rank.question(text))
        steps = [trail.legs["sparse"], trail.legs["dense"], trail.fused.ranking, trail.final]
        ranked = [named(ranking, ids) for ranking in steps]
        ranked.append([hit.chunk.path for hit in default.search(text)])
        ranked += [named(s.trail(s.question(text)).final, ids) for s in by_pairs]
        for method, names in zip(methods, ranked, strict=True):
            add(found[method], names, grades[query], kinds.get(query))
    return {
        method: {name: round(fmean(values), 4) for name, values in figures.items()}
        for method, figures in found.items()
    }


def named(ranking: Ranking, ids: list[str]) -> list[str]:
    """The ids behind the first rows of a ranking."""
    return [ids[row] for row in ranking.rows[:SHOWN]]


def add(
    found: dict[str, list[float]], ranked: list[str], grades: dict[str, int], kind: str | None
) -> None:
    """Add one question's measures."""
    found["ndcg@10"].append(ndcg(ranked, grades, 10))
    found["mrr@10"].append(mrr(ranked, grades, 10))
    found["recall@5"].append(recall(ranked, grades, 5))
    found["recall@20"].append(recall(ranked, grades, 20))
    if kind:
        found[kind].append(found["ndcg@10"][-1])


def main() -> None:
    """Run and print a line a method and collection."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--sets", default="")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--model", default="encoder-12")
    arguments.add_argument(
        "--cross-encoder",
        nargs="?",
        const="",
        metavar="FOLDER",
        help="measure it, too: the one in the box, a folder's or a hub's",
    )
    arguments.add_argument("--every", type=int, default=1, help="only each n-th question")
    arguments.add_argument("--cache", type=Path, default=Path(".benchmark-cache"))
    arguments.add_argument("--set", action="append", default=[], help="SECTION.KEY=VALUE")
    options = arguments.parse_args()
    flags = {"embed.model": options.model}
    if options.cross_encoder:
        flags["query.rerank_model"] = options.cross_encoder
    for pair in options.set:
        key, _, value = pair.partition("=")
        flags[key] = parse_value(value)
    settings = load_settings(flags=flags, environment={})
    embedder = load_embedder(settings.embed)
    sets = options.sets.split(",") if options.sets else SETS
    results = {}
    for name in sets:
        folder = options.data / name
        if not folder.is_dir():
            sys.exit(f"{folder} is not there")
        started = time.monotonic()
        location = Location((options.cache / options.model / name / ".tesela").absolute())
        build(folder, location, settings, embedder)
        pairs = options.cross_encoder is not None
        results[name] = measure(folder, location, settings, embedder, pairs, options.every)
        for method, means in results[name].items():
            of_all, of_kinds = (
                "  ".join(f"{key} {v:.4f}" for key, v in means.items() if ("@" in key) == measured)
                for measured in (True, False)
            )
            print(f"{name:<24}{method:<22}{of_all}")
            if of_kinds:
                print(f"{'':<24}{'':<22}{of_kinds}")
        print(f"{name:<24}{time.monotonic() - started:.0f} s", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
