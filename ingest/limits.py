"""What reading one file may cost."""

import os
from dataclasses import dataclass

from kb.errors import UsageError
from kb.quantities import parse_duration, parse_size, written_size
from kb.settings import ParseSettings

LEAST_SECONDS = 0.1
LEAST_BYTES = 64_000_000  # a parser's own libraries take some


@dataclass(frozen=True, slots=True)
class Limits:
    """For each file; one that goes beyond them is given up, and the run goes on."""

    seconds: float = 60.0
    memory: int = 1_000_000_000  # bytes, beyond what its text takes: four times the file's size
    workers: int = 1  # processes at a time

    @classmethod
    def of(cls, settings: ParseSettings) -> "Limits":
        """From ``parse.file_timeout``, ``parse.file_memory`` and ``parse.workers``.

        Raises:
            UsageError: one of them cannot be read or is too small to read anything.
        """
        try:
            seconds = parse_duration(str(settings.file_timeout))
            memory = parse_size(str(settings.file_memory))
        except UsageError as error:
            raise UsageError(f"parse.file_timeout or parse.file_memory: {error}") from error
        if seconds < LEAST_SECONDS:
            raise UsageError(
                f"parse.file_timeout is {settings.file_timeout}: at least {LEAST_SECONDS:g}s is needed"
            )
        if memory < LEAST_BYTES:
            raise UsageError(
                f"parse.file_memory is {settings.file_memory}: "
                f"at least {written_size(LEAST_BYTES)} is needed"
            )
        return cls(seconds, memory, settings.workers or _cores())


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def too_slow(seconds: float) -> str:
    """Why a file was given up, and the way out."""
    return (
        f"took longer than parse.file_timeout = {seconds:g}s: "
        f"'tesela sync --file-timeout {seconds * 5:g}s' gives each file more"
    )


def too_big(memory: int) -> str:
    """Why a file was given up, and the way out."""
    return (
        f"needs more memory than parse.file_memory = {written_size(memory)}: "
        f"{_with_more(memory)} gives each file more"
    )


def crashed(how: str, memory: int) -> str:
    """Why a file was given up whose parser ended the process, and the way out."""
    return (
        f"the program that reads it crashed ({how}); if it wanted memory, "
        f"{_with_more(memory)} gives each file more"
    )


def _with_more(memory: int) -> str:
    return f"'tesela sync --file-memory {written_size(memory * 4).replace(' ', '')}'"


TOO_DEEP = "it is nested too deeply to be read"
