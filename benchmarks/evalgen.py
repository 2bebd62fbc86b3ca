"""Whether a generated test set ranks settings as people's judgements do.

    python benchmarks/evalgen.py --data DIR [--sets a,b] [--json FILE] [--count 400] [--seed 1]

DIR/NAME holds corpus.jsonl {_id, title, text}, queries.jsonl {_id, text} and qrels.tsv (header). Each
record becomes a file, indexed by `tesela sync`; other chunk sizes, contexts and models are built beside
it as `tesela compare` does. Sixteen settings are scored by nDCG@10 of documents: once by the judgements,
once by `tesela eval gen`'s questions. Kendall's tau is taken over the pairs of settings whose difference
by the judgements is sure (paired bootstrap, 95 %). Indexes and the judgements' scores stay in --cache.
"""

import argparse
import contextlib
import csv
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path

from cli.main import run as tesela
from index import beside
from index.reader import GenerationReader
from ingest.read_report import Progress
from kb.configure import load_settings
from kb.digest import digest, digest_settings
from kb.location import Location
from kb.models.embedder import Embedder
from kb.models.load import load_embedder
from kb.settings import Settings
from query.batch.remember import remembering
from query.evaluate.bootstrap import paired_bootstrap
from query.evaluate.generate.documents import documents_of
from query.evaluate.generate.make import make
from query.evaluate.judge import Target
from query.evaluate.measures import Measure
from query.evaluate.questions import SetQuestion
from query.evaluate.rankings import Ranker
from query.evaluate.run import run

SETS = ("xquad_en", "cranfield")
MEASURE = Measure("ndcg", 10)
MOST_JUDGED = 600  # questions of a collection, the first ones
ALONE = {"query.rerank": "none"}
DENSE = {**ALONE, "query.mode": "dense"}
SPARSE = {**ALONE, "query.mode": "sparse"}
WEIGHTED = {**ALONE, "query.fusion": "weighted"}
NO_CONTEXT = {"context.provider": "none"}
SMALL = {"chunk.size": 64}
OTHER_MODEL = {"embed.model": "encoder-6"}
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "dense": DENSE,
    "sparse": SPARSE,
    "rrf": {**ALONE, "query.fusion": "rrf"},
    "auto": ALONE,
    "auto + maxsim": {},
    "weighted 0.3": {**WEIGHTED, "query.alpha": 0.3},
    "weighted 0.9": {**WEIGHTED, "query.alpha": 0.9},
    "sparse + maxsim": {"query.mode": "sparse"},
    "dense, no context": {**DENSE, **NO_CONTEXT},
    "auto, no context": {**ALONE, **NO_CONTEXT},
    "dense, size 64": {**DENSE, **SMALL},
    "auto, size 64": {**ALONE, **SMALL},
    "auto + maxsim, size 64": SMALL,
    "dense, encoder-6": {**DENSE, **OTHER_MODEL},
    "auto, encoder-6": {**ALONE, **OTHER_MODEL},
    "sparse, no stems": {**SPARSE, "bm25.stem": False, "bm25.cognates": False},
}
Scores = dict[str, list[float]]  # setting → a value a question


