"""Which formats the package unstructured is asked to read, told by their bytes."""

import io
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A format as unstructured knows it."""

    name: str  # of the module and the function that read it, and of unstructured's extra
    words: str  # what a user would call it
    office: str = ""  # the Debian package with the part of LibreOffice that converts it first


DOC = Format("doc", "old Word document (doc)", "libreoffice-writer")
PPT = Format("ppt", "old PowerPoint presentation (ppt)", "libreoffice-impress")
XLS = Format("xlsx", "old Excel workbook (xls)")
MSG = Format("msg", "Outlook message (msg)")
DOCX = Format("docx", "Word document (docx)")
HTML = Format("html", "HTML page")
EMAIL = Format("email", "e-mail message")
ZIPPED = (
    ("word/document.xml", DOCX),
    ("ppt/presentation.xml", Format("pptx", "PowerPoint presentation (pptx)")),
    ("xl/workbook.xml", Format("xlsx", "Excel workbook (xlsx)")),
)
BY_MIMETYPE = (
    (b"application/vnd.oasis.opendocument.text", Format("odt", "OpenDocument text (odt)")),
    (b"application/epub+zip", Format("epub", "EPUB book")),
)
RTF = Format("rtf", "RTF document")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_STREAMS = (  # names in the directory of an OLE file
    ("__substg1.0_", MSG),
    ("PowerPoint Document", PPT),
    ("WordDocument", DOC),
    ("Workbook", XLS),
)


def format_of(data: bytes, native: str) -> Format | None:
    """The format of a whole file, None for one that is not for unstructured.

    Args:
        data: the file's bytes.
        native: the parser of ours that would read it, ``""`` where there is none.
    """
    if data.startswith(OLE):
        return ole_format(data)
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data)
    if data.startswith(b"{\\rtf"):
        return RTF
    return {"html": HTML, "mail": EMAIL}.get(native)


def ole_format(data: bytes) -> Format | None:
    """What an old Office file holds."""
    return next((kind for name, kind in _STREAMS if name.encode("utf-16-le") in data), None)


def _zipped(data: bytes) -> Format | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            mimetype = archive.read("mimetype")[:100].strip() if "mimetype" in names else b""
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        return None
    by_name = next((kind for name, kind in ZIPPED if name in names), None)
    return by_name or next((kind for told, kind in BY_MIMETYPE if mimetype == told), None)
