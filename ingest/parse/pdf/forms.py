"""The fields of a form as text of the page, where they stand."""

from dataclasses import replace

from ingest.parse.pdf.pages import TICKED, Box, PdfBlock, PdfField, PdfLine, PdfPage


def with_fields(page: PdfPage) -> PdfPage:
    """`page` with what its form is filled in with.

    A value joins the words printed beside it; where there are none, the field's own label or name is
    put before it.
    """
    blocks = [list(block.lines) for block in page.blocks]
    printed = page.text.casefold()
    for field in page.fields:
        if field.value:
            _add(blocks, field, printed)
    return replace(page, blocks=tuple(PdfBlock(tuple(lines)) for lines in blocks))


def _add(blocks: list[list[PdfLine]], field: PdfField, printed: str) -> None:
    x0, y0, x1, y1 = field.box
    value = " ".join(field.value.split())
    if field.label and field.label.casefold() not in printed:
        value = f"{field.label}: {value}"
    beside = [
        (_gap(line.box, field), lines, at)
        for lines in blocks
        for at, line in enumerate(lines)
        if line.box[1] < (y0 + y1) / 2 < line.box[3]
    ]
    if not beside:
        if value == field.value and field.name:
            value = f"{field.name.rpartition('.')[2]}: {value}"
        blocks.append([PdfLine(value, field.box)])
        return
    _, lines, at = min(beside, key=lambda place: place[0])
    label = lines[at]
    after = label.box[0] <= x0
    # as high as its label, so that the two are one row though the field's frame is higher
    made = PdfLine(value, (x0, label.box[1], x1, label.box[3]), label.size, label.bold)
    lines.insert(at + after, made)


def _gap(box: Box, field: PdfField) -> float:
    """How far a line is; the words for a box to tick stand right of it, all others' left."""
    to_left, to_right = field.box[0] - box[2], box[0] - field.box[2]
    near, far = (to_right, to_left) if field.value == TICKED else (to_left, to_right)
    return near if near > -2 else 1000 + abs(far)
