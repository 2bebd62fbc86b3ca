"""A test set's questions from the documents of a knowledge base, without a model."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kb.digest import digest
from kb.records import Document
from query.evaluate.generate.documents import Documents
from query.evaluate.generate.drafts import Difficulty, Draft
from query.evaluate.generate.makers import MAKERS, Making
from query.evaluate.generate.near import Embed, Near
from query.evaluate.generate.passages import language_of, sentences
from query.evaluate.generate.words import Usage, words

_MORE = 3  # drafts for each question that is wanted: some are too vague
_VAGUE = (
    3  # documents that hold all words of a question: with more, nobody could know which is meant
)
_DIFFICULTIES: Sequence[Difficulty] = ("easy", "medium", "hard")


@dataclass(slots=True)
class Made:
    """What was made, and what was looked at."""

    drafts: list[Draft] = field(default_factory=list)
    documents: int = 0
    other_languages: int = 0  # documents in a language that no question is written in
    vague: int = 0  # drafts that were dropped


def make(documents: Documents, count: int, seed: int, embed: Embed) -> Made:
    """Up to `count` questions, as evenly over documents, kinds and difficulties as they allow.

    The same documents, count and seed give the same questions; a document that is added or goes
    changes few of the others.

    Args:
        documents: gives the documents with their paths, from the beginning each time.
        count: how many are wanted.
        seed: which ones.
        embed: words to unit vectors, float32 (n, d): tells which mean nearly the same.
    """
    made = Made()
    usage: dict[str, Usage] = {}
    order: list[tuple[str, str]] = []
    for path, document in documents():
        language = language_of(document)
        made.documents += 1
        if not language:
            made.other_languages += 1
            continue
        usage.setdefault(language, Usage()).add(document.text, language)
        order.append((_rank(seed, path), path))
    near = {language: Near(embed, of_language) for language, of_language in usage.items()}
    drafts = _drafts(documents, near, sorted(order), count * _MORE, seed)
    clear = _clear(documents, usage, drafts)
    made.vague = len(drafts) - len(clear)
    made.drafts = clear[:count]
    return made


def _drafts(
    documents: Documents,
    near: dict[str, Near],
    order: list[tuple[str, str]],
    wanted: int,
    seed: int,
) -> list[Draft]:
    """One question after another from each document in turn, until there are enough."""
    if not order:
        return []
    each = -(-wanted // len(order)) + 1
    chosen = {path: place for place, (_, path) in enumerate(order[:wanted])}
    found: list[tuple[int, int, Draft]] = []
    for path, document in documents():
        if path in chosen:
            made = _of_document(path, document, near[language_of(document)], each, seed)
            found += [(turn, chosen[path], draft) for turn, draft in enumerate(made)]
    found.sort(key=lambda item: item[:2])
    return list(_apart(draft for _, _, draft in found))[:wanted]


def _of_document(
    path: str, document: Document, near: Near, most: int, seed: int
) -> Iterator[Draft]:
    language = language_of(document)
    there = list(sentences(document))
    draw = random.Random(_rank(seed, path))
    places = draw.sample(range(len(there)), min(most, len(there)))
    often = Counter(word.stem for word in words(document.text, language))
    first = draw.randrange(len(MAKERS) * len(_DIFFICULTIES))
    for turn, at in enumerate(places):
        step = first + turn
        difficulty = _DIFFICULTIES[step % len(_DIFFICULTIES)]
        making = Making(path, language, there[at], often, near.usage, near, draw, difficulty)
        turned = step // len(_DIFFICULTIES) % len(MAKERS)
        kinds = [*MAKERS[turned:], *MAKERS[:turned]]
        draft = next((d for maker in kinds if (d := maker(making))), None)
        if draft is not None:
            yield draft


def _apart(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Without questions that were there, and without second ones on the same evidence."""
    texts: set[str] = set()
    places: set[str] = set()
    for draft in drafts:
        words_of = " ".join(sorted(draft.text.casefold().split()))
        if words_of not in texts and draft.evidence.text not in places:
            texts.add(words_of)
            places.add(draft.evidence.text)
            yield draft


def _clear(documents: Documents, usage: dict[str, Usage], drafts: list[Draft]) -> list[Draft]:
    """Those whose words do not stand together in many documents."""
    by_rarest: dict[str, list[int]] = {}
    for number, draft in enumerate(drafts):
        counts = usage[draft.language].counts
        rarest = min(draft.stems, key=lambda stem: (counts[stem], stem))
        by_rarest.setdefault(rarest, []).append(number)
    holding = [0] * len(drafts)
    for _, document in documents():
        language = language_of(document)
        if not language:
            continue
        said = {word.stem for word in words(document.text, language)}
        for stem in said & by_rarest.keys():
            for number in by_rarest[stem]:
                holding[number] += drafts[number].stems <= said
    return [draft for draft, n in zip(drafts, holding, strict=True) if n <= _VAGUE]


def _rank(seed: int, path: str) -> str:
    return digest("question", str(seed), path)
