"""Which markets must not be forgotten: those looked at, owned, ordered in, waited for or starred."""

from collections.abc import Iterable

from pmtui.domain.conditionals.conditional import Conditional
from pmtui.domain.markets.watchlist import StarKey
from pmtui.service.account.account import AccountFeed
from pmtui.service.markets.market_store import Needed
from pmtui.service.topics import (
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    HistoryTopic,
    MarketTopic,
    TapeTopic,
    Topic,
)


def needed_markets(
    watched: Iterable[Topic],
    account: AccountFeed,
    conditionals: Iterable[Conditional],
    stars: Iterable[StarKey],
) -> Needed:
    """Return what is needed now.

    Args:
        watched: every topic with a watcher.
        account: our own orders, fills and positions.
        conditionals: those that are not over.
        stars: what is on the watchlist, and what alerts wait for.
    """
    needed = Needed(events=set(), markets=set(), tokens=set(), owned=set())
    for topic in watched:
        match topic:
            case EventTopic() | EventQuotesTopic():
                needed.events.add(topic.event_id)
            case MarketTopic():
                needed.markets.add(topic.condition_id)
            case BookTopic() | TapeTopic() | HistoryTopic():
                needed.tokens.add(topic.token_id)
            case _:
                pass
    own = account.own
    for items in (own.open_orders(), account.recent_orders(), own.fills()):
        needed.owned.update(item.condition_id for item in items)
    needed.owned.update(p.condition_id for p in account.holdings.positions())
    needed.owned.update(each.condition_id for each in conditionals)
    for key in stars:
        if (event_id := key.event_id) is not None:
            needed.events.add(event_id)
        if (condition_id := key.condition_id) is not None:
            needed.owned.add(condition_id)
    return needed
