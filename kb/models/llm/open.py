"""From settings to an LLM."""

from collections.abc import Callable
from urllib.parse import urlsplit

from kb.errors import TeselaError, Unavailable, UsageError
from kb.location import Location
from kb.models.http_post import Patience
from kb.models.llm.base import NO_LLM, LlmClient
from kb.models.llm.budget import Budget, Caps
from kb.models.llm.cache import AnswerCache
from kb.models.llm.ledger import Ledger
from kb.models.llm.llm import Llm
from kb.models.llm.plan import Plan
from kb.models.llm.prices import PER_DOLLAR, Price, Prices
from kb.models.llm.spending import Spending
from kb.registry import load
from kb.settings import LlmSettings


def open_llm(
    location: Location,
    settings: LlmSettings,
    tell: Callable[[str], None],
    *,
    patience: Patience | None = None,
    plan: Plan | None = None,
    within: Budget | None = None,
) -> Llm:
    """The LLM that the settings name, with the KB's cache, ledger and prices.

    Args:
        location: of the KB; where it cannot be written, nothing is kept.
        settings: of the run.
        tell: takes a warning.
        patience: how failures that may pass are tried again.
        plan: see `Llm`.
        within: a budget that it shares with others of this run.

    Raises:
        Unavailable: no LLM is set.
        UsageError: an address, a key or a price table that does not hold, or a cap in money for a
            model of unknown price.
    """
    if not settings.url or not settings.model:
        raise Unavailable(NO_LLM)
    client: LlmClient = load("llm", settings.kind)(settings)
    price = Prices.load(location.prices).find(settings.model, client.host)
    _check_price(location, settings, client, price)
    ledger = None if plan else _ledger(location)
    try:
        cache = AnswerCache(location.llm_cache, only_look=plan is not None)
    except TeselaError:
        if ledger is not None:
            ledger.close()
        raise
    if plan is None and (ledger is None or not cache.writable):
        tell(f"{location.folder} cannot be written: answers are not kept, nor what they cost")
    budget = Budget(caps_of(settings), within)
    spending = Spending(budget, ledger, price, f"{settings.model} at {urlsplit(client.url).netloc}")
    return Llm(client, settings, cache, spending, patience, plan)


def _ledger(location: Location) -> Ledger | None:
    try:
        return Ledger(location.ledger)
    except OSError:
        return None


def caps_of(settings: LlmSettings) -> Caps:
    """The most that a run of these settings may spend."""
    money = settings.max_usd
    return Caps(
        settings.max_calls,
        settings.max_tokens,
        None if money is None else round(money * PER_DOLLAR),
    )


def _check_price(
    location: Location, settings: LlmSettings, client: LlmClient, price: Price | None
) -> None:
    if settings.max_usd is None or price is not None:
        return
    raise UsageError(
        f"--max-usd cannot hold: no price of {client.name} is known. Put it into {location.prices} "
        f'(["{settings.model}"], with input, output and date; see tesela cost --prices), or cap '
        "with --max-tokens or --max-calls"
    )
