"""Every row of both route tables, asked by its client method of a venue that runs.

A story sets up what makes its rows worth asking (orders, fills, keys, time), asks them through the
real clients, and says what must come back. Each names its rows, and all of them must have been
asked and answered well; refusals are asked for on top.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from pmtui.clients.account import (
    AccountClient,
    HeartbeatClient,
    KeysClient,
    NotificationsClient,
    create_or_derive,
)
from pmtui.clients.clob import ClobClient, HistoryClient, HostCheck
from pmtui.clients.clob_requests import Account, ServerClock
from pmtui.clients.http.client import HttpHost, RequestReport
from pmtui.clients.http.paging import collect
from pmtui.clients.rewards import EarningsClient, RewardsClient
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.keys import NO_BUILDER, BuilderFees, SignatureType
from pmtui.domain.answers import Failure, FailureKind, Listing
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.history import Interval
from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import Liquidity, NoticeKind, PostStatus, TimeInForce
from pmtui.reads.trading_routes import ROUTES, ClobRoutes, RouteName
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.secret import Secret
from tests.sim.kit import RAIN, RAIN_NO, RAIN_YES, SNOW, SNOW_YES, START_MS, Person

T = TypeVar("T")

BUY = Side.BUY
YES, NO = TokenId(RAIN_YES), TokenId(RAIN_NO)
RAINY, SNOWY = ConditionId(RAIN), ConditionId(SNOW)
START = datetime.fromtimestamp(START_MS / 1_000, UTC)
TODAY = START.date()
CENT, SHARE = 10_000, 1_000_000


@dataclass
class Scene:
    """A venue, two people who trade there, and one dialect's clients for the first of them."""

    routes: ClobRoutes
    ann: Person
    bob: Person
    host: HttpHost
    clock: ServerClock
    answered: set[str] = field(default_factory=set)
    """Rows that were asked and answered without a failure, by their labels."""

    @property
    def clob(self) -> ClobClient:
        return ClobClient(self.host, self.routes)

    @property
    def account(self) -> AccountClient:
        credentials = ApiCredentials(
            self.ann.api_key,
            Secret.from_text(self.ann.credentials["secret"]),
            Secret.from_text(self.ann.credentials["passphrase"]),
        )
        return self.account_with(credentials, self.ann)

    def account_with(self, credentials: ApiCredentials, person: Person) -> AccountClient:
        wallet = person.wallet_of(SignatureType.DEPOSIT_WALLET)
        account = Account(person.signer.address, wallet, SignatureType.DEPOSIT_WALLET, credentials)
        return AccountClient(self.host, self.routes, account=account, clock=self.clock)

    async def log_in(self, person: Person) -> ApiCredentials:
        return good(
            await create_or_derive(
                self.host,
                self.routes,
                signer=person.signer,
                clock=self.clock,
            )
        )

    def order(self, price: str, size: str = "20", *, token: TokenId = YES) -> bytes:
        return self.ann.encode(self.ann.sign(BUY, price, size, token=token))

    async def trade(self) -> OrderId:
        """Let Ann's bid of 20 Yes at 0.40 meet Bob's purchase of 5 No at 0.60."""
        order_id = await self.ann.rest(BUY, "0.40", "20")
        taken = await self.bob.place(BUY, "0.60", "5", TimeInForce.FAK, token=RAIN_NO)
        assert taken.json()["status"] == "matched", taken.text
        return order_id


@asynccontextmanager
async def scene_of(dialect: Dialect, ann: Person, bob: Person) -> AsyncIterator[Scene]:
    answered: set[str] = set()

    def observe(report: RequestReport) -> None:
        if report.failure is None:
            answered.add(report.route)

    routes = ROUTES[dialect]
    host = HttpHost(ann.running.urls["clob"], observe=observe)
    clock = ServerClock(ann.running.venue.clock.now, ClobClient(host, routes).server_time)
    try:
        yield Scene(routes, ann, bob, host, clock, answered)
    finally:
        await host.aclose()


def good(answer: T | Failure) -> T:
    assert not isinstance(answer, Failure), answer
    return answer


def refusal(answer: object) -> FailureKind:
    assert isinstance(answer, Failure), answer
    return answer.kind


