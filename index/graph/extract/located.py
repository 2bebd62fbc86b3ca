"""Where a name stands in a text, however an LLM spelled it."""

from collections import Counter
from collections.abc import Sequence

from index.graph.extract.found import Word
from index.graph.extract.text import sentences, words
from index.graph.names import words_of

Span = tuple[int, int]


class Located:
    """A text in which names are looked for."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        self._text = text
        self._words: list[Word] = words(text, 0, len(text))
        self._keys = [" ".join(words_of(word.text)) for word in self._words]
        self._found = {name: self._runs(words_of(name)) for name in names}

    def spans(self, name: str) -> tuple[Span, ...]:
        """All places where a name stands word by word, without regard to case, accents and signs.

        Those inside a longer name count only where there are no others. Where it stands nowhere so, the
        sentence that holds most of its words; where none holds any, the whole text.
        """
        places = self._found[name]
        longer = {
            span
            for other, spans in self._found.items()
            if len(words_of(other)) > len(words_of(name))
            for span in spans
        }
        alone = tuple(
            (start, end)
            for start, end in places
            if not any(first <= start and end <= last for first, last in longer)
        )
        return alone or places or (self.sentence([name]),)

    def sentence(self, names: Sequence[str]) -> Span:
        """The sentence with the most words of some names, the first of equal ones; else the whole text."""
        wanted = Counter(word for name in names for word in set(words_of(name)))
        best, most = (0, len(self._text)), 0
        for start, end in sentences(self._text):
            here = {
                key
                for word, key in zip(self._words, self._keys, strict=True)
                if start <= word.start < end
            }
            held = sum(number for word, number in wanted.items() if word in here)
            if held > most:
                best, most = (start, end), held
        return best

    def _runs(self, wanted: tuple[str, ...]) -> tuple[Span, ...]:
        if not wanted:
            return ()
        joined = "".join(wanted)
        found = []
        for first, key in enumerate(self._keys):
            if not key or not joined.startswith(key.replace(" ", "")):
                continue
            last = self._end(first, joined)
            if last is not None:
                found.append((self._words[first].start, self._words[last].end))
        return tuple(found)

    def _end(self, first: int, joined: str) -> int | None:
        """The last word of the run that spells `joined`, blanks and hyphens left out; None for none."""
        at = 0
        for place in range(first, len(self._keys)):
            key = self._keys[place].replace(" ", "")
            if not joined.startswith(key, at):
                return None
            at += len(key)
            if at == len(joined):
                return place
        return None
