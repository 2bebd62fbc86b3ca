"""A drawing into a file, in the form that its name says."""

from pathlib import Path

from kb.errors import UsageError
from kb.plot.drawing import Drawing

FORMS = (".svg", ".png")


def check(path: Path) -> None:
    """See that a picture's name says SVG or PNG and its folder is there, before any work.

    Raises:
        UsageError: it does not, or there is none.
    """
    if path.suffix.lower() not in FORMS:
        raise UsageError(f"--plot {path}: a picture's name ends in .svg or .png")
    if not path.parent.is_dir():
        raise UsageError(f"--plot {path}: there is no folder {path.parent}")


def save(drawing: Drawing, path: Path) -> None:
    """Write the picture; `check` has passed on its name."""
    if path.suffix.lower() == ".png":
        from kb.plot.png import png

        path.write_bytes(png(drawing))
    else:
        from kb.plot.svg import svg

        path.write_bytes(svg(drawing))
