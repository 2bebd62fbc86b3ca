"""Which parser reads a file: by its bytes first, by its suffix second."""

import re
from pathlib import PurePath

from ingest.parse.decode import bom_codec, guess_wide
from ingest.parse.ole import EXCEL, ole_reason, ole_streams
from ingest.parse.ole import MAGIC as OLE
from ingest.parse.sniff_text import BY_SUFFIX as TEXT_BY_SUFFIX
from ingest.parse.sniff_text import text_parser
from ingest.parse.zip_kind import zip_parser
from ingest.sidecar import PARSER, is_sidecar
from kb.errors import ParseError

# Read as what their suffix says only when they are empty or damaged, never when they hold plain text.
_BINARY_BY_SUFFIX = {
    ".pdf": "pdf",
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), "docx"),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), "pptx"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), "xlsx"),
    **dict.fromkeys((".xls", ".xlt", ".xlsb"), "xls"),
    **dict.fromkeys((".odt", ".ott"), "odt"),
    **dict.fromkeys((".ods", ".ots"), "ods"),
    **dict.fromkeys((".odp", ".otp"), "odp"),
    ".epub": "epub",
    ".rtf": "rtf",
}
BY_SUFFIX = TEXT_BY_SUFFIX | _BINARY_BY_SUFFIX
MAGIC = (
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"Rar!\x1a\x07", "rar archive"),
    (b"\x7fELF", "program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"%!PS-", "PostScript file"),
)
IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
_BITMAP_HEADERS = {size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124)}
_HEAD_BYTES = 65536
# The document's own start, after blanks, comments and an XML declaration.
_HTML = re.compile(
    rb"(?>\s+|<!--(?:(?!-->).)*-->|<\?xml[^>]{0,200}\?>)*+<(?:!doctype\s+html|html|head|body)\b",
    re.I | re.S,
)
_FLAT_ODF = re.compile(
    rb"<office:document\s[^>]*office:mimetype=[\"']application/vnd\.oasis\.opendocument\.(\w+)"
)
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")


def choose_parser(name: str, data: bytes) -> str:
    """The registry name of the parser for a file called `name` that holds `data`.

    The first 64 KiB of `data` are enough for all but zip and OLE containers, whose directory may stand
    at their end. An empty file goes by its suffix; text of an unknown suffix and without marks of a
    format goes to ``text``.

    Raises:
        ParseError: there is no parser for it; the message says what the file seems to be.
    """
    if is_sidecar(name):
        return PARSER
    suffix, head = PurePath(name).suffix.lower(), data[:_HEAD_BYTES]
    if _is_pdf(head, suffix):
        return "pdf"
    if _is_image(head):
        return "image"
    if found := _office(data, suffix):
        return found
    if kind := _foreign_kind(head, suffix):
        raise ParseError(f"{kind}: no parser for it yet")
    if not head:
        return BY_SUFFIX.get(suffix, "text")
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


def _is_image(head: bytes) -> bool:
    if head.startswith(IMAGES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return True
    # "BM" begins words, too: four bytes are always 0, and the size of the header that follows is known
    return head[:2] == b"BM" and head[6:10] == bytes(4) and head[14:18] in _BITMAP_HEADERS


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
    if head.startswith(b"RIFF") and head[8:12] in (b"WAVE", b"AVI "):
        return "audio or video file"
    if head[4:8] == b"ftyp":
        return (
            "image (HEIC; saved as PNG or JPEG it is read)"
            if head[8:11] in (b"hei", b"mif", b"avi", b"msf")
            else "audio or video file"
        )
    return ""


def _office(data: bytes, suffix: str) -> str:
    """The parser of an office file or a book, "" where it is none.

    Raises:
        ParseError: it is one of those that cannot be read, or a zip archive.
    """
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        found = zip_parser(data) or _BINARY_BY_SUFFIX.get(suffix, "")
        if not found:
            raise ParseError("zip archive: unpack it; archives are not opened")
        return found
    if data.startswith(OLE):
        streams = ole_streams(data)
        if not streams.isdisjoint(EXCEL) and "encryptedpackage" not in streams:
            return "xls"
        raise ParseError(ole_reason(streams))
    if data[:40].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return "rtf"
    return _flat_odf(data)


def _flat_odf(data: bytes) -> str:
    match = (
        _FLAT_ODF.search(data, 0, 4096)
        if data[:5].lstrip(b"\xef\xbb\xbf").startswith(b"<")
        else None
    )
    kinds = {b"text": "odt", b"spreadsheet": "ods", b"presentation": "odp"}
    return kinds.get(match.group(1), "") if match else ""
