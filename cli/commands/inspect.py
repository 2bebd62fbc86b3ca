"""``tesela inspect``: look at one page of a file again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.options import KbOption, SetOption, given_path, plain_app
from cli.workspace import location_if_any, settings_of
from kb.errors import UsageError

if TYPE_CHECKING:
    from ingest.look.pages import Pages

app = plain_app()
Region = tuple[float, float, float, float]


@app.command()
def inspect(
    file: Annotated[
        Path, typer.Argument(parser=given_path, metavar="FILE", help="A PDF or an image.")
    ],
    page: Annotated[int, typer.Option(metavar="N", help="Which page, from 1.")] = 1,
    region: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,W,H",
            help="Only this part, in points from the top left (pixels of an image).",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PNG",
            help="Draw it into a file; - is stdout.",
            show_default=False,
        ),
    ] = None,
    dpi: Annotated[int, typer.Option(metavar="N", min=18, max=1200, help="Of the drawing.")] = 150,
    ocr: Annotated[
        bool, typer.Option("--ocr", help="Read it by OCR whatever text it has.")
    ] = False,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Read a page of a file again, or draw it.

    What stands on it is printed. The file need not be in a knowledge base. A page without sound
    text is read by OCR.
    """
    from ingest.look.pages import open_pages
    from ingest.parse.choose import parser_for
    from ingest.parsing import bytes_of

    settings = settings_of(location_if_any(kb), None, sets).parse
    box = _box(region)
    data = bytes_of(file)
    pages = open_pages(data, parser_for(data, file.name, settings), settings)
    if output is not None:
        _draw(pages, page, box, dpi, output)
        return
    from ingest.look.pages import page_at, pictured, pieces_of

    pieces = pieces_of(pages, page, box, settings, ocr=ocr)
    shown = page_at(pages, page)
    characters = sum(len(piece.text) for piece in pieces)
    has_table = any(piece.kind == "table" for piece in pieces)
    has_picture = pictured(shown, characters, has_table=has_table).has_picture
    if form == "json":
        say.data_json({
            "file": str(file), "page": page, "pages": len(pages.pages),
            "width": shown.width, "height": shown.height, "has_picture": has_picture,
            "elements": [{"kind": p.kind, "bbox": p.bbox, "text": p.text} for p in pieces],
        })  # fmt: skip
        return
    for piece in pieces:
        say.data(f"{piece.text}\n")
    if has_picture:
        say.note(f"page {page} has a picture, of which this is the text only: -o page.png draws it")
    if not pieces:
        say.note(f"page {page}: no text")


def _draw(pages: "Pages", page: int, box: Region | None, dpi: int, output: Path) -> None:
    from io import BytesIO

    from ingest.look.pages import picture_of

    picture = picture_of(pages, page, box, dpi)
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    if str(output) == "-":
        if sys.stdout.isatty():
            raise UsageError("-o - writes a PNG to stdout, which is a terminal: name a file")
        sys.stdout.buffer.write(buffer.getvalue())
        return
    try:
        output.write_bytes(buffer.getvalue())
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror or error}") from error
    say.note(f"drawn: {output}, {picture.width} × {picture.height} pixels")


def _box(region: str | None) -> Region | None:
    """``x,y,w,h`` as two corners.

    Raises:
        UsageError: it is not four numbers, or has no width or height.
    """
    if region is None:
        return None
    try:
        x, y, width, height = map(float, region.split(","))
    except ValueError:
        raise UsageError(f"--region {region!r}: write X,Y,W,H, e.g. 100,200,300,150") from None
    if not (width > 0 and height > 0 and abs(x) < 1e6 and abs(y) < 1e6):
        raise UsageError(f"--region {region!r}: the width and the height must be above 0")
    return (x, y, x + width, y + height)