Story = Callable[[Scene], Awaitable[None]]
STORIES: dict[str, tuple[frozenset[RouteName], Story]] = {}


def asks(*calls: RouteName) -> Callable[[Story], Story]:
    """Name the rows that a story asks."""

    def keep(story: Story) -> Story:
        STORIES[story.__name__.replace("_", " ")] = frozenset(calls), story
        return story

    return keep


@asks(RouteName.CHECK, RouteName.TIME, RouteName.VERSION)
async def the_host_itself(scene: Scene) -> None:
    check = HostCheck(scene.host, scene.routes)
    assert await check.reach() is None
    assert await check.order_version() == 2
    assert await scene.clob.server_time() == START


@asks(
    RouteName.MARKETS,
    RouteName.SIMPLIFIED_MARKETS,
    RouteName.SAMPLING_MARKETS,
    RouteName.SAMPLING_SIMPLIFIED_MARKETS,
    RouteName.MARKET,
    RouteName.MARKET_TERMS,
    RouteName.MARKET_OF_TOKEN,
    RouteName.TICK_SIZE,
    RouteName.NEG_RISK,
    RouteName.FEE_RATE,
)
async def markets_and_their_terms(scene: Scene) -> None:
    clob = scene.clob
    for call in (
        RouteName.MARKETS,
        RouteName.SIMPLIFIED_MARKETS,
        RouteName.SAMPLING_MARKETS,
        RouteName.SAMPLING_SIMPLIFIED_MARKETS,
    ):
        listed = good(await collect(clob.all_listed_markets(call)))
        assert [market.condition_id for market in listed] == [RAINY, SNOWY]
    assert good(await clob.listed_market(RAINY)).token_ids == (YES, NO)
    terms = good(await clob.market_terms(SNOWY))
    assert (terms.neg_risk, terms.tick_size, terms.min_order_size) == (True, CENT, 5 * SHARE)
    assert good(await clob.market_of_token(NO)).token_ids == (YES, NO)
    assert await clob.tick_size(YES) == CENT
    assert await clob.neg_risk(YES) is False
    assert await clob.neg_risk(TokenId(SNOW_YES)) is True
    assert await clob.fee_rate(YES) == 1_000
    assert refusal(await clob.tick_size(TokenId("7"))) is FailureKind.NOT_FOUND


@asks(
    RouteName.BOOK,
    RouteName.BOOKS,
    RouteName.PRICE,
    RouteName.PRICES,
    RouteName.MIDPOINT,
    RouteName.MIDPOINTS,
    RouteName.SPREAD,
    RouteName.SPREADS,
)
async def books_and_prices(scene: Scene) -> None:
    await scene.ann.rest(BUY, "0.40", "20")
    await scene.ann.rest(BUY, "0.50", "10", token=RAIN_NO)
    clob = scene.clob
    book = good(await clob.book(YES))
    assert [len(book.bids), len(book.asks)] == [1, 1]
    assert {one.token_id for one in good(await clob.books([YES, NO]))} == {YES, NO}
    assert await clob.price(YES, BUY) == 40 * CENT
    both = {YES: {BUY: 40 * CENT}, NO: {Side.SELL: 60 * CENT}}
    assert await clob.prices([(YES, BUY), (NO, Side.SELL)]) == both
    assert await clob.midpoint(YES) == 45 * CENT
    assert await clob.midpoints([YES, NO]) == {YES: 45 * CENT, NO: 55 * CENT}
    assert await clob.spread(YES) == 10 * CENT
    assert await clob.spreads([YES, NO]) == {YES: 10 * CENT, NO: 10 * CENT}
    assert refusal(await clob.book(TokenId("7"))) is FailureKind.NOT_FOUND


@asks(
    RouteName.LAST_TRADE,
    RouteName.LAST_TRADES,
    RouteName.PRICES_HISTORY,
    RouteName.PRICES_HISTORIES,
)
async def what_was_traded_in_public(scene: Scene) -> None:
    await scene.trade()
    clob, histories = scene.clob, HistoryClient(scene.host, scene.routes)
    last = good(await clob.last_trade(NO))
    assert (last.price, last.side) == (60 * CENT, BUY)
    assert good(await clob.last_trades([NO]))[NO] == last
    assert good(await clob.prices_history(YES, Interval.DAY))
    found = good(await histories.histories([YES, NO], Interval.DAY, fidelity_minutes=30))
    assert all(found[token] for token in (YES, NO))
    assert good(await histories.between(YES, START.replace(hour=0), START))


