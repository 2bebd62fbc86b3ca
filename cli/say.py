"""Talk goes to stderr, data to stdout."""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

# A document or a file's name could give a terminal orders (ESC and its kin); blanks cannot.
_ORDERS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_BREAKS = re.compile(r"[\t-\r]")


def visible(text: str) -> str:
    r"""`text` with what a terminal would obey written out: ``\x1b``."""
    return _ORDERS.sub(_escape, text)


def in_line(text: str) -> str:
    """A name as part of a line: line breaks and tabs in it are written out, too."""
    return _BREAKS.sub(_escape, visible(text))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def note(text: str) -> None:
    """A line for the person."""
    sys.stderr.write(visible(text) + "\n")


class _Data:
    """Where data goes; lone surrogates are escaped, so that any file name can be printed."""

    def write(self, text: str) -> int:
        return sys.stdout.write(visible(text).encode("utf-8", "backslashreplace").decode())


stream = _Data()  # for what writes rows by itself, as csv does


def data(text: str) -> None:
    """Lines of data."""
    stream.write(text + "\n")


def folded(line: str, indent: str = "    ") -> str:
    """A line broken between words where a terminal would break it anywhere; as it is in a pipe."""
    if not sys.stdout.isatty():
        return line
    import shutil
    import textwrap

    width = max(shutil.get_terminal_size().columns, 20)
    return textwrap.fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def part(text: str) -> None:
    """A piece of a line of data, shown at once."""
    stream.write(text)
    sys.stdout.flush()


def data_json(value: Any) -> None:
    """One JSON value, indented for eyes on a terminal and in pipes alike."""
    _json(value, indent=2)


def data_jsonl(values: Iterable[Mapping[str, Any]]) -> None:
    """One JSON value a line."""
    for value in values:
        _json(value)


def _json(value: Any, indent: int | None = None) -> None:
    r"""What a terminal or the stream's encoding cannot take is ``\u009b``, as JSON writes it."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    plain = not encoding.lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=plain, indent=indent)
    data(_ORDERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def failures(reasons: Mapping[str, str]) -> None:
    """Each path that failed and why."""
    for path, reason in reasons.items():
        note(f"  failed: {in_line(path)}: {reason}")


def warnings(found: Mapping[str, Iterable[str]]) -> None:
    """What was odd about documents that were read all the same."""
    for path, texts in found.items():
        for text in texts:
            note(f"  warning: {in_line(path)}: {text}")


def count(number: int, singular: str, plural: str = "") -> str:
    """``1 chunk``, ``2 chunks``, ``1,234 chunks``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
