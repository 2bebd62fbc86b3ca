"""What trees of summaries do to retrieval: flat, collapsed, descend and auto, by kind of question.

    python benchmarks/raptor.py --data DIR [--json FILE] [--llm URL] [--edits N]

DIR/recorded holds `cinderella` and `dulce`: text.txt and questions.jsonl, English and Spanish. Each text
is indexed as a file with the product's default settings and a tree over it, once with extractive
summaries and once with an LLM's, from --llm or from DIR/../tools/recorded_llm.py, which is started and
answers from what a strong model once wrote.

A question shows the default ten hits, best first, until 1,500 tokens of the embedder's tokenizer are
shown; the hit that does not fit is cut there. A passage shows its text, a summary what `tesela query`
prints of it: the sentences that its leaves have on the question (`Hit.expanded`).

must_mention is the mean over questions of the share of their items (one of the alternatives is enough)
that the shown text holds. evidence@k is the mean share of evidence spans that a leaf under the first k
hits covers by half or more, hits that are not shown at all left out; told@k counts only leaves whose
words are shown. With --edits N the same is measured once more after N random edits of each text that
`sync` followed, --at-once of them at a time, next to a tree built anew from the edited text.
"""

import argparse
import contextlib
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recording import recorded

from index.reader import GenerationReader
from index.sync import sync
from kb.configure import load_settings
from kb.location import at
from kb.models.embedder import Embedder, Tokenizer
from kb.models.load import load_embedder
from kb.records import Chunk, Hit
from kb.settings import Settings
from kb.store import Store
from query.pipeline import Searcher

COLLECTIONS = ("cinderella", "dulce")
MODES: Mapping[str, Mapping[str, Any]] = {
    "flat": {"query.mode": "hybrid"},
    "collapsed": {"query.mode": "tree", "query.tree": "collapsed"},
    "descend": {"query.mode": "tree", "query.tree": "descend"},
    "auto": {"query.mode": "auto"},
}
KINDS = ("global", "local", "multi-hop")
BUDGET = 1500
Figures = dict[str, dict[str, dict[str, float]]]


def shown(hits: Sequence[Hit], tokenizer: Tokenizer) -> list[tuple[Hit, str]]:
    """The hits that the budget shows something of, and what."""
    found, left = [], BUDGET
    for hit in hits:
        text = hit.expanded.text if hit.expanded is not None else hit.chunk.text
        bounds = tokenizer.offsets(text)
        found.append((hit, text if len(bounds) <= left else text[: int(bounds[left - 1][1])]))
        left -= len(bounds)
        if left <= 0:
            break
    return found


def mentioned(question: Mapping[str, Any], text: str) -> float:
    """The share of what must be mentioned that is."""
    low = text.casefold()
    items = question["must_mention"]
    return sum(any(one.casefold() in low for one in item.split("|")) for item in items) / len(items)


def covered(question: Mapping[str, Any], leaves: Sequence[Chunk]) -> float:
    """The share of evidence spans of which a leaf covers at least half."""
    spans = question["evidence"]
    found = sum(
        any(2 * (min(c.end, end) - max(c.start, start)) >= end - start for c in leaves)
        for start, end in spans
    )
    return found / len(spans)


def leaves_of(hit: Hit, leaves: Mapping[str, Chunk], *, told: bool) -> list[Chunk]:
    """Those under a hit; only those whose words it shows, where `told`."""
    if hit.chunk.kind == "text":
        return [hit.chunk]
    quotes = hit.expanded.quotes if hit.expanded is not None else hit.chunk.quotes
    names = {quote.leaf for quote in quotes} if told and quotes else hit.chunk.leaves
    return [leaves[name] for name in names if name in leaves]


def measure(
    reader: GenerationReader,
    settings: Settings,
    embedder: Embedder,
    questions: Sequence[Mapping[str, Any]],
    sums: dict[tuple[str, str], list[float]],
) -> None:
    """Add the figures of one collection in one mode."""
    searcher = Searcher(reader, settings.query, lambda: embedder)
    leaves = {chunk.id: chunk for chunk in reader.chunks if chunk.kind == "text"}
    for question in questions:
        found = shown(searcher.search(question["question"]), embedder.tokenizer)
        kind = question["kind"]
        sums[kind, "must_mention"].append(mentioned(question, "\n".join(t for _, t in found)))
        for name, told in (("evidence", False), ("told", True)):
            for depth in (5, 10):
                under = [c for h, _ in found[:depth] for c in leaves_of(h, leaves, told=told)]
                sums[kind, f"{name}@{depth}"].append(covered(question, under))


def build(home: Path, settings: Settings, embedder: Embedder) -> GenerationReader:
    """Bring a KB of a folder up to date."""
    location = at(home)
    location.folder.mkdir(exist_ok=True)
    with Store(location) as store:
        done = sync(location, store, settings, embedder, lambda *_: None, [home])
    derived = done.build.derived
    if derived.stopped:
        sys.exit(f"not all summaries are there: {derived.stopped}")
    for note in (*derived.notes, *(f"{p}: {why}" for p, why in derived.failed.items())):
        print(f"  {note}", flush=True)
    return GenerationReader.open(location)


