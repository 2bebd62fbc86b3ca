"""What an OLE container holds: the file format of Office before 2007, and the lock around new ones.

Layout: [MS-CFB], sections 2.2 (header), 2.3 (sectors) and 2.6 (directory).
"""

from collections.abc import Iterator

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MOST_SECTORS = 20_000  # of the directory
_ENTRY = 128
_WAY_OUT = "save it as {} in an office program, or run: soffice --headless --convert-to {} FILE"
_KINDS = (
    ("encryptedpackage", "Office file locked by a password: save it without one"),
    ("worddocument", f"old Word document (doc): {_WAY_OUT.format('docx', 'docx')}"),
    (
        "powerpoint document",
        f"old PowerPoint presentation (ppt): {_WAY_OUT.format('pptx', 'pptx')}",
    ),
    ("__properties_version1.0", "Outlook message (msg): save it as .eml"),
    ("visiodocument", "Visio drawing: save it as PDF"),
    ("contents", "old Publisher or Works file: save it as PDF"),
)
EXCEL = ("workbook", "book")


def ole_streams(data: bytes) -> set[str]:
    """Names of the streams at the top of a container, in small letters; those of embedded files apart."""
    entries = list(_entries(data))
    names: set[str] = set()
    todo = [_number(entries[0], 76)] if entries else []  # the root's child, a node of a tree
    seen: set[int] = set()
    while todo:
        at = todo.pop()
        if at < len(entries) and at not in seen:
            seen.add(at)
            entry = entries[at]
            length = min(int.from_bytes(entry[64:66], "little"), 64)
            names.add(entry[: max(length - 2, 0)].decode("utf-16-le", "replace").lower())
            todo += [_number(entry, 68), _number(entry, 72)]
    return names


def ole_reason(streams: set[str]) -> str:
    """Why a container of these streams cannot be read, and the way out."""
    for stream, reason in _KINDS:
        if stream in streams:
            return reason
    return "old Microsoft Office file (doc, ppt or the like): save it in a format of today"


def _entries(data: bytes) -> Iterator[bytes]:
    size = 1 << min(int.from_bytes(data[30:32], "little"), 16)
    sector = _number(data, 48)
    for _ in range(_MOST_SECTORS):
        block = data[(sector + 1) * size : (sector + 2) * size]
        if len(block) < _ENTRY:
            return
        yield from (block[at : at + _ENTRY] for at in range(0, len(block) - _ENTRY + 1, _ENTRY))
        sector = _next(data, sector, size)


def _next(data: bytes, sector: int, size: int) -> int:
    """The sector after one in its chain; the header lists the first 109 sectors of the table."""
    table, offset = divmod(sector, size // 4)
    if table >= 109:
        return len(data)
    at = (_number(data, 76 + 4 * table) + 1) * size + 4 * offset
    return _number(data, at)


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4].ljust(4, b"\xff"), "little")
