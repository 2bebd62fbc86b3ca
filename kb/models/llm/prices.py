"""What tokens cost: a table that ships, and the user's own, which is the stronger."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Self

from msgspec import Meta, Struct, ValidationError, convert

from kb.configure import read_toml
from kb.errors import UsageError
from kb.models.llm.base import Usage

Dollars = Annotated[float, Meta(ge=0.0, le=1e6)]  # for a million tokens
_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
PER_DOLLAR = 10**12  # money is counted in whole picodollars, so that sums are exact


class Rates(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Dollars for a million tokens."""

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None  # read from the provider's cache; None: as input
    cache_write: Dollars | None = None  # put into it; None: as input

    def cost(self, usage: Usage) -> int:
        """Picodollars."""
        read = self.input if self.cached_input is None else self.cached_input
        write = self.input if self.cache_write is None else self.cache_write
        fresh = max(usage.prompt - usage.cached - usage.written, 0)
        return (
            fresh * _pico(self.input)
            + usage.cached * _pico(read)
            + usage.written * _pico(write)
            + usage.completion * _pico(self.output)
        )

    def worst(self, prompt: int, completion: int) -> int:
        """The most that so many tokens can cost, in picodollars."""
        dearest = max(self.input, self.cached_input or 0.0, self.cache_write or 0.0)
        return prompt * _pico(dearest) + completion * _pico(self.output)


class LongPrompt(Rates, frozen=True, kw_only=True):
    """The rates of a call whose prompt is longer than so many tokens."""

    above: Annotated[int, Meta(ge=1)]


class Price(Rates, frozen=True, kw_only=True):
    """A model's price on a day."""

    date: date
    host: str = ""  # only for a model at this host; "": wherever it is
    long_prompt: LongPrompt | None = None

    def of(self, usage: Usage) -> int:
        """What a call cost, in picodollars."""
        long = self.long_prompt
        return long.cost(usage) if long and usage.prompt > long.above else self.cost(usage)

    def most(self, prompt: int, completion: int) -> int:
        """The most that a call can cost, in picodollars."""
        worst = self.worst(prompt, completion)
        long = self.long_prompt
        return max(worst, long.worst(prompt, completion)) if long else worst


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by model, the user's own first."""

    tables: tuple[Mapping[str, Price], ...]

    @classmethod
    def load(cls, own: Path | None) -> Self:
        """The user's table, where there is one, and the one that ships.

        Raises:
            UsageError: the user's does not hold.
        """
        tables = [_checked(tomllib.loads(shipped()), "the prices that ship")]
        if own is not None and own.exists():
            tables.insert(0, _checked(read_toml(own), str(own)))
        return cls(tuple(tables))

    def find(self, model: str, host: str) -> Price | None:
        """The price of a model at a host; None where none is known.

        The name itself is looked up, then without the date of a snapshot, then as a pattern.
        """
        for table in self.tables:
            here = {name: p for name, p in table.items() if p.host in ("", host)}
            for name in (model, _SNAPSHOT.sub("", model)):
                if name in here:
                    return here[name]
            fitting = [name for name in here if "*" in name and fnmatchcase(model, name)]
            if fitting:
                return here[max(fitting, key=len)]
        return None


def shipped() -> str:
    """The table that ships, as it is written."""
    return (resources.files("configs") / "prices" / "llm.toml").read_text(encoding="utf-8")


def dollars(picodollars: int | None) -> float | None:
    """For people and JSON; None: unknown."""
    return None if picodollars is None else picodollars / PER_DOLLAR


def _pico(rate: float) -> int:
    return round(rate * 1_000_000)


def _checked(tree: Mapping[str, Any], where: str) -> dict[str, Price]:
    try:
        return convert(tree, dict[str, Price])
    except ValidationError as error:
        raise UsageError(
            f'{where}: {error}; write ["model"], input and output in dollars for a million tokens, '
            "and date"
        ) from error
