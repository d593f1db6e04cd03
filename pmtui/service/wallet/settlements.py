"""The markets of a wallet step, verified against their condition ids.

A host reports condition ids, tokens and kinds of markets. The signed call contains a condition id and an
adapter, so both must match the tokens that are held or traded: the tokens of a condition id are computed
here, and a host that swaps one for another is detected.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pmtui.domain.account.position import Position
from pmtui.domain.account.wallet_steps import HeldOutcome, Settlement
from pmtui.domain.account.wallet_transactions import WalletTransaction
from pmtui.domain.answers import Failure
from pmtui.domain.ids import ConditionId, EventId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Event, Market, MarketTerms, Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.domain.orders.order import Fill, Liquidity, Rejected, TradeStatus
from pmtui.service.ports import CallTable, Hosts
from pmtui.service.wallet.wallet_facts import WalletFacts

MarketOf = Callable[[ConditionId], tuple[Market | None, MarketTerms | None]]
_PAIR = 2


@dataclass(frozen=True, slots=True)
class ConvertPlan:
    """A conversion whose questions provably belong to one event."""

    neg_risk_id: str
    questions: int
    """A bit for each market whose No shares are given up."""
    event: str
    """Title of the event; untrusted, like the next field."""
    outcomes: tuple[str, ...]
    """Names of these markets among those of the event."""
    given: tuple[Settlement, ...]
    received: tuple[Settlement, ...]


_EXCHANGES = {"splitPosition": Side.BUY, "mergePositions": Side.SELL}
_HALF = Micros(ONE // 2)
"""What the venue counts for a share of a split or a merged pair."""


class Settlements:
    """Held markets with their possible operations, and markets named by a step."""

    def __init__(
        self, facts: WalletFacts, positions: Callable[[], tuple[Position, ...]], market_of: MarketOf
    ) -> None:
        self.facts = facts
        self.positions = positions
        self._market_of = market_of
        self._converted: dict[ConditionId, tuple[str, str]] = {}
        """Names of outcome and event for every market of the last planned conversion's event."""

    def held(self) -> tuple[Settlement, ...]:
        """Return every market in which shares are held."""
        by_condition: dict[ConditionId, list[Position]] = {}
        for position in self.positions():
            if position.size > 0 and not position.is_remnant:
                by_condition.setdefault(position.condition_id, []).append(position)
        return tuple(map(self._settlement, by_condition.values()))

    def title_of(self, condition_id: ConditionId) -> str:
        """Return the title of a market; empty while unknown."""
        market, _ = self._market_of(condition_id)
        if market is not None:
            return market.distinct_name
        held = (each.title for each in self.positions() if each.condition_id == condition_id)
        return next(held, "")

    def outcome_of(self, condition_id: ConditionId) -> str:
        """Return the name of a market among those of its event; empty while unknown."""
        market, _ = self._market_of(condition_id)
        known, _ = self._converted.get(condition_id, ("", ""))
        return known or ("" if market is None else market.title)

    def event_of(self, condition_id: ConditionId) -> str:
        """Return the title of a market's event; empty while unknown."""
        market, _ = self._market_of(condition_id)
        _, known = self._converted.get(condition_id, ("", ""))
        return known or ("" if market is None else market.event_title)

    def exchanged(self, transaction: WalletTransaction) -> tuple[Fill, ...]:
        """Return what a confirmed split or merge did to the shares, as purchases or sales for 50¢.

        They are dated by its submission: a report from then on may contain them, one before does not.
        """
        access = self.facts.access
        # Where chain and relayer disagree, the reports alone count.
        if access is None or transaction.chain_view or transaction.relayer_view:
            return ()
        found: list[Fill] = []
        for number, call in enumerate(transaction.calls):
            meaning = access.table.decode(call)
            side = None if meaning is None else _EXCHANGES.get(meaning.function)
            values = {} if meaning is None else dict(meaning.arguments)
            amount, condition_id = values.get("amount"), ConditionId(str(values.get("conditionId")))
            market, _ = self._market_of(condition_id)
            if side is None or market is None or not isinstance(amount, int):
                continue
            found += [
                Fill(
                    trade_id=TradeId(f"{transaction.key}:{number}"), order_id=OrderId(transaction.key),
                    condition_id=condition_id, token_id=outcome.token_id, outcome=outcome.label,
                    side=side, price=_HALF, size=Micros(amount), fee=ZERO, liquidity=Liquidity.MAKER,
                    status=TradeStatus.CONFIRMED, matched_at=transaction.created_at,
                )
                for outcome in market.outcomes
                if outcome.token_id is not None
            ]  # fmt: skip
        return tuple(found)

    def proved(self, condition_id: ConditionId) -> Settlement | Rejected:
        """Return a held market whose condition id matches the held tokens."""
        found = next((each for each in self.held() if each.condition_id == condition_id), None)
        if found is None:
            return Rejected("You hold no shares of this market")
        return self.prove(found)

    def prove(self, market: Settlement) -> Settlement | Rejected:
        """Return a market with the kind that its condition id proves, or why it is not proved."""
        access = self.facts.access
        if access is None:
            return Rejected("This session has no wallet")
        kind = _kind_of(access.table, market)
        if kind is None:
            return Rejected(
                f"Not signed: the shares of “{market.title}” are not those of condition "
                f"{market.condition_id}; a host names the wrong market, or one of a newer kind"
            )
        return replace(market, neg_risk=kind)

    async def find(self, condition_id: ConditionId, hosts: Hosts) -> Settlement | Rejected:
        """Return a market, held or not; it is fetched if it is unknown."""
        held = next((each for each in self.held() if each.condition_id == condition_id), None)
        if held is not None and len(held.outcomes) == _PAIR:
            return self.prove(held)
        market, _ = self._market_of(condition_id)
        if market is None:
            answer = await hosts.metadata.market(condition_id)
            if isinstance(answer, Failure):
                return Rejected(f"The market is not known: {answer}")
            market = answer
        found = _from_market(market, condition_id)
        return found if isinstance(found, Rejected) else self.prove(found)

    async def plan_conversion(
        self, conditions: Sequence[ConditionId], hosts: Hosts
    ) -> ConvertPlan | Rejected:
        """Return the contract arguments for converting these markets' No shares."""
        event = await self._event_of(conditions, hosts)
        if isinstance(event, Rejected):
            return event
        access = self.facts.access
        if access is None or not event.neg_risk_id:
            return Rejected("Only shares of a negative-risk event can be converted")
        wanted = set(conditions)
        self._converted = {
            market.condition_id: (market.title, event.title)
            for market in event.markets
            if market.condition_id is not None
        }
        mask = 0
        names: list[str] = []
        given: list[Settlement] = []
        received: list[Settlement] = []
        for market in event.markets:
            if market.condition_id is None or not market.token_ids:
                continue
            found = _from_market(market, market.condition_id)
            proved = found if isinstance(found, Rejected) else self.prove(found)
            index = access.table.question_index(event.neg_risk_id, market.condition_id)
            if isinstance(proved, Rejected) or index is None or not proved.neg_risk:
                return Rejected(f"Not signed: “{market.title}” is not proved to be of this event")
            if market.condition_id in wanted:
                mask |= 1 << index
                names.append(market.title)
            (given if market.condition_id in wanted else received).append(proved)
        if len(given) != len(wanted):
            return Rejected("Not every market named is one of this event")
        return ConvertPlan(
            event.neg_risk_id, mask, event.title, tuple(names), tuple(given), tuple(received)
        )

    async def _event_of(self, conditions: Sequence[ConditionId], hosts: Hosts) -> Event | Rejected:
        if not conditions or len(set(conditions)) != len(conditions):
            return Rejected("Name the markets whose No shares are to be converted, each once")
        event_id: EventId | None = None
        market, _ = self._market_of(conditions[0])
        if market is None or market.event_id is None:
            answer = await hosts.metadata.market(conditions[0])
            market = None if isinstance(answer, Failure) else answer
        event_id = market.event_id if market is not None else None
        if event_id is None:
            return Rejected("The event of these markets is not known")
        event = await hosts.metadata.event(event_id)
        return Rejected(f"The event is not known: {event}") if isinstance(event, Failure) else event

    def _settlement(self, held: Sequence[Position]) -> Settlement:
        first = held[0]
        market, _ = self._market_of(first.condition_id)
        outcomes = self._outcomes(held, market)
        is_neg_risk = market.neg_risk if market is not None else first.neg_risk
        is_open = any(each.payout is None for each in outcomes)
        return Settlement(
            first.condition_id,
            market.distinct_name if market is not None else first.title,
            outcomes,
            neg_risk=is_neg_risk,
            event_id=(market.event_id or "") if market is not None else "",
            is_disputed=market is not None and market.is_disputed and is_open,
            can_convert=is_neg_risk and is_open,
        )

    def _outcomes(self, held: Sequence[Position], market: Market | None) -> tuple[HeldOutcome, ...]:
        by_token = {each.token_id: each for each in held}
        payouts = self.facts.payouts.get(held[0].condition_id) or ()
        names: list[tuple[TokenId, str]] = []
        if market is not None and len(market.token_ids) == _PAIR:
            names = [(o.token_id, o.label) for o in market.outcomes if o.token_id is not None]
        if not set(by_token) <= {token_id for token_id, _ in names}:
            names = _pair_of(held)
        return tuple(
            HeldOutcome(
                token_id,
                label,
                by_token[token_id].size if token_id in by_token else ZERO,
                self._payout(by_token.get(token_id), payouts, index),
            )
            for index, (token_id, label) in enumerate(names)
        )

    def _payout(
        self, position: Position | None, payouts: Sequence[Micros], index: int
    ) -> Micros | None:
        if index < len(payouts):
            return payouts[index]
        return None if position is None else self.facts.outcome_payout(position)