@asks(RouteName.CREATE_KEY, RouteName.DERIVE_KEY, RouteName.API_KEYS, RouteName.CLOSED_ONLY)
async def the_key_that_trades(scene: Scene) -> None:
    cid = Person(scene.ann.running, scene.ann.http, key=2)
    made = await scene.log_in(cid)
    again = await scene.log_in(cid)
    assert again.key == made.key
    account = scene.account_with(made, cid)
    assert await account.api_keys() == (made.key,)
    assert await account.is_closed_only() is False


@asks(RouteName.READONLY_KEYS)
async def keys_that_only_read(scene: Scene) -> None:
    keys = KeysClient(scene.account.requests)
    assert await keys.readonly_keys() == ()
    made = (await scene.ann.call("POST", "/auth/readonly-api-key")).json()["apiKey"]
    assert await keys.readonly_keys() == (made,)


@asks(
    RouteName.CREATE_BUILDER_KEY,
    RouteName.BUILDER_KEYS,
    RouteName.REVOKE_BUILDER_KEY,
    RouteName.BUILDER_FEES,
)
async def keys_of_a_builder(scene: Scene) -> None:
    keys = KeysClient(scene.account.requests)
    made = good(await keys.create_builder_key())
    assert [key.key for key in good(await keys.builder_keys())] == [made.key.key]
    code = made.key.code
    assert code is not None
    assert await keys.builder_fees(code) == BuilderFees(0, 0)
    name = made.key.key
    assert await keys.revoke_builder_key(name, credentials=made.credentials) is None
    assert [key.is_revoked for key in good(await keys.builder_keys())] == [True]
    assert refusal(await keys.builder_fees(NO_BUILDER)) is FailureKind.NOT_FOUND


@asks(RouteName.BALANCE, RouteName.REFRESH_BALANCE)
async def what_the_wallet_holds(scene: Scene) -> None:
    await scene.trade()
    account = scene.account
    assert good(await account.balance()).balance == 998 * SHARE
    assert await account.refresh_balance(YES) is None
    assert good(await account.balance(YES)).balance == 5 * SHARE


@asks(
    RouteName.POST_ORDER,
    RouteName.POST_ORDERS,
    RouteName.ORDER,
    RouteName.OPEN_ORDERS,
    RouteName.CANCEL,
    RouteName.CANCEL_MANY,
    RouteName.CANCEL_MARKET,
    RouteName.CANCEL_ALL,
)
async def orders_from_posting_to_cancelling(scene: Scene) -> None:
    account = scene.account
    posted = good(await account.post_order(scene.order("0.40")))
    assert posted.status is PostStatus.LIVE
    many = [scene.order(price) for price in ("0.01", "0.02", "0.03", "0.04")]
    legs = good(await account.post_orders([*many, scene.order("0.05", token=NO)]))
    first, *rest = (leg.order_id for leg in (posted, *legs))
    assert first is not None
    order = good(await account.order(first))
    assert order is not None
    assert (order.price, order.original_size) == (40 * CENT, 20 * SHARE)
    assert {one.order_id for one in good(await account.open_orders()).items} == {first, *rest}
    assert good(await account.cancel((first,))).canceled == (first,)
    ids = [order_id for order_id in rest if order_id is not None]
    unknown = OrderId("0x" + "00" * 32)
    result = good(await account.cancel((*ids[:2], unknown)))
    assert result.canceled == tuple(ids[:2])
    assert [order_id for order_id, _ in result.not_canceled] == [unknown]
    of_token = await account.cancel_market(condition_id=None, token_id=NO)
    assert good(of_token).canceled == (ids[4],)
    assert set(good(await account.cancel_all()).canceled) == set(ids[2:4])
    assert good(await account.open_orders()) == Listing(())
    assert refusal(await account.post_order(scene.order("0.40", "50000"))) is FailureKind.REFUSED


