"""Readings of a river gauge."""

from dataclasses import dataclass


@dataclass
class Gauge:
    """A staff gauge at one station."""

    station: str
    zero: float

    def flow(self, level: float) -> float:
        """Discharge in cubic metres a second, by the rating curve of the station."""
        depth = max(level - self.zero, 0.0)
        return 12.4 * depth**1.6


def warn(level: float) -> bool:
    # por encima de esta cota se cierra el canal de derivación
    return level > 2.35