def _pair_of(held: Sequence[Position]) -> list[tuple[TokenId, str]]:
    """Return the outcomes from the positions alone: the other one has no name."""
    rows = {each.outcome_index: (each.token_id, each.outcome) for each in held}
    first = held[0]
    if len(rows) == 1 and first.opposite_token_id is not None and first.outcome_index in (0, 1):
        rows[1 - first.outcome_index] = (first.opposite_token_id, "")
    return [rows[index] for index in sorted(rows)]


def _from_market(market: Market, condition_id: ConditionId) -> Settlement | Rejected:
    if market.condition_id != condition_id or len(market.token_ids) != _PAIR:
        return Rejected("This market has no two outcomes on the chain")
    outcomes = tuple(
        HeldOutcome(outcome.token_id, outcome.label, ZERO)
        for outcome in market.outcomes
        if outcome.token_id is not None
    )
    return Settlement(condition_id, market.distinct_name, outcomes, neg_risk=market.neg_risk)


def _kind_of(table: CallTable, market: Settlement) -> bool | None:
    """Return whether a market's ids prove that it is negative-risk; None if they prove neither kind."""
    tokens = [each.token_id for each in market.outcomes]
    for kind in (market.neg_risk, not market.neg_risk):
        derived = table.tokens_of(market.condition_id, neg_risk=kind)
        if derived is not None and tokens and _agree(tokens, derived):
            return kind
    return None


def _agree(tokens: Iterable[TokenId], derived: tuple[TokenId, ...]) -> bool:
    tokens = tuple(tokens)
    return tokens == derived if len(tokens) == len(derived) else set(tokens) <= set(derived)
