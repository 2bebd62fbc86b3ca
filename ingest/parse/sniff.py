"""Which parser reads a file: by its bytes first, by its suffix second."""

import re
from pathlib import PurePath

from ingest.parse.decode import bom_codec, guess_wide
from ingest.parse.sniff_text import BY_SUFFIX, text_parser
from ingest.sidecar import PARSER, is_sidecar
from kb.errors import ParseError

ZIP_KINDS = {
    ".docx": "Word document (docx)",
    ".docm": "Word document (docx)",
    ".pptx": "PowerPoint presentation (pptx)",
    ".xlsx": "Excel workbook (xlsx)",
    ".odt": "OpenDocument file",
    ".ods": "OpenDocument file",
    ".odp": "OpenDocument file",
    ".epub": "EPUB book",
}
ZIP_MARKS = (
    (b"mimetypeapplication/vnd.oasis", "OpenDocument file"),
    (b"mimetypeapplication/epub", "EPUB book"),
    (b"word/", "Word document (docx)"),
    (b"ppt/", "PowerPoint presentation (pptx)"),
    (b"xl/", "Excel workbook (xlsx)"),
)
MAGIC = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Microsoft Office file (doc, xls, ppt or msg)"),
    (b"{\\rtf", "RTF document"),
    (b"\x89PNG\r\n", "image (PNG)"),
    (b"\xff\xd8\xff", "image (JPEG)"),
    (b"GIF8", "image (GIF)"),
    (b"II*\0", "image (TIFF)"),
    (b"MM\0*", "image (TIFF)"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"Rar!\x1a\x07", "rar archive"),
    (b"\x7fELF", "program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"%!PS-", "PostScript file"),
)
# The document's own start, after blanks, comments and an XML declaration.
_HTML = re.compile(
    rb"(?>\s+|<!--(?:(?!-->).)*-->|<\?xml[^>]{0,200}\?>)*+<(?:!doctype\s+html|html|head|body)\b",
    re.I | re.S,
)
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")


def choose_parser(name: str, head: bytes) -> str:
    """The registry name of the parser for a file called `name` whose first bytes are `head`.

    A few KiB of `head` are enough. An empty file goes by its suffix; text of an unknown suffix and
    without marks of a format goes to ``text``.

    Raises:
        ParseError: there is no parser for it; the message says what the file seems to be.
    """
    if is_sidecar(name):
        return PARSER
    suffix = PurePath(name).suffix.lower()
    if _is_pdf(head, suffix):
        return "pdf"
    if kind := _foreign_kind(head, suffix):
        raise ParseError(f"{kind}: no parser for it yet")
    if not head:
        return "pdf" if suffix == ".pdf" else BY_SUFFIX.get(suffix, "text")
    if looks_binary(head):
        raise ParseError("binary data, no parser for it")
    if _is_html(head):
        return "html"
    return text_parser(head, suffix)


def looks_binary(head: bytes) -> bool:
    """Whether `head` is no text in any charset we read.

    Text of any one- or multi-byte charset has next to no control bytes; random bytes have a tenth.
    A few NULs in text are tolerated, for there they are damage.
    """
    if bom_codec(head)[0] or guess_wide(head):
        return False
    sample = head[:65536]
    return len(_CONTROL.findall(sample)) > max(1, len(sample) // 50) and not _mostly_words(sample)


def _mostly_words(sample: bytes) -> bool:
    """UTF-8 apart from its NULs, and these less than a tenth: a short text with some damage."""
    others = len(_CONTROL.findall(sample.replace(b"\0", b"")))
    if others or sample.count(0) * 10 > len(sample):
        return False
    try:
        sample[:-4].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end >= len(sample) - 4
    return True


def _is_pdf(head: bytes, suffix: str) -> bool:
    if head.lstrip(b"\xef\xbb\xbf\0 \t\r\n").startswith(b"%PDF-"):
        return True
    return suffix == ".pdf" and b"%PDF-" in head[:1024]


def _is_html(head: bytes) -> bool:
    codec, skip = bom_codec(head)
    codec = codec or guess_wide(head)
    if codec not in ("", "utf-8"):
        head = head[skip:8192].decode(codec, "ignore").encode("utf-8")
        skip = 0
    return _HTML.match(head[skip:8192]) is not None


def _foreign_kind(head: bytes, suffix: str) -> str:
    """What the file is, in words, where its bytes tell that it is of a format not read yet."""
    for magic, kind in MAGIC:
        if head.startswith(magic):
            return kind
    if head.startswith(b"RIFF") and head[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return "image (WebP)" if head[8:12] == b"WEBP" else "audio or video file"
    if head[4:8] == b"ftyp":
        return (
            "image (HEIC)"
            if head[8:11] in (b"hei", b"mif", b"avi", b"msf")
            else "audio or video file"
        )
    if head.startswith(b"PK\x03\x04"):
        return _zip_kind(head, suffix)
    return ""


def _zip_kind(head: bytes, suffix: str) -> str:
    for mark, kind in ZIP_MARKS:
        if mark in head:
            return kind
    return ZIP_KINDS.get(suffix, "zip archive")
