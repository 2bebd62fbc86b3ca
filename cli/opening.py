"""Which command opens a file at a place, as editors and viewers write it."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kb.errors import Unavailable, UsageError

_At = Callable[[str, int], list[str]]  # file and line or page → arguments


def _plus(file: str, line: int) -> list[str]:
    return [f"+{line}", file]


def _colon(file: str, line: int) -> list[str]:
    return [f"{file}:{line}"]


def _goto(file: str, line: int) -> list[str]:
    return ["--goto", f"{file}:{line}"]


def _line(file: str, line: int) -> list[str]:
    return ["--line", str(line), file]


def _short_line(file: str, line: int) -> list[str]:
    return ["-l", str(line), file]


_EDITORS: Mapping[str, _At] = {
    **dict.fromkeys(("vi", "vim", "nvim", "view", "vimx", "gvim", "mvim", "vis", "elvis"), _plus),
    **dict.fromkeys(("nano", "pico", "rnano", "micro", "kak", "joe", "jmacs", "ne", "mg"), _plus),
    **dict.fromkeys(("emacs", "emacsclient", "zile", "jove", "mcedit", "gedit", "geany"), _plus),
    **dict.fromkeys(("gnome-text-editor", "pluma", "xed", "mousepad", "leafpad"), _plus),
    **dict.fromkeys(("subl", "sublime_text", "hx", "helix", "zed", "zeditor", "lapce"), _colon),
    **dict.fromkeys(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"), _goto),
    **dict.fromkeys(("kate", "kwrite", "idea", "pycharm", "webstorm", "goland", "clion"), _line),
    "mate": _short_line,
}


def _page_option(option: str) -> _At:
    return lambda file, page: [option, str(page), file]


# By a word of the name that the desktop knows the viewer by.
_VIEWERS: Mapping[str, tuple[str, _At]] = {
    **{name: (name, _page_option("-i")) for name in ("evince", "papers", "atril", "xreader")},
    "okular": ("okular", _page_option("-p")),
    "zathura": ("zathura", _page_option("-P")),
    "sioyek": ("sioyek", _page_option("--page")),
    "mupdf": ("mupdf", lambda file, page: [file, str(page)]),
    "qpdfview": ("qpdfview", lambda file, page: [f"{file}#{page}"]),
    **{
        name: (name, lambda file, page: [f"{Path(file).as_uri()}#page={page}"])
        for name in ("firefox", "chromium", "google-chrome", "brave-browser")
    },
}


def editor_command(file: Path, line: int) -> list[str]:
    """The command of ``$VISUAL`` or ``$EDITOR`` on a line; an editor not known here gets the file alone.

    Raises:
        UsageError: neither is set, or it cannot be read.
    """
    name = next((n for n in ("VISUAL", "EDITOR") if os.environ.get(n, "").strip()), None)
    if name is None:
        raise UsageError(
            f"no editor to open {file} in: set VISUAL or EDITOR, e.g. export EDITOR=nano"
        )
    try:
        editor = shlex.split(os.environ[name])
    except ValueError as error:
        raise UsageError(f"${name} cannot be read, {os.environ[name]!r}: {error}") from error
    program = Path(editor[0]).name.removesuffix(".exe")
    at = _EDITORS.get(program)
    return editor + (at(str(file), line) if at else [str(file)])


def viewer_command(file: Path, page: int | None) -> list[str]:
    """The command that opens a file in the desktop's program for it, on a page where that is known how.

    Raises:
        Unavailable: nothing here opens files.
    """
    if sys.platform == "darwin":
        return ["open", str(file)]
    if page is not None and (known := _known_viewer(file)):
        program, at = known
        return [program, *at(str(file), page)]
    opener = next((name for name in ("xdg-open", "wslview") if shutil.which(name)), None)
    if opener is None:
        where = f", page {page}" if page is not None else ""
        raise Unavailable(
            f"nothing here opens {file}{where}: install xdg-utils (xdg-open), or open it yourself"
        )
    return [opener, str(file)]


def _known_viewer(file: Path) -> tuple[str, _At] | None:
    if file.suffix.lower() != ".pdf" or shutil.which("xdg-mime") is None:
        return None
    asked = ["xdg-mime", "query", "default", "application/pdf"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.lower()
    known = (viewer for name, viewer in _VIEWERS.items() if name in found)
    return next((viewer for viewer in known if shutil.which(viewer[0])), None)
