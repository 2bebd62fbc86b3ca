"""The path of headings at a place in a document."""

MAX_TITLE = 300  # characters; a longer "title" is a paragraph that someone marked as one


class Sections:
    """Keeps which sections are open while headings go by."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """Titles of the open sections, outermost first."""
        return tuple(title for _, title in self._open)

    def enter(self, level: int, title: str) -> tuple[str, ...]:
        """Close all sections at `level` or deeper, open `title`, and return the new path."""
        self.close(level)
        self._open.append((level, title[:MAX_TITLE].rstrip()))
        return self.path

    def close(self, level: int) -> None:
        """Close all sections at `level` or deeper."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
