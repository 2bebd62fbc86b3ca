"""Training pairs that nobody had to write: headings, questions and package descriptions of manuals.

    bash tools/cross_encoder/gather.sh SRC
    python tools/cross_encoder/gather.py --sources SRC --out DIR [--tests DIR]... [--known FILE]

Writes passages.jsonl and train.jsonl in the format that mine.py reads. What shares ten words in a row
with a text of --tests, or has a heading of theirs, is dropped, in both languages; so are near copies
of the passages in --known.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from books import BOOKS, Passage, ask, book, packages
from wording import grams, grams_of, order, titles_of

# fmt: off
QUOTA = {
    ("question", "en"): 350, ("question", "es"): 350, ("description", "en"): 260,
    ("description", "es"): 280, ("cross", "en"): 550, ("cross", "es"): 550, ("heading", "en"): 380,
    ("heading", "es"): 560,
}
# fmt: on


def clean(
    groups: Iterable[list[Passage]], tests: set[int], titles: set[str], known: set[int]
) -> tuple[list[Passage], Counter]:
    """Drops a group in all languages where one of its texts or headings is in the tests, or known."""
    kept, dropped = [], Counter()
    for group in groups:
        tested = any(grams(f"{p.title} {p.whole or p.text}", 10) & tests for p in group)
        tested |= any(query.lower() in titles for p in group for query, _, _ in p.asked)
        near = any(len((g := grams(p.text, 8)) & known) > 0.2 * len(g) for p in group)
        if tested or near:
            dropped["in the tests" if tested else "known"] += len(group)
        else:
            kept += group
    return kept, dropped


def mark_copies(passages: list[Passage]) -> list[Passage]:
    """Near copies go into `also`; a package whose text an earlier one has goes."""
    held: dict[int, list[int]] = defaultdict(list)
    kept: list[Passage] = []
    sizes: list[int] = []
    for p in passages:
        own = grams(p.text, 6)
        shared = Counter(i for g in own for i in held.get(g, ()))
        copies = [kept[i] for i, n in shared.items() if n > 0.4 * min(len(own), sizes[i])]
        if copies and p.source == "package":
            continue
        p.also.update(q.key for q in copies)
        for g in own:
            held[g].append(len(kept))
        kept.append(p)
        sizes.append(len(own))
    return kept


def close(passages: list[Passage]) -> list[Passage]:
    """Translations of copies, and copies of translations, go into `also` as well."""
    family = {p.key: {p.key} for p in passages}
    for p in passages:
        for key in p.also & family.keys():
            if family[key] is not family[p.key]:
                family[p.key] |= family[key]
                family.update(dict.fromkeys(family[p.key], family[p.key]))
    for p in passages:
        p.also = family[p.key] - {p.key}
    print("largest family of copies and translations:", max(map(len, family.values())))
    return passages


def choose(passages: list[Passage]) -> list[tuple[tuple[str, str, str], Passage]]:
    """Pairs up to the quotas, the sources in turn; no heading that two sections have."""
    often = Counter((q.lower(), p.lang) for p in passages for q, _, _ in p.asked)
    heaps: dict[tuple[str, str], dict[str, list]] = defaultdict(lambda: defaultdict(list))
    for p in sorted(passages, key=lambda p: order(p.key)):
        for q in p.asked:
            if often[q[0].lower(), p.lang] == 1:
                heaps[q[1], q[2]][p.source].append((q, p))
    chosen, by_source = [], Counter()
    for slot, quota in QUOTA.items():
        turns = [(i, s, pair) for s, pairs in heaps[slot].items() for i, pair in enumerate(pairs)]
        taken = sorted(turns, key=lambda t: t[:2])[:quota]
        chosen += [pair for _, _, pair in taken]
        by_source.update(s for _, s, _ in taken)
    print("by source", dict(by_source.most_common()))
    return chosen


def write(folder: Path, chosen: list[tuple[tuple[str, str, str], Passage]]) -> None:
    """The passages that are asked for, and the questions."""
    asked = {p.key: p for _, p in chosen}
    ids = {key: f"s{i}" for i, key in enumerate(sorted(asked), 1)}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "passages.jsonl").open("w", encoding="utf-8") as out:
        for key, name in ids.items():
            p = asked[key]
            record = {"id": name, "lang": p.lang, "title": p.title, "text": p.text}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    with (folder / "train.jsonl").open("w", encoding="utf-8") as out:
        for (query, kind, lang), p in sorted(chosen, key=lambda c: (int(ids[c[1].key][1:]), c[0])):
            also = sorted(ids[k] for k in p.also if k in ids)
            record = {
                "query": query,
                "lang": lang,
                "kind": kind,
                "positive": ids[p.key],
                "also": also,
            }
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(len(ids), "passages,", len(chosen), "queries")
    print(dict(sorted(Counter((kind, lang) for (_, kind, lang), _ in chosen).items())))


def main() -> None:
    """Read, clean, choose, write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sources", type=Path, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--tests", type=Path, action="append", default=[])
    arguments.add_argument("--known", type=Path, action="append", default=[])
    options = arguments.parse_args()
    tests = [f for d in options.tests for f in sorted(d.rglob("*.jsonl"))]
    groups = [ask(g) for s in BOOKS for g in book(options.sources / "root", s)]
    groups += packages(options.sources)
    kept, dropped = clean(groups, grams_of(tests, 10), titles_of(tests), grams_of(options.known, 8))
    print(sum(map(len, groups)), "sections, dropped:", dict(dropped))
    write(options.out, choose(close(mark_copies(kept))))


if __name__ == "__main__":
    main()
