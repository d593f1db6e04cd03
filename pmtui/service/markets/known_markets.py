"""What the metadata has told of markets so far, as the other feeds ask for it."""

from collections.abc import Iterable

from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import FeeSchedule, Market, MarketTerms
from pmtui.domain.money import Micros
from pmtui.service.markets.market_store import MarketStore
from pmtui.service.topics import EventQuotesTopic, Topic


class KnownMarkets:
    """Looks things up; fetches nothing."""

    def __init__(self, store: MarketStore) -> None:
        self._store = store

    def market(self, condition_id: ConditionId) -> tuple[Market | None, MarketTerms | None]:
        """Return a market and its terms, as far as they are known."""
        state = self._store.markets.get(condition_id)
        return (state.market, state.terms) if state is not None else (None, None)

    def fee(self, condition_id: ConditionId) -> FeeSchedule | None:
        """Return a market's taker fee: by its terms, else by the metadata."""
        market, terms = self.market(condition_id)
        return terms.fee if terms is not None else (market.fee if market is not None else None)

    def settled_price(self, token_id: TokenId) -> Micros | None:
        """Return what a share of a closed market is exchanged for."""
        market = self._market_of_token(token_id)
        if market is None or not market.closed:
            return None
        return next((o.price for o in market.outcomes if o.token_id == token_id), None)

    def title(self, token_id: TokenId) -> str:
        """Return the name of a token's market; empty while it is not known."""
        market = self._market_of_token(token_id)
        return market.distinct_name if market is not None else ""

    def pair(self, token_id: TokenId) -> tuple[TokenId, ...]:
        """Return all tokens of a token's market; the token alone while they are not known."""
        market = self._market_of_token(token_id)
        if market is None or token_id not in market.token_ids:
            return (token_id,)
        return market.token_ids

    def tokens_of_event(self, topic: Topic) -> Iterable[TokenId]:
        """Return the first token of every open market of the event that a topic is about."""
        if not isinstance(topic, EventQuotesTopic):
            return ()
        state = self._store.events.get(topic.event_id)
        if state is None or state.event is None:
            return ()
        return [m.token_ids[0] for m in state.event.markets if m.token_ids and not m.closed]

    def _market_of_token(self, token_id: TokenId) -> Market | None:
        condition_id = self._store.market_of_token.get(token_id)
        return self.market(condition_id)[0] if condition_id else None
