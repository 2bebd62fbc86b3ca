"""What a route is."""

from dataclasses import dataclass

from kb.records import ChunkKind


@dataclass(frozen=True, slots=True)
class Route:
    """How one question is answered; the same question on the same generation takes the same one."""

    mode: str  # a key of `query.retrieve.MODES`; never "auto"
    kinds: tuple[ChunkKind, ...] = ("text",)  # of the chunks that may answer
    diversity: float = 0.0  # of the hits, at least: see ``query.diversity``
    reason: str = ""  # why it was chosen; "" where it was asked for
    otherwise: "Route | None" = None  # taken instead where the best hit on this one is a leaf
