"""What travels while questions are made."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["fact", "question", "definition", "reverse", "words", "topic", "llm"]
Difficulty = Literal["easy", "medium", "hard"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The characters of a document that answer a question: ``document.text[start:end] == text``."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that may become part of a test set."""

    text: str
    kind: Kind
    difficulty: Difficulty
    language: str  # "es" or "en"
    evidence: Evidence
    stems: frozenset[str] = frozenset()  # of the words that were drawn, before any was reworded
