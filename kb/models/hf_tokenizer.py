"""A Hugging Face ``tokenizer.json`` behind the `Tokenizer` protocol."""

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kb.digest import digest, sha256_file
from kb.errors import Unavailable
from kb.models.later import Later

if TYPE_CHECKING:
    from tokenizers import Tokenizer as RawTokenizer

RULES = "special tokens are cut after their first character/1"
UNKNOWN = ("<unk>", "[UNK]")


class HfTokenizer:
    """Counts and cuts as the model does; ``</s>`` in a document is plain text, not an order."""

    def __init__(self, path: Path, sha256: str = "") -> None:
        """`sha256` is the file's digest where it is already known."""
        self.path = path
        self._sha256 = sha256
        self._raw = Later(self._load)

    def preload(self) -> None:
        """Begin loading in the background."""
        self._raw.start()

    @property
    def raw(self) -> "RawTokenizer":
        """The tokenizer itself, loaded when first needed (0.1-0.2 s for 65,000 pieces)."""
        return self._raw.get()

    def _load(self) -> "RawTokenizer":
        from tokenizers import Tokenizer as RawTokenizer

        try:
            raw = RawTokenizer.from_file(str(self.path))
        except Exception as error:  # the library raises bare Exception
            raise Unavailable(f"cannot read the tokenizer {self.path}: {error}") from error
        raw.no_padding()
        raw.no_truncation()
        raw.encode_special_tokens = True
        _break_special_tokens(raw)
        return raw

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the file and of the rules added to it."""
        return digest(self._sha256 or sha256_file(self.path), RULES)

    @cached_property
    def frame(self) -> tuple[int, int]:
        """How many special tokens the model's template puts before and after a text."""
        mask = self.raw.encode("a").special_tokens_mask
        head = mask.index(0)
        return head, mask[::-1].index(0)

    def ids(self, text: str, limit: int, prefix: str = "") -> tuple[NDArray[np.int64], int]:
        """Token ids of prefix and text with special tokens, cut to `limit`, and the uncut length.

        A cut keeps the special tokens at the end. A text of `limit` tokens less prefix and special
        tokens is never cut.
        """
        ids = self.raw.encode(prefix + text).ids
        head, tail = self.frame
        if len(ids) > limit and prefix:
            # the seam can cost a token that `count` does not see: a text that starts with U+2581
            before, after = self.raw.encode(prefix).ids, self.raw.encode(text).ids
            ids = min(ids, before[: len(before) - tail] + after[head:], key=len)
        kept = ids if len(ids) <= limit else ids[: limit - tail] + ids[len(ids) - tail :]
        return np.asarray(kept, np.int64), len(ids)

    def offsets(self, text: str) -> NDArray[np.int64]:
        """Token bounds, shape (t, 2), in characters of `text`."""
        spans = self.raw.encode(text, add_special_tokens=False).offsets
        return np.asarray(spans, np.int64).reshape(-1, 2)

    def count(self, text: str) -> int:
        """Number of tokens, prefixes and special tokens excluded."""
        return len(self.raw.encode(text, add_special_tokens=False))

    @cached_property
    def unknown_id(self) -> int:
        """Id of the unknown token, -1 when the vocabulary has none."""
        found = (self.raw.token_to_id(name) for name in UNKNOWN)
        return next((i for i in found if i is not None), -1)

    def tokens(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Token bounds as `offsets`, and for each token whether it is unknown."""
        encoding = self.raw.encode(text, add_special_tokens=False)
        spans = np.asarray(encoding.offsets, np.int64).reshape(-1, 2)
        return spans, np.asarray(encoding.ids, np.int64) == self.unknown_id

    def unknown_share(self, text: str) -> float:
        """Share (0 to 1) of the non-blank characters that the model does not know.

        Characters and not tokens: a whole line of Chinese is one unknown token.
        """
        spans, unknown = self.tokens(text)
        if not unknown.any():
            return 0.0
        lost = sum(len("".join(text[a:b].split())) for a, b in spans[unknown])
        return min(1.0, lost / max(1, len("".join(text.split()))))


def _break_special_tokens(raw: "RawTokenizer") -> None:
    """Cut ``</s>`` in a text into ``<`` and ``/s>``.

    `encode_special_tokens` alone is not enough: a Unigram vocabulary also lists its special tokens
    as pieces, so the text ``</s>`` would still become the end token. Pieces never span pre-tokens.
    """
    from tokenizers import Regex, pre_tokenizers

    special = [t.content for t in raw.get_added_tokens_decoder().values() if t.special]
    parts = [f"{re.escape(s[0])}(?={re.escape(s[1:])})" for s in special if len(s) > 1]
    if not parts:
        return
    cut = pre_tokenizers.Split(Regex("|".join(parts)), "merged_with_previous")
    before = [] if raw.pre_tokenizer is None else [raw.pre_tokenizer]
    raw.pre_tokenizer = pre_tokenizers.Sequence([*before, cut])