@asks(RouteName.TRADES)
async def own_fills(scene: Scene) -> None:
    order_id = await scene.trade()
    (fill,) = good(await scene.account.fills()).items
    assert (fill.order_id, fill.token_id, fill.liquidity) == (order_id, YES, Liquidity.MAKER)
    assert (fill.price, fill.size) == (40 * CENT, 5 * SHARE)
    walked = scene.account.walk_fills(after=START, before=START, condition_id=RAINY)
    assert good(await collect(walked)) == (fill,)


@asks(RouteName.HEARTBEAT)
async def a_chain_of_heartbeats(scene: Scene) -> None:
    heart = HeartbeatClient(scene.account.requests)
    assert good(await heart.beat()) != good(await heart.beat())
    # One that has lost the chain is told where it is, and goes on from there.
    assert good(await HeartbeatClient(scene.account.requests).beat())


@asks(RouteName.NOTICES, RouteName.DROP_NOTICES)
async def notices_are_read_and_dropped(scene: Scene) -> None:
    order_id = await scene.ann.rest(BUY, "0.40", "20")
    good(await scene.account.cancel_all())
    notices = NotificationsClient(scene.account.requests)
    (told,) = good(await notices.notices()).items
    assert told.kind is NoticeKind.CANCELLATION
    assert told.order is not None
    assert told.order.order_id == order_id
    assert await notices.drop([told.notice_id]) is None
    assert good(await notices.notices()).items == ()


@asks(
    RouteName.SCORING,
    RouteName.SCORINGS,
    RouteName.EARNINGS,
    RouteName.TOTAL_EARNINGS,
    RouteName.REWARD_PERCENTAGES,
    RouteName.MARKET_EARNINGS,
)
async def what_resting_orders_earn(scene: Scene) -> None:
    near = await scene.ann.rest(BUY, "0.49", "100")
    await scene.ann.rest(BUY, "0.49", "100", token=RAIN_NO)
    far = await scene.ann.rest(BUY, "0.10", "100")
    earnings = EarningsClient(scene.account.requests)
    assert await earnings.is_scoring(near) is True
    assert await earnings.are_scoring([near, far]) == {near: True, far: False}
    assert await earnings.percentages() == {RAINY: 100 * SHARE}
    scene.ann.pass_time(60)
    (row,) = good(await earnings.earnings(TODAY))
    assert (row.condition_id, row.maker, row.paid.earnings) == (RAINY, scene.ann.wallet, 3_472)
    assert [total.paid.earnings for total in good(await earnings.total_earnings(TODAY))] == [3_472]
    markets = good(await collect(earnings.walk_markets(TODAY)))
    earned = {market.condition_id: sum(p.earnings for p in market.earned) for market in markets}
    assert earned == {RAINY: 3_472, SNOWY: 0}


@asks(RouteName.REWARDS, RouteName.MARKET_REWARDS, RouteName.REWARD_SEARCH, RouteName.REBATES)
async def what_makers_are_offered_and_get_back(scene: Scene) -> None:
    await scene.trade()
    rewards = RewardsClient(scene.host, scene.routes)
    assert [one.condition_id for one in good(await collect(rewards.walk_rewards()))] == [
        RAINY,
        SNOWY,
    ]
    (rain,) = good(await rewards.of_market(RAINY))
    assert [program.rate_per_day for program in rain.programs] == [5 * SHARE]
    assert len(good(await collect(rewards.search()))) == 2
    (rebate,) = good(await rewards.rebates(TODAY, scene.ann.wallet))
    # A quarter of the taker's fee of 0.048.
    assert (rebate.condition_id, rebate.amount) == (RAINY, 12_000)


def test_every_row_belongs_to_one_story() -> None:
    told = [call for calls, _ in STORIES.values() for call in calls]
    assert len(told) == len(set(told))
    assert set(told) == set(RouteName)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("story", STORIES)
async def test_the_venue_answers_every_row(
    story: str, dialect: Dialect, ann: Person, bob: Person
) -> None:
    calls, tell = STORIES[story]
    async with scene_of(dialect, ann, bob) as scene:
        await tell(scene)
        missing = {call for call in calls if scene.routes.route(call).label not in scene.answered}
    assert not missing
