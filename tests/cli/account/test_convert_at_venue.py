"""No shares of a negative-risk event become Yes shares of the others and cash, on the venue's own catalogue."""

from pathlib import Path

import pytest

from pmtui.domain.account.wallet_steps import Convert, FlowKind, MintRelayerKey, Split
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import Micros
from pmtui.service.data_service import DataService
from pmtui.service.topics import AccountTopic, ActivityTopic
from pmtui.service.wallet.wallet_views import Confirmed
from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests.cli.account.wallet_kit import SHARE, card_of, passing, session, take, until
from tests.sim.clock import ManualClock
from tests.sim.kit import START_MS, Person, http_client


def open_event(running: RunningVenue) -> list[ConditionId]:
    """Return the markets of a negative-risk event whose every outcome is open."""
    for event in running.venue.catalogue.events:
        markets = event.markets
        is_whole = all(m.is_tradable and not m.raw.get("closed") for m in markets)
        if event.neg_risk and len(markets) > 2 and is_whole:
            return [ConditionId(m.condition_id) for m in markets]
    raise AssertionError("no such event")


def is_convertible(service: DataService, wanted: list[ConditionId]) -> bool:
    held = {each.condition_id: each.convertible for each in service.queries.wallet().settlements}
    return all(held.get(each, 0) == 10 * SHARE for each in wanted)


@pytest.mark.slow
async def test_no_shares_of_two_outcomes_become_yes_of_the_others_and_cash(tmp_path: Path) -> None:
    clock = ManualClock(START_MS)
    async with running_venue(VenueOptions(speed=0), clock=clock) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        markets = open_event(running)
        given = markets[:2]
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            for each in given:
                assert isinstance(
                    await take(service, ann, Split(each, Micros(10 * SHARE))), Confirmed
                )
            service.commands.refresh(AccountTopic())
            await until(service, ann, lambda: is_convertible(service, given))
            card = await card_of(service, Convert(tuple(given), Micros(10 * SHARE)))
            cash = [flow.amount for flow in card.flows if flow.kind is FlowKind.CASH]
            assert cash == [10 * SHARE]
            assert len(card.flows) == len(markets) + 1
            for market in map(running.venue.market, given):
                assert market is not None
                outcome, event = (
                    str(market.raw["groupItemTitle"]),
                    running.venue.catalogue.event_of(market),
                )
                for words in (card.title, card.calls[0].words):
                    assert outcome in words
                    assert event.title in words
            done = await passing(ann, service.commands.submit_wallet(card.prepared_id))
            assert isinstance(done, Confirmed)
            ledger = await ann.ledger()
            assert ledger["collateral"] == "90"
            assert set(ledger["shares"].values()) == {"10"}
            assert len(ledger["shares"]) == len(markets)
            service.hub.subscribe([ActivityTopic()], lambda _: None)
            # Nobody has to wait for the next poll after a transaction of the wallet.
            await until(service, ann, lambda: "CONVERSION" in kinds(service))
            # One conversion is one line, with what went and what came; cash that came in is listed too.
            assert kinds(service) == ["CONVERSION", "SPLIT", "SPLIT", "DEPOSIT"]
            converted = service.queries.activity().activity[0]
            assert (converted.size, converted.cash) == (10 * SHARE, 10 * SHARE)
            assert converted.transaction_hash == done.hash
            # Two splits cost 20 dollars and the conversion paid 10: nothing is gained by either.
            positions = service.queries.account().positions
            assert sum(each.cost for each in positions) == 10 * SHARE
            assert sum(each.realized for each in positions) == 0


def kinds(service: DataService) -> list[str]:
    return [each.kind for each in service.queries.activity().activity]
