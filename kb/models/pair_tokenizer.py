"""A question and a passage as one row of tokens, as a cross-encoder reads them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.errors import Unavailable
from kb.models.hf_tokenizer import HfTokenizer

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Token ids and segments (0: question, 1: passage), each int64 (t,), special tokens included."""

    ids: Ids
    segments: Ids
    cut: int  # tokens of question and passage that the window had no room for

    def __len__(self) -> int:
        return len(self.ids)


class PairTokenizer:
    """Joins two texts by the tokenizer's template for pairs.

    A tokenizer that has one for single texts only is taken by its special tokens: start, question,
    end (twice where `doubled`, as RoBERTa's kind has it), passage, end.
    """

    def __init__(self, tokenizer: HfTokenizer, doubled: bool = False) -> None:
        self._tokenizer = tokenizer
        self._doubled = doubled

    def preload(self) -> None:
        """Begin loading in the background."""
        self._tokenizer.preload()

    def pair(self, question: str, passage: str, window: int) -> Pair:
        """Both texts in at most `window` tokens.

        The passage is cut first. The question is cut only where it is longer than half of the window,
        and never below that half.

        Raises:
            Unavailable: the tokenizer puts nothing between the two.
        """
        raw = self._tokenizer.raw
        asked = raw.encode(question, add_special_tokens=False)
        read = raw.encode(passage, add_special_tokens=False)
        room = max(window - self._special, 0)
        whole = len(asked.ids) + len(read.ids)
        asked.truncate(min(len(asked.ids), max(room // 2, room - len(read.ids))))
        read.truncate(min(len(read.ids), room - len(asked.ids)))
        cut = whole - len(asked.ids) - len(read.ids)
        if self._has_template:
            joined = raw.post_process(asked, read)
            return Pair(_array(joined.ids), _array(joined.type_ids), cut)
        return self._by_hand(asked.ids, read.ids, cut)

    def _by_hand(self, asked: list[int], read: list[int], cut: int) -> Pair:
        head, tail = self._ends
        first = head + asked + tail
        second = (tail if self._doubled else []) + read + tail
        segments = [0] * len(first) + [1] * len(second)
        return Pair(_array(first + second), _array(segments), cut)

    @cached_property
    def _has_template(self) -> bool:
        return self._tokenizer.raw.num_special_tokens_to_add(True) > 0

    @cached_property
    def _special(self) -> int:
        if self._has_template:
            return self._tokenizer.raw.num_special_tokens_to_add(True)
        head, tail = self._ends
        return len(head) + len(tail) * (3 if self._doubled else 2)

    @cached_property
    def _ends(self) -> tuple[list[int], list[int]]:
        """Special tokens before and after a single text."""
        if not self._tokenizer.raw.num_special_tokens_to_add(False):
            raise Unavailable(
                f"{self._tokenizer.path} puts no special token between a question and a passage: "
                "a cross-encoder needs one with a post_processor for pairs"
            )
        head, tail = self._tokenizer.frame
        ids = self._tokenizer.raw.encode("a").ids
        return ids[:head], ids[len(ids) - tail :]


def _array(values: list[int]) -> Ids:
    return np.asarray(values, np.int64)
