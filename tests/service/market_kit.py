"""Events and markets by number."""

from dataclasses import replace
from datetime import UTC, datetime

from pmtui.domain.ids import ConditionId, EventId, MarketId, TokenId
from pmtui.domain.markets.market import (
    NO_FEE,
    Event,
    Market,
    Outcome,
    RewardTerms,
)
from pmtui.domain.money import Micros
from tests.service.fakes import (
    MARKET,
)

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


EVENTS, MARKETS = 10, 4


def condition(place: tuple[int, int]) -> ConditionId:
    return ConditionId(f"0x{place[0]:032x}{place[1]:032x}")


def token(place: tuple[int, int], index: int = 0) -> TokenId:
    return TokenId(f"7{place[0]:02}{place[1]:02}{index}")


def market(place: tuple[int, int], *, question: str = "Over four metres?") -> Market:
    return Market(
        market_id=MarketId(f"{place[0]}-{place[1]}"),
        condition_id=condition(place),
        slug="river-over-four",
        question=question,
        outcomes=(
            Outcome("Yes", token(place), Micros(420_000)),
            Outcome("No", token(place, 1), None),
        ),
        event_id=EventId(str(place[0])),
        event_title="River levels",
        event_slug="river",
        volume=Micros(10**20),
        created_at=NOW,
        rewards=RewardTerms(Micros(1), Micros(2)),
        fee=NO_FEE,
    )


def event(number: int, *, question: str = "Over four metres?") -> Event:
    markets = tuple(market((number, n), question=question) for n in range(MARKETS))
    return Event(EventId(str(number)), "river", "River levels", markets)


def many_events(count: int) -> list[Event]:
    return [
        Event(
            EventId(str(n)),
            f"event-{n}",
            f"Subject {n}",
            (replace(MARKET, market_id=MarketId(f"m{n}"), question=f"Question {n}?"),),
        )
        for n in range(count)
    ]