def figures(homes: Mapping[str, Path], given: Mapping[str, Any], data: Path) -> Figures:
    """Build or update the collections, and measure all modes."""
    settings = load_settings(flags=given, environment={})
    embedder = load_embedder(settings.embed)
    readers = {}
    for name, home in homes.items():
        started = time.monotonic()
        readers[name] = build(home, settings, embedder)
        spent = time.monotonic() - started
        print(f"  {name}: {len(readers[name])} chunks, {spent:.0f} s", flush=True)
    results: Figures = {}
    for mode, changes in MODES.items():
        chosen = load_settings(flags={**given, **changes}, environment={})
        sums: dict[tuple[str, str], list[float]] = defaultdict(list)
        for name, reader in readers.items():
            measure(reader, chosen, embedder, asked(data, name), sums)
        results[mode] = {
            kind: {
                figure: round(sum(values) / len(values), 4)
                for (of, figure), values in sums.items()
                if of == kind
            }
            for kind in KINDS
        }
        for kind, found in results[mode].items():
            line = "  ".join(f"{figure} {value:.3f}" for figure, value in found.items())
            print(f"  {mode:<10}{kind:<10}{line}", flush=True)
    return results


def asked(data: Path, name: str) -> list[dict[str, Any]]:
    """The questions of a collection that its text answers."""
    lines = (data / "recorded" / name / "questions.jsonl").read_text("utf-8").splitlines()
    return [question for question in map(json.loads, lines) if question["must_mention"]]


def edited(text: str, number: int) -> Iterator[str]:
    """The text after each of `number` random edits of a paragraph: cut, doubled, moved, reworded."""
    chance = random.Random(7)
    parts = text.split("\n\n") if text.count("\n\n") > 20 else text.split("\n")
    joint = "\n\n" if text.count("\n\n") > 20 else "\n"
    for _ in range(number):
        place = chance.randrange(len(parts))
        way = chance.random()
        if way < 0.4:
            words = parts[place].split(" ")
            words.insert(chance.randrange(len(words) + 1), chance.choice(("indeed", "then", "so")))
            parts[place] = " ".join(words)
        elif way < 0.7:
            parts.insert(chance.randrange(len(parts)), "A note was added here later, by hand.")
        elif way < 0.85:
            parts.insert(chance.randrange(len(parts)), parts.pop(place))
        else:
            parts.insert(place, parts[place])
        yield joint.join(parts)


def write(file: Path | None, results: Figures, suffix: str = "") -> None:
    """The figures that are asked for, in JSON."""
    if file is None:
        return
    plain = {
        mode: {
            kind: {name: value for name, value in found.items() if not name.startswith("told")}
            for kind, found in kinds.items()
        }
        for mode, kinds in results.items()
    }
    target = file.with_name(f"{file.stem}{suffix}{file.suffix}")
    target.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Run and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--json", type=Path, help="an LLM's figures go to NAME-llm.json beside")
    arguments.add_argument("--llm", default="", metavar="URL")
    arguments.add_argument("--llm-model", default="recorded", metavar="NAME")
    arguments.add_argument("--no-llm", action="store_true")
    arguments.add_argument("--edits", type=int, default=0, metavar="N")
    arguments.add_argument("--at-once", type=int, default=1, metavar="N")
    options = arguments.parse_args()
    tree = {"raptor.enabled": True}
    with contextlib.ExitStack() as stack:
        cache = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def homes(kind: str) -> dict[str, Path]:
            made = {name: cache / kind / name for name in COLLECTIONS}
            for name, home in made.items():
                home.mkdir(parents=True)
                text = options.data / "recorded" / name / "text.txt"
                (home / "text.txt").write_bytes(text.read_bytes())
            return made

        print("extractive", flush=True)
        own = homes("extractive")
        write(options.json, figures(own, tree, options.data))
        if not options.no_llm:
            url = options.llm or stack.enter_context(recorded(options.data))
            print("llm", flush=True)
            asking = {"llm.url": url, "llm.model": options.llm_model}
            given = tree | asking | {"raptor.summarizer": "llm"}
            write(options.json, figures(homes("llm"), given, options.data), "-llm")
        if options.edits:
            follow(own, homes("anew"), tree, options)


def follow(
    own: Mapping[str, Path],
    anew: Mapping[str, Path],
    given: Mapping[str, Any],
    options: argparse.Namespace,
) -> None:
    """Edit the texts, a sync after each edit, and measure beside a fresh build."""
    settings = load_settings(flags=given, environment={})
    embedder = load_embedder(settings.embed)
    for name, home in own.items():
        text = (home / "text.txt").read_bytes().decode("utf-8")
        for number, after in enumerate(edited(text, options.edits), 1):
            if number % options.at_once and number < options.edits:
                continue
            (home / "text.txt").write_bytes(after.encode("utf-8"))
            build(home, settings, embedder)
        (anew[name] / "text.txt").write_bytes((home / "text.txt").read_bytes())
    for title, homes in (("followed", own), ("built anew", anew)):
        print(f"after {options.edits} edits a collection, {title}", flush=True)
        figures(homes, given, options.data)


if __name__ == "__main__":
    main()
