"""Whether the sentences that `tesela ask` shows without an LLM hold the answer, and when it gives up.

    python benchmarks/answers.py --data DIR [--every 14] [--first 1] [--json FILE]

DIR/xquad_en and DIR/xquad_es are in BEIR layout; a query has `answers`. Each question is asked three
times: of all paragraphs, of all but those that answer it, and of all but those of their article.
Printed are the shares of questions whose answer stands in the first sentence shown and in any of them,
the mean number shown, and the shares of questions that are called answered. The third kind has no
answer by construction; of the second some have.
"""

import argparse
import csv
import json
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

import numpy as np
from retrieval import build  # beside this file

from index.reader import GenerationReader
from kb.configure import load_settings
from kb.location import Location
from kb.models.load import load_embedder
from query.answer.compose import Composed, quoted
from query.pipeline import Searcher

SETS = ("xquad_en", "xquad_es")


def relevant(folder: Path) -> dict[str, set[str]]:
    """Paragraphs that answer, by question."""
    found: dict[str, set[str]] = defaultdict(set)
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            found[row["query-id"]].add(row["corpus-id"])
    return found


def folded(text: str) -> str:
    """Without case, accents and kinds of blanks."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


def holds(composed: Composed, answers: list[str], first: int | None = None) -> bool:
    """Whether one of the answers stands in the sentences."""
    shown = [folded(sentence.text) for sentence in composed.sentences[:first]]
    return any(folded(answer) in text for answer in answers for text in shown)


def measure(folder: Path, location: Location, options: argparse.Namespace) -> dict[str, float]:
    """Means over every so-manieth question."""
    settings = load_settings(environment={})
    embedder = load_embedder(settings.embed)
    build(folder, location, settings, embedder)
    reader = GenerationReader.open(location, settings.bm25)
    searcher = Searcher(reader, settings.query, lambda: embedder)
    ids = [document.path for document in reader.chunks.documents]
    grades = relevant(folder)
    sums: dict[str, list[float]] = defaultdict(list)
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["_id"] in grades]
    for record in records[options.first :: options.every]:
        good = grades[record["_id"]]
        articles = {name.partition("p")[0] for name in good}
        kept = {
            "all": None,
            "without its paragraph": np.array([name not in good for name in ids]),
            "without its article": np.array([n.partition("p")[0] not in articles for n in ids]),
        }
        for kind, live in kept.items():
            question = searcher.question(record["text"])
            composed = quoted(question, searcher.search(question, live), reader, embedder)
            sums[f"answered, {kind}"].append(composed.answered)
            if live is None:
                sums["in the first"].append(holds(composed, record["answers"], 1))
                sums["in any"].append(holds(composed, record["answers"]))
                sums["sentences"].append(len(composed.sentences))
    return {"questions": len(sums["in any"])} | {
        name: round(float(np.mean(values)), 3) for name, values in sums.items()
    }


def main() -> None:
    """Run and print a line a measure."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--every", type=int, default=14)
    arguments.add_argument("--first", type=int, default=1)
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--cache", type=Path, default=Path(".benchmark-cache"))
    options = arguments.parse_args()
    results = {}
    for name in SETS:
        folder = options.data / name
        if not folder.is_dir():
            sys.exit(f"{folder} is not there")
        location = Location((options.cache / "encoder-12" / name / ".tesela").absolute())
        results[name] = measure(folder, location, options)
        for measured, value in results[name].items():
            print(f"{name:<12}{measured:<36}{value}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
