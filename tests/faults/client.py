"""`python -m tests.faults.client PLAN`: the service without a screen, trading until it is killed.

PLAN is a JSON object. With `"orders": 0` it only finds out what became of everything, says so in
one line of JSON, and ends.
"""

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any

from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.flattening import FlattenPlan, plan_flatten
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.moving import plan_move
from pmtui.domain.order import LimitIntent, OrderStatus, TimeInForce
from pmtui.domain.signature_type import SignatureType
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.hosts import Hosts
from pmtui.service.journal import Journal
from pmtui.service.profile import Profile
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import BookTopic, MarketTopic, Topic
from pmtui.service.tuning import Tuning
from pmtui.service.views import Load, Mode
from pmtui.signing.secret import Secret

RULED_OUT_AFTER_S = 4.0
POST_DEADLINE_S = 2
SHARE = 1_000_000
CENT = 10_000
_TIMES = (TimeInForce.GTC, TimeInForce.GTC, TimeInForce.GTC, TimeInForce.FAK, TimeInForce.FOK)


class Client:
    """One life of a trader's program."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._rng = random.Random(plan["seed"])
        self._condition = ConditionId(plan["condition"])
        self._tokens = tuple(TokenId(token) for token in plan["tokens"])
        self.service = DataService(
            profile=Profile("faults", Mode.LIVE),
            connect=self._connect,
            clock=SystemClock(),
            journal=Journal(Path(plan["home"]) / "journal.sqlite"),
            rng=random.Random(plan["seed"]),
            tuning=Tuning(post_deadline_s=POST_DEADLINE_S, ruled_out_after_s=RULED_OUT_AFTER_S),
        )

    async def run(self) -> None:
        async with self.service.running():
            topics: list[Topic] = [MarketTopic(self._condition), *map(BookTopic, self._tokens)]
            self.service.hub.subscribe(topics, lambda _: None)
            await self._until_ready()
            print("ready", flush=True)
            if self._plan["orders"]:
                await self._trade(self._plan["orders"])
            else:
                await self._until_settled()
                print(json.dumps(self._report()), flush=True)

    async def _connect(self, health: Health) -> Hosts | str:
        hosts = SessionHosts(
            Endpoints(**self._plan["urls"]),
            Dialect.SEED,
            health=health,
            clock=SystemClock(),
            order_deadline_s=POST_DEADLINE_S,
        )
        return hosts.hosts(Secret.from_hex(self._plan["key"]), SignatureType.DEPOSIT_WALLET)

    async def _until_ready(self) -> None:
        queries = self.service.queries
        while queries.account().load is not Load.READY or not queries.market(self._condition).terms:
            await self._turn()

    async def _trade(self, count: int) -> None:
        async with asyncio.TaskGroup() as flights:
            for _ in range(count):
                _ = flights.create_task(self._act())
                if self._rng.randrange(3) == 0:
                    self._cancel()
                await self._turn(self._rng.uniform(0, 0.08))

    async def _turn(self, seconds: float = 0.02) -> None:
        """Let the service work; its subscribers are not told of everything waited for here."""
        await asyncio.sleep(seconds)

    async def _act(self) -> None:
        match self._rng.randrange(12):
            case 0:
                await self._place_many()
            case 1 | 2:
                await self._move()
            case 3:
                await self._flatten()
            case _:
                await self._place()

    async def _place_many(self) -> None:
        commands = self.service.commands
        token = self._rng.choice(self._tokens)
        prices = self._rng.sample(range(35, 65), self._rng.randrange(2, 5))
        intents = [
            LimitIntent(
                condition_id=self._condition,
                token_id=token,
                side=Side.BUY,
                price=Micros(price * CENT),
                size=Micros(self._rng.randrange(5, 15) * SHARE),
            )
            for price in prices
        ]
        legs = [leg for leg in commands.prepare_many(intents) if isinstance(leg, PreparedOrder)]
        await commands.batch_verdict(commands.place_many(legs))

    async def _move(self) -> None:
        """Move an order that rests to another price; the old one is never live beside the new."""
        queries, commands = self.service.queries, self.service.commands
        terms = queries.market(self._condition).terms
        resting = queries.account().open_orders
        if terms is None or not resting:
            return
        old = self._rng.choice(resting)
        price = Micros(self._rng.randrange(35, 65) * CENT)
        intent = plan_move(old, price, terms=terms, now=queries.now(), available_cash=None)
        if isinstance(intent, LimitIntent):
            order = commands.prepare(intent)
            if isinstance(order, PreparedOrder):
                await commands.move_verdict(commands.move(old.order_id, order))

    async def _flatten(self) -> None:
        queries, commands = self.service.queries, self.service.commands
        terms, token = queries.market(self._condition).terms, self._rng.choice(self._tokens)
        account = queries.account()
        held = account.held(token)
        if terms is None:
            return
        plan = plan_flatten(
            held=held, orders=account.open_orders, book=queries.book(token), terms=terms
        )
        if isinstance(plan, FlattenPlan):
            order = commands.prepare(plan.intent)
            if isinstance(order, PreparedOrder):
                await commands.verdict(commands.flatten(order, plan.in_the_way))

    async def _place(self) -> None:
        token = self._rng.choice(self._tokens)
        size = self._rng.randrange(5, 30) * SHARE
        sellable = self.service.queries.account().sellable(token)
        is_sale = sellable >= size and self._rng.randrange(3) == 0
        order = self.service.commands.prepare(
            LimitIntent(
                condition_id=self._condition,
                token_id=token,
                side=Side.SELL if is_sale else Side.BUY,
                price=Micros(self._rng.randrange(35, 65) * CENT),
                size=Micros(size),
                time_in_force=self._rng.choice(_TIMES),
            )
        )
        if isinstance(order, PreparedOrder):
            await self.service.commands.verdict(self.service.commands.place(order))

    def _cancel(self) -> None:
        orders = self.service.queries.account().open_orders
        if orders and self._rng.randrange(12) == 0:
            self.service.commands.cancel_all()
        elif orders:
            self.service.commands.cancel([self._rng.choice(orders).order_id])

    async def _until_settled(self) -> None:
        doubtful = {OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN}
        while any(o.status in doubtful for o in self.service.queries.account().open_orders):
            await self._turn()
        # What rests no longer is asked after when the list of open orders does not hold it.
        await self.service._account.fetch_now()
        await self.service._account.fetch_now()

    def _report(self) -> dict[str, Any]:
        account = self.service.queries.account()
        return {
            "balance": account.balance,
            "open": {o.order_id: o.matched_size for o in account.open_orders},
            "fills": [
                [
                    f.order_id,
                    f.trade_id,
                    f.side.value,
                    f.token_id,
                    f.size,
                    f.price,
                    f.fee,
                    f.liquidity.value,
                ]
                for f in account.fills
            ],
        }


if __name__ == "__main__":
    asyncio.run(Client(json.loads(Path(sys.argv[1]).read_bytes())).run())
