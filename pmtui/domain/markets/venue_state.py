"""Special states of the venue, such as a restart, and how its messages and flags announce them.

A state is a claim with a source and a time, never a certainty: it is shown as a warning, and no
order that the venue might accept is held back because of it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import MarketTerms


class VenueState(StrEnum):
    """A state, in the words of the status line; the most severe first."""

    BANNED = "account banned"
    REGION_REFUSED = "region refused"
    DISABLED = "trading disabled"
    RESTARTING = "restarting"
    CANCEL_ONLY = "cancel-only"
    CLOSE_ONLY = "account close-only"
    POST_ONLY = "post-only mode"
    MARKET_NOT_READY = "market not ready"
    BUDGET_LOW = "rate budget low"
    DELAYED = "delayed matching"


class Evidence(StrEnum):
    """The source of a state."""

    ANSWER = "the answer to an order"
    ACCOUNT = "the account's closed-only status"
    GEO = "the geographic check"
    TERMS = "the market's terms"
    RATES = "the count of requests"
    RESTART = "a restart a moment ago"


RESTART_LASTS = timedelta(seconds=90)
"""The longest time after the last 425 for which a restart is assumed: each further one renews it."""
POST_ONLY_LASTS = timedelta(seconds=120)
"""The post-only minutes after a restart (docs/wire.md#refusals), if no reply states their end."""
NOT_READY_LASTS = timedelta(seconds=60)
CLOSED_LASTS = timedelta(minutes=10)
"""How long a refusal of all orders counts, without confirmation or denial."""

RESTARTING_STATUS = 425
"""Its body is undocumented; the status alone is enough."""

_LASTS = {
    VenueState.RESTARTING: RESTART_LASTS,
    VenueState.POST_ONLY: POST_ONLY_LASTS,
    VenueState.MARKET_NOT_READY: NOT_READY_LASTS,
    VenueState.CANCEL_ONLY: CLOSED_LASTS,
    VenueState.DISABLED: CLOSED_LASTS,
    VenueState.DELAYED: CLOSED_LASTS,
}
# Texts of refusals (docs/wire.md#refusals), in lower case.
_WORDS = (
    ("address banned", VenueState.BANNED),
    ("trading restricted in your region", VenueState.REGION_REFUSED),
    ("trading is currently disabled", VenueState.DISABLED),
    ("trading is currently cancel-only", VenueState.CANCEL_ONLY),
    ("address in closed only mode", VenueState.CLOSE_ONLY),
    ("post-only mode:", VenueState.POST_ONLY),
    ("not yet ready to process new orders", VenueState.MARKET_NOT_READY),
    ("order match delayed due to market conditions", VenueState.DELAYED),
)
OF_A_MARKET = frozenset({VenueState.MARKET_NOT_READY, VenueState.DELAYED})
"""States of one market; the others concern the whole venue or the account."""
OF_THE_ENGINE = frozenset(
    {VenueState.RESTARTING, VenueState.DISABLED, VenueState.CANCEL_ONLY, VenueState.POST_ONLY}
)
"""States in which nothing trades anywhere: a trade ends them."""


@dataclass(frozen=True, slots=True)
class VenueFact:
    """One state with its evidence."""

    state: VenueState
    evidence: Evidence
    as_of: datetime
    """When it was last confirmed."""
    text: str = ""
    """The venue's own text, if any: untrusted."""
    until: datetime | None = None
    """When it should end; after that it no longer counts."""
    condition_id: ConditionId | None = None
    """The market that it concerns; None for all."""

    def holds(self, now: datetime) -> bool:
        """Whether it still counts."""
        return self.until is None or now < self.until

    def concerns(self, condition_id: ConditionId) -> bool:
        """Whether it affects orders in a market."""
        return self.condition_id in (None, condition_id)


def state_of_refusal(text: str, *, status: int | None = None) -> VenueState | None:
    """Return the venue state that a refusal implies; None if it is about the order alone."""
    if status == RESTARTING_STATUS:
        return VenueState.RESTARTING
    lowered = text.lower()
    return next((state for words, state in _WORDS if words in lowered), None)


def fact_of_refusal(
    text: str,
    *,
    now: datetime,
    status: int | None = None,
    stated: timedelta | None = None,
    condition_id: ConditionId | None = None,
) -> VenueFact | None:
    """Return the fact that follows from a refusal, with its duration.

    Args:
        text: the venue's text.
        now: by our clock.
        status: of the reply, if there was one.
        stated: how long the venue asked to wait.
        condition_id: the market of the refused order.
    """
    state = state_of_refusal(text, status=status)
    if state is None or (state in OF_A_MARKET and condition_id is None):
        return None
    lasts = _LASTS.get(state)
    if state is VenueState.POST_ONLY and stated is not None:
        # A stated end is not trusted for much longer than the venue is known to need.
        lasts = min(stated, 10 * POST_ONLY_LASTS)
    return VenueFact(
        state,
        Evidence.ANSWER,
        now,
        text=text,
        until=None if lasts is None else now + lasts,
        condition_id=condition_id if state in OF_A_MARKET else None,
    )


def facts_of_terms(terms: MarketTerms | None, as_of: datetime) -> tuple[VenueFact, ...]:
    """Return what a market's own flags tell: whoever takes there waits (docs/wire.md#matching)."""
    if terms is None or not terms.delays_takers:
        return ()
    text = f"{terms.seconds_delay} s" if terms.seconds_delay > 0 else "a moment"
    fact = VenueFact(
        VenueState.DELAYED, Evidence.TERMS, as_of, text=text, condition_id=terms.condition_id
    )
    return (fact,)


def in_order(facts: tuple[VenueFact, ...], now: datetime) -> tuple[VenueFact, ...]:
    """Return the facts that still count, the most severe first, each state of a market once."""
    kept: dict[tuple[VenueState, ConditionId | None], VenueFact] = {}
    for fact in facts:
        if fact.holds(now):
            kept.setdefault((fact.state, fact.condition_id), fact)
    severity = list(VenueState)
    return tuple(sorted(kept.values(), key=lambda fact: severity.index(fact.state)))


def describe_state(fact: VenueFact, now: datetime) -> str:
    """Describe a state in one short phrase, with the time left if an end was stated."""
    if fact.state is VenueState.POST_ONLY and fact.until is not None:
        left = max(round((fact.until - now).total_seconds()), 0)
        return f"{fact.state.value} {left}s"
    return fact.state.value
