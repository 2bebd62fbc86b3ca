"""OCR by rapidocr (PaddleOCR's models on onnxruntime): an extra, for machines without tesseract."""

import functools
import logging
from importlib import metadata
from typing import TYPE_CHECKING, Any, ClassVar

from ingest.parse.ocr.base import OcrLine
from kb.errors import ParseError
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image


class RapidOcr:
    """One model for Latin script and Chinese; it finds sideways lines, but not paragraphs."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        pass

    @property
    def identity(self) -> str:
        """See `OcrEngine.identity`."""
        return "rapidocr"

    @property
    def release(self) -> str:
        """See `OcrEngine.release`."""
        return metadata.version("rapidocr")

    @property
    def notes(self) -> tuple[str, ...]:
        """See `OcrEngine.notes`."""
        return ()

    def read(self, image: "Image", dpi: int) -> list[OcrLine]:
        """See `OcrEngine.read`."""
        import numpy as np

        try:
            found = _reader()(np.asarray(image.convert("RGB"))[:, :, ::-1])  # it takes BGR
        except Exception as error:  # of onnxruntime or opencv, without a common base
            reason = " ".join(str(error).split())[:160]
            raise ParseError(f"rapidocr failed: {reason or type(error).__name__}") from error
        if found.boxes is None or found.txts is None:
            return []
        return [
            OcrLine(text, _around(corners), float(score), 0)
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            if text.strip()
        ]

    def turn(self, image: "Image") -> int | None:
        """See `OcrEngine.turn`."""
        return None


@functools.cache
def _reader() -> Any:
    from rapidocr import RapidOCR

    # Its own guess of upside-down lines would make a page that stands on its head look upright.
    reader = RapidOCR(params={"Global.log_level": "critical", "Global.use_cls": False})
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    return reader


def _around(corners: Any) -> tuple[float, float, float, float]:
    xs, ys = corners[:, 0], corners[:, 1]
    return float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())
