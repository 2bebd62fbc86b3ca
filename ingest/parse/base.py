"""What every parser promises."""

from collections.abc import Iterator
from typing import ClassVar, Protocol, runtime_checkable

from kb.records import Document, Element
from kb.settings import ParseSettings


class Parser(Protocol):
    """Reads the bytes of one file."""

    version: ClassVar[int]  # raised when the result for the same bytes changes

    def __init__(self, settings: ParseSettings) -> None: ...

    def parse(self, data: bytes, name: str) -> Document:
        """The document in `data`; `name` is the file's name, used only as the last choice for a title.

        Elements are in reading order, do not overlap, and every non-blank character of ``text`` that
        is not pure markup lies in one. ``text`` holds no NUL and no lone surrogate.

        Raises:
            ParseError: the bytes cannot be read; the message says why in a few words.
            Unavailable: the format needs an extra that is not installed.
        """
        ...


@runtime_checkable
class Piecemeal(Protocol):
    """A parser that need not hold all elements of a long document at once."""

    def begin(self, data: bytes, name: str) -> tuple[Document, Iterator[Element]]:
        """What `Parser.parse` gives, the elements apart: in order, each made when it is asked for."""
        ...
