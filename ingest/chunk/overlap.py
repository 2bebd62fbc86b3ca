"""The numbers a chunker works with, checked before any work."""

from kb.errors import UsageError
from kb.settings import ChunkSettings

SMALLEST, LARGEST = 8, 8192


def resolve_overlap(settings: ChunkSettings) -> int:
    """Overlap in tokens: an int as it is, ``"15%"`` as that share of ``size`` rounded down.

    Raises:
        UsageError: size out of bounds, overlap not a number or share, negative, or not below size;
            min_size above size; a threshold that its kind does not know.
    """
    size = settings.size
    if not SMALLEST <= size <= LARGEST:
        raise UsageError(f"chunk size must be {SMALLEST} to {LARGEST} tokens, not {size}")
    overlap = _tokens(settings.overlap, size)
    if overlap < 0:
        raise UsageError(f"chunk overlap must be 0 or more, not {settings.overlap}")
    if overlap >= size:
        raise UsageError(
            f"chunk overlap ({settings.overlap}) must be smaller than chunk size ({size} tokens): "
            "lower the overlap or raise the size"
        )
    _check_semantic(settings)
    return overlap


def _tokens(overlap: int | str, size: int) -> int:
    if isinstance(overlap, int):
        return overlap
    text = overlap.strip()
    try:
        if text.endswith("%"):
            return int(size * float(text[:-1]) // 100)
        return int(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f'chunk overlap must be a number of tokens (32) or a share ("15%"), not {overlap!r}'
        ) from None


def _check_semantic(settings: ChunkSettings) -> None:
    if settings.min_size > settings.size:
        raise UsageError(
            f"chunk min_size ({settings.min_size}) must not be above chunk size ({settings.size})"
        )
    low, high = (0.0, 100.0) if settings.threshold_kind == "percentile" else (-1.0, 1.0)
    if not low <= settings.threshold <= high:
        raise UsageError(
            f"chunk threshold of kind {settings.threshold_kind} must be {low:g} to {high:g}, "
            f"not {settings.threshold:g}"
        )