def main() -> None:
    """Run and print a line a setting and collection."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--sets", default=",".join(SETS), help="names of folders in --data")
    arguments.add_argument("--json", type=Path)
    arguments.add_argument("--cache", type=Path, default=Path(".benchmark-cache"))
    arguments.add_argument("--count", type=int, default=400, help="questions to generate")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    results = {}
    for name in options.sets.split(","):
        folder = options.data / name
        if not folder.is_dir():
            sys.exit(f"{folder} is not there")
        home = (options.cache / "evalgen" / name).absolute()
        results[name] = collection(folder, home, options.count, options.seed)
        show(name, results[name])
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def collection(folder: Path, home: Path, count: int, seed: int) -> dict[str, object]:
    """Both rankings of the settings, and how far they agree."""
    location = knowledge_base(folder, home)
    loaded = lru_cache(4)(lambda embed: remembering(load_embedder(embed)))
    settings = {
        # copies would be judged, too: each counts by itself
        name: load_settings(flags={**flags, "query.collapse": False}, environment={})
        for name, flags in SETTINGS.items()
    }
    rankers = dict(made(location, settings, loaded))
    truth = remembered(
        home / "judged.json",
        [*map(digest_settings, settings.values()), digest((folder / "qrels.tsv").read_bytes())],
        lambda: scores(rankers, *judged(folder)),
    )
    began = time.monotonic()
    questions, targets = generated(location, settings["auto"], loaded, count, seed)
    took = time.monotonic() - began
    mine = scores(rankers, questions, targets)
    return {
        "questions": len(questions),
        "seconds to generate": round(took, 1),
        "judged": means(truth),
        "generated": means(mine),
        **agreement(truth, mine),
    }


def knowledge_base(folder: Path, home: Path) -> Location:
    """A file a record, indexed with the default settings, where that is not done already."""
    location = Location(home / ".tesela")
    if not (home / "docs").is_dir():
        (home / "docs").mkdir(parents=True)
        with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                parts = [part for part in (record.get("title"), record["text"]) if part]
                file = home / "docs" / f"{record['_id'].replace('/', '_')}.txt"
                file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    if not location.current.exists():
        tesela(["init", str(home)])
        if tesela(["sync", "--kb", str(home), str(home / "docs")]) not in (0, 3):
            sys.exit(f"{home} could not be indexed")
    return location


def made(
    location: Location, settings: Mapping[str, Settings], loaded: Callable[..., Embedder]
) -> Iterator[tuple[str, Ranker]]:
    """A ranker for each of the settings; what has no index yet is built beside the KB."""
    found = {n: beside.find(location, s, loaded(s.embed)) for n, s in settings.items()}
    missing = {
        variant.location.folder: (variant, settings[n], lambda s=settings[n]: loaded(s.embed))
        for n, variant in found.items()
        if not variant.ready
    }
    if missing:
        beside.build(location, missing.values(), silent)
    for name, one in settings.items():
        reader = GenerationReader.open(found[name].location, one.bm25)
        yield name, Ranker(reader, one.query, lambda s=one: loaded(s.embed), None)


@contextlib.contextmanager
def silent() -> Iterator[Progress]:
    """Tells nobody."""
    yield lambda _stage, _done: None


def judged(folder: Path) -> tuple[list[SetQuestion], list[tuple[Target, ...]]]:
    """The collection's own questions, and the documents that were judged to answer them."""
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t")
        next(rows)
        for query, document, grade in rows:
            if int(grade) > 0:
                path = f"docs/{document.replace('/', '_')}.txt"
                grades.setdefault(query, {})[path] = int(grade)
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["_id"] in grades]
    records = records[:MOST_JUDGED]
    return (
        [SetQuestion(record["_id"], record["text"]) for record in records],
        [
            tuple(Target(path=p, grade=g) for p, g in grades[record["_id"]].items())
            for record in records
        ],
    )


def generated(
    location: Location, settings: Settings, loaded: Callable[..., Embedder], count: int, seed: int
) -> tuple[list[SetQuestion], list[tuple[Target, ...]]]:
    """The KB's questions on itself, judged by document as the collection's are."""
    reader = GenerationReader.open(location)
    documents = documents_of(location, reader, None, seed)
    embedder = loaded(settings.embed)
    drafts = make(documents, count, seed, lambda words: embedder.embed(words, "query")).drafts
    return (
        [SetQuestion(str(number), draft.text) for number, draft in enumerate(drafts)],
        [(Target(path=draft.evidence.path),) for draft in drafts],
    )


def scores(
    rankers: Mapping[str, Ranker],
    questions: Sequence[SetQuestion],
    targets: Sequence[tuple[Target, ...]],
) -> Scores:
    """Of each setting, a value a question."""
    outcome = run(questions, targets, rankers, [MEASURE], 10)
    if outcome.failed:
        sys.exit(f"{outcome.failed[0].id} could not be asked: {outcome.failed[0].error}")
    return {name: outcome.values(name, MEASURE) for name in rankers}


def remembered(file: Path, key: list[str], make_them: Callable[[], Scores]) -> Scores:
    """Scores from a file, if it was made for this key."""
    if file.exists():
        there = json.loads(file.read_text(encoding="utf-8"))
        if there["key"] == key:
            return dict(there["scores"])
    found = make_them()
    file.write_text(json.dumps({"key": key, "scores": found}), encoding="utf-8")
    return found


def means(found: Scores) -> dict[str, float]:
    """Of each setting."""
    return {name: round(sum(values) / len(values), 4) for name, values in found.items()}


def agreement(truth: Scores, mine: Scores) -> dict[str, object]:
    """Kendall's tau over the pairs that surely differ, and those that are the wrong way round."""
    right, wrong = 0, []
    for a, b in combinations(truth, 2):
        difference = paired_bootstrap(truth[a], truth[b], resamples=2000)
        if not difference.is_sure:
            continue
        gain = sum(mine[b]) / len(mine[b]) - sum(mine[a]) / len(mine[a])
        if gain * difference.mean > 0:
            right += 1
        else:
            wrong.append([a, b, round(difference.mean, 4), round(gain, 4)])
    pairs = right + len(wrong)
    tau = (right - len(wrong)) / pairs if pairs else 1.0
    return {"pairs": pairs, "tau": round(tau, 3), "wrong": wrong}


def show(name: str, found: Mapping[str, object]) -> None:
    """A line a setting, the best by the judgements first."""
    by_people, by_itself = found["judged"], found["generated"]
    assert isinstance(by_people, dict)
    assert isinstance(by_itself, dict)
    print(f"{name}: {found['questions']} questions generated")
    for setting in sorted(by_people, key=lambda one: -by_people[one]):
        print(f"  {setting:<24}judged {by_people[setting]:.4f}  generated {by_itself[setting]:.4f}")
    print(f"  tau {found['tau']} over {found['pairs']} pairs that surely differ", flush=True)


if __name__ == "__main__":
    main()
