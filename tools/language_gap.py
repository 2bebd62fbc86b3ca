"""How much nearer a question is to any text in its own language: `Embedder.language_gap`.

    python tools/language_gap.py EN_DIR ES_DIR [--model encoder-12]

Takes two folders of the same documents in two languages (Markdown), asks each document's headings as
questions, and compares how near they are, on average, to passages of *other* documents in their own and
in the other language. What is left is the language alone, since both sides have the same topics.
"""

import argparse
import random
from pathlib import Path

import numpy as np

from ingest.parse.markdown import MarkdownParser
from kb.models.bundled_embedder import BundledEmbedder
from kb.models.token_bits import maxsim, pack
from kb.settings import EmbedSettings, ParseSettings

DOCUMENTS, PASSAGES, QUESTIONS = 60, 150, 120


def read(folder: Path, names: list[str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(document, heading of four words or more) and (document, paragraph of 200 to 900 characters)."""
    headings, passages = [], []
    for name in names:
        document = MarkdownParser(ParseSettings()).parse((folder / name).read_bytes(), name)
        for element in document.elements:
            text = document.text[element.start : element.end]
            if element.kind == "heading" and len(element.heading[-1].split()) >= 4:
                headings.append((name, element.heading[-1].split("{")[0].strip()))
            elif element.kind == "paragraph" and 200 <= len(text) <= 900:
                passages.append((name, text))
    return headings, passages


def main() -> None:
    """Print the mean gaps of pooled and of token vectors, each way."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folders", nargs=2, type=Path)
    arguments.add_argument("--model", default="encoder-12")
    options = arguments.parse_args()
    embedder = BundledEmbedder(EmbedSettings(model=options.model))
    one, two = options.folders
    both = {p.relative_to(one).as_posix() for p in one.rglob("*.md")}
    names = sorted(both & {p.relative_to(two).as_posix() for p in two.rglob("*.md")})
    chance = random.Random(1)
    names = chance.sample(names, min(DOCUMENTS, len(names)))
    asked, told = [], []
    for folder in (one, two):
        headings, passages = read(folder, names)
        asked.append(chance.sample(headings, min(QUESTIONS, len(headings))))
        told.append(chance.sample(passages, min(PASSAGES, len(passages))))
    sides = []
    for passages in told:
        vectors, tokens = embedder.embed_with_tokens([t for _, t in passages], "passage")
        codes = [pack(t, embedder.token_mean) for t in tokens]
        offsets = np.concatenate([[0], np.cumsum([len(c) for c in codes])]).astype(np.int64)
        sides.append((vectors, np.concatenate(codes), offsets, np.array([n for n, _ in passages])))
    for own, questions in enumerate(asked):
        pooled, token = [], []
        vectors, tokens = embedder.embed_with_tokens([t for _, t in questions], "query")
        for (name, _), vector, matrix in zip(questions, vectors, tokens, strict=True):
            means = []
            for side in (own, 1 - own):
                others = sides[side][3] != name
                near = (sides[side][0] @ vector)[others].mean()
                late = maxsim(matrix - embedder.token_mean, sides[side][1], sides[side][2])
                means.append((near, late[others].mean()))
            pooled.append(means[0][0] - means[1][0])
            token.append(means[0][1] - means[1][1])
        print(
            f"{options.folders[own]}: pooled {np.mean(pooled):.4f} ± {np.std(pooled):.4f}, "
            f"tokens {np.mean(token):.4f} ± {np.std(token):.4f} ({len(questions)} questions)"
        )


if __name__ == "__main__":
    main()
