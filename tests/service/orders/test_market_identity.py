"""What is signed is what is shown: by every way an order can begin."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.domain.conditionals.conditional import ConditionalPlan
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.identity import METADATA_HOST, TRADING_HOST
from pmtui.domain.markets.market import Event, Market, MarketTerms, Outcome, Side
from pmtui.domain.money import parse_micros as m
from pmtui.domain.orders.order import LimitIntent, OrderIntent, Rejected
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import MarketTopic
from tests.service.fakes import (
    CONDITION,
    EVENT_WITH_MARKET,
    MARKET,
    NO,
    TERMS,
    YES,
    World,
    running_world,
)
from tests.service.order_kit import said, until

OTHER = (TokenId("5" * 76 + "3"), TokenId("6" * 76 + "4"))
NEW = (TokenId(str((7 << 104) + 1)), TokenId(str((7 << 104) + 2)))


def buy(token_id: TokenId) -> LimitIntent:
    return LimitIntent(
        condition_id=CONDITION, token_id=token_id, side=Side.BUY, price=m("0.4"), size=m("10")
    )


def with_tokens(tokens: tuple[TokenId, ...]) -> Market:
    outcomes = zip(("Yes", "No"), tokens, strict=True)
    return replace(MARKET, outcomes=tuple(Outcome(label, t, None) for label, t in outcomes))


@asynccontextmanager
async def opened(tmp_path: Path, market: Market, terms: MarketTerms) -> AsyncIterator[World]:
    async with running_world(tmp_path) as world:
        world.signer.derived[CONDITION, False] = (YES, NO)
        event: Event = replace(EVENT_WITH_MARKET, markets=(market,))
        world.metadata.events, world.trading.terms = [event], terms
        world.service.hub.subscribe([MarketTopic(CONDITION)], lambda _: None)
        await until(world, lambda: world.service.queries.market(CONDITION).terms, "the terms")
        await until(world, lambda: world.service.queries.account().balance, "the account")
        yield world


async def prepared(world: World, intent: OrderIntent) -> PreparedOrder | Rejected:
    return await world.service.commands.prepare(intent)


async def test_a_market_that_all_sources_agree_on_is_traded(tmp_path: Path) -> None:
    async with opened(tmp_path, MARKET, TERMS) as world:
        order = await prepared(world, buy(YES))
        assert isinstance(order, PreparedOrder)
        assert order.is_derived


@pytest.mark.parametrize(
    ("market", "terms"),
    [
        (MARKET, replace(TERMS, token_ids=OTHER)),
        (MARKET, replace(TERMS, outcome_labels=("No", "Yes"))),
        (with_tokens((NO, YES)), replace(TERMS, token_ids=(NO, YES))),
        (with_tokens(OTHER), replace(TERMS, token_ids=OTHER)),
        (MARKET, replace(TERMS, neg_risk=True)),
    ],
    ids=["other tokens", "labels swapped", "swapped by both", "others by both", "neg-risk"],
)
async def test_nothing_begins_where_a_host_lies(
    tmp_path: Path, market: Market, terms: MarketTerms
) -> None:
    async with opened(tmp_path, market, terms) as world:
        commands, token_id = world.service.commands, terms.token_ids[0]
        order = await prepared(world, buy(token_id))
        assert isinstance(order, Rejected)
        assert TRADING_HOST in order.reason
        assert METADATA_HOST in order.reason
        assert all(
            isinstance(leg, Rejected) for leg in await commands.prepare_many([buy(token_id)] * 2)
        )
        plan = ConditionalPlan(CONDITION, token_id, m("100"), stop=m("0.4"), take_profit=None)
        assert await commands.protect(plan) == order.reason
        entries = [e for e in world.service.queries.log().entries if e.text == order.reason]
        assert len(entries) == 1
        assert said(world, TRADING_HOST)


async def test_a_token_of_the_newer_kind_is_marked(tmp_path: Path) -> None:
    async with opened(tmp_path, with_tokens(NEW), replace(TERMS, token_ids=NEW)) as world:
        order = await prepared(world, buy(NEW[0]))
        assert isinstance(order, PreparedOrder)
        assert not order.is_derived


async def test_a_host_that_turns_to_lying_is_found_at_the_next_order(tmp_path: Path) -> None:
    async with opened(tmp_path, MARKET, TERMS) as world:
        assert isinstance(await prepared(world, buy(YES)), PreparedOrder)
        world.trading.terms = replace(TERMS, outcome_labels=("No", "Yes"))
        world.service.commands.refresh(MarketTopic(CONDITION))
        await until(
            world,
            lambda: (
                (terms := world.service.queries.market(CONDITION).terms) is not None
                and terms.outcome_labels == ("No", "Yes")
            ),
            "the other labels",
        )
        assert isinstance(await prepared(world, buy(YES)), Rejected)
