"""What an image's file says about it: EXIF, and the text of a PNG."""

from typing import TYPE_CHECKING, Any

from ingest.parse.decode import replace_unsafe

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_CHARS = 2000  # of one value
EXIF = {
    270: "description",
    315: "author",
    306: "modified",
    33432: "copyright",
    271: "camera_maker",
    272: "camera",
    40091: "title",  # those of Windows, in UTF-16
    40092: "description",
    40093: "author",
    40094: "keywords",
}
TAKEN = 36867  # in a directory of its own
_EXIF_DIRECTORY = 0x8769
PNG = {
    "title": "title",
    "author": "author",
    "description": "description",
    "copyright": "copyright",
    "creation time": "date",
    "comment": "description",
    "keywords": "keywords",
}


def metadata_of(image: "Image") -> dict[str, Any]:
    """Title, author, description, date and camera, as far as they are told."""
    found: dict[str, Any] = {}
    for key, value in image.info.items():
        if isinstance(value, str) and str(key).lower() in PNG:
            found.setdefault(PNG[str(key).lower()], value)
    try:
        exif = image.getexif()
        taken = exif.get_ifd(_EXIF_DIRECTORY).get(TAKEN)
    except Exception:  # damaged metadata is no reason not to read the image
        return _cleaned(found)
    if taken:
        found.setdefault("date", taken)
    for number, key in EXIF.items():
        if number in exif:
            found.setdefault(key, exif[number])
    return _cleaned(found)


def _cleaned(found: dict[str, Any]) -> dict[str, Any]:
    cleaned = {key: _text(value) for key, value in found.items()}
    for key in ("date", "modified"):
        if key in cleaned:
            cleaned[key] = _day(cleaned[key])
    return {key: value for key, value in cleaned.items() if value}


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("utf-16-le", "replace")
    return " ".join(replace_unsafe(str(value)).replace("\ufffd", " ").split())[:MAX_CHARS]


def _day(text: str) -> str:
    """``2024:05:01 09:30:00`` to ``2024-05-01``; anything else stays as it is."""
    day = text[:10]
    parts = day.split(":")
    if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
        return "-".join(parts)
    return text
