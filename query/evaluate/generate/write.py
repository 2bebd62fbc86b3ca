"""A test set on disk: ``queries.jsonl``, ``qrels.jsonl`` and ``manifest.json``."""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from kb.digest import digest
from kb.errors import UsageError
from query.evaluate.generate.drafts import Draft
from query.evaluate.questions import SPLITS
from query.evaluate.testset import QRELS, QUESTIONS

VERSION = 1
MANIFEST = "manifest.json"


class SetManifest(Struct, frozen=True, kw_only=True):
    """What a test set was made from."""

    version: int = VERSION
    seed: int
    generation: int
    llm: str = ""  # the model that wrote the questions; "": none
    questions: int
    documents: int  # that questions were made from
    kinds: dict[str, int]
    difficulties: dict[str, int]
    splits: dict[str, int]


def identity(draft: Draft) -> str:
    """A question's id: of what it says and where its answer stands."""
    return digest("question", draft.text, draft.evidence.path, draft.evidence.text)[:12]


def split_of(name: str) -> str:
    """``tune`` or ``test``, half of the questions each, by their id alone."""
    return SPLITS[int(digest("split", name)[:8], 16) % len(SPLITS)]


def manifest_of(drafts: Sequence[Draft], seed: int, generation: int, llm: str) -> SetManifest:
    """What is told about a test set."""
    return SetManifest(
        seed=seed,
        generation=generation,
        llm=llm,
        questions=len(drafts),
        documents=len({draft.evidence.path for draft in drafts}),
        kinds=_counted(draft.kind for draft in drafts),
        difficulties=_counted(draft.difficulty for draft in drafts),
        splits=_counted(split_of(identity(draft)) for draft in drafts),
    )


def write_set(folder: Path, drafts: Sequence[Draft], manifest: SetManifest) -> None:
    """Write a test set; one that is there gives way to it as a whole.

    Raises:
        UsageError: the folder holds something else.
    """
    check_folder(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = folder.with_name(folder.name + ".tmp")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    (made / QUESTIONS).write_bytes(b"".join(_lines(map(_question, drafts))))
    (made / QRELS).write_bytes(b"".join(_lines(map(_judgement, drafts))))
    encoded = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    (made / MANIFEST).write_bytes(encoded + b"\n")
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def check_folder(folder: Path) -> None:
    """See that a folder is free for a test set, before any work.

    Raises:
        UsageError: it holds something else.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
        raise UsageError(f"{folder} holds something else than a test set: name another folder")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder for the test set")


def _counted(names: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _lines(records: Iterator[dict[str, object]]) -> Iterator[bytes]:
    return (msgspec.json.encode(record) + b"\n" for record in records)


def _question(draft: Draft) -> dict[str, object]:
    name = identity(draft)
    return {
        "_id": name,
        "text": draft.text,
        "kind": draft.kind,
        "difficulty": draft.difficulty,
        "language": draft.language,
        "split": split_of(name),
    }


def _judgement(draft: Draft) -> dict[str, object]:
    evidence = draft.evidence
    return {
        "query-id": identity(draft),
        "path": evidence.path,
        "span": [evidence.start, evidence.end],
        "quote": evidence.text,
        "grade": 1,
    }
