"""`python -m tests.faults.client PLAN`: the service without a screen, trading until it is killed.

PLAN is a JSON object. Lines on standard input ask for what it knows; each is answered by one line
of JSON:

- `peek ID ...`: what is held, and how these orders stand, at once.
- `check`: stop trading, find out what became of everything, and report it.
- `explain TOKEN`: what the figure of its shares is made of.
- `go`: trade on.
- `end`: as `check`, then end.
"""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path
from types import CoroutineType
from typing import Any

from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.conditionals.conditional import ConditionalPlan
from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.flattening import FlattenPlan, plan_flatten
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.moving import plan_move
from pmtui.domain.orders.order import LimitIntent, OrderStatus, TimeInForce
from pmtui.link.connection import ServiceConnection
from pmtui.link.local_socket import bind
from pmtui.link.messages import Configure, Configured, Unlock
from pmtui.link.mirror import Mirror, MirrorQueries
from pmtui.link.remote_commands import RemoteCommands
from pmtui.link.server import HostProcess, LinkServer
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile, Tuning
from pmtui.service.surface import Commands, PreparedOrder, Queries
from pmtui.service.topics import BookTopic, MarketTopic, Topic
from pmtui.service.views import Load, Mode
from pmtui.signing.secret import Secret
from tests.faults.jumping_clock import JumpingClock

RULED_OUT_AFTER_S = 4.0
POST_DEADLINE_S = 2
SETTLES_WITHIN_S = 120
"""On a good line whatever is in doubt is known long before."""
SHARE = 1_000_000
CENT = 10_000
CUT_EVERY_S = (0.2, 3.0)
"""Between two cuts of the line to the service."""
_MOVABLE = frozenset({OrderStatus.LIVE, OrderStatus.PARTIALLY_FILLED})
_TIMES = (TimeInForce.GTC, TimeInForce.GTC, TimeInForce.GTC, TimeInForce.FAK, TimeInForce.FOK)


async def _nothing_is_locked(_: Unlock) -> str:
    return "nothing is locked"


async def _no_settings(_: Configure) -> Configured:
    return Configured(problem="none are read")


_HOST_PROCESS = HostProcess(
    profile="faults", now=SystemClock().now, memory_bytes=lambda: 0, unlock=_nothing_is_locked,
    stop=lambda _: "it goes on", configure=_no_settings,
)  # fmt: skip


class Client:
    """One life of a trader's program."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._rng = random.Random(plan["seed"])
        self._clock = JumpingClock(random.Random(plan["seed"] + 1))
        self._markets = {
            TokenId(token): ConditionId(condition)
            for condition, tokens in plan["markets"].items()
            for token in tokens
        }
        self._conditions = tuple(dict.fromkeys(self._markets.values()))
        self._tokens = tuple(self._markets)
        self._goes_on = asyncio.Event()
        self._goes_on.set()
        self._flights: set[asyncio.Task[None]] = set()
        self.service = DataService(
            profile=Profile("faults", Mode.LIVE),
            connect=self._connect,
            clock=self._clock,
            journal=Journal(Path(plan["home"]) / "journal.sqlite"),
            rng=random.Random(plan["seed"]),
            tuning=Tuning(
                post_deadline_s=POST_DEADLINE_S,
                ruled_out_after_s=RULED_OUT_AFTER_S,
                heartbeat=HeartbeatPolicy.ON if plan["heartbeats"] else HeartbeatPolicy.OFF,
            ),
        )

        self._queries: Queries = self.service.queries
        self._commands: Commands = self.service.commands
        """Of the terminal that trades: the service's own, or those over a socket."""

    async def run(self) -> None:
        """Trade, and answer what is asked, until killed or told to end."""
        async with self.service.running(), self._attached():
            topics: list[Topic] = [
                *map(MarketTopic, self._conditions),
                *map(BookTopic, self._tokens),
            ]
            self.service.hub.subscribe(topics, lambda _: None)
            await self._until_ready()
            print("ready", flush=True)
            if not self._plan["trades"]:
                self._goes_on.clear()
            asked = await _standard_input()
            async with asyncio.TaskGroup() as tasks:
                trading = tasks.create_task(self._trade())
                while line := (await asked.readline()).decode().split():
                    await self._answer(line[0], [OrderId(each) for each in line[1:]])
                    if line[0] == "end":
                        break
                trading.cancel()

    @asynccontextmanager
    async def _attached(self) -> AsyncIterator[None]:
        """Trade over a socket that is cut now and then, where the plan says so."""
        if not self._plan["is_attached"]:
            yield
            return
        server = LinkServer(self.service, _HOST_PROCESS)
        socket_path = Path(self._plan["home"]) / "s"
        server.listen(bind(socket_path))
        mirror, clock = Mirror(self.service.queries.status()), SystemClock()
        line = ServiceConnection(socket_path, mirror, clock)
        self._queries = MirrorQueries(mirror, clock)
        self._commands = RemoteCommands(line, mirror, clock, lock=lambda: "")
        topics: list[Topic] = [
            *map(MarketTopic, self._conditions),
            *map(BookTopic, self._tokens),
        ]
        _ = mirror.subscribe(topics, lambda _: None)
        async with asyncio.TaskGroup() as tasks:
            work = [tasks.create_task(line.run()), tasks.create_task(self._cut(line))]
            yield
            await line.close()
            for task in work:
                task.cancel()
        await server.close("the life is over")

    async def _cut(self, line: ServiceConnection) -> None:
        """Cut the line at any moment; it comes back by itself."""
        while True:
            await asyncio.sleep(self._rng.uniform(*CUT_EVERY_S))
            if line._writer is not None:
                line._writer.transport.abort()

    async def _answer(self, word: str, order_ids: list[OrderId]) -> None:
        match word:
            case "peek":
                print(json.dumps(self._peek(order_ids)), flush=True)
            case "explain":
                print(json.dumps(self._explain(TokenId(order_ids[0]))), flush=True)
            case "check" | "end":
                self._goes_on.clear()
                self._clock.error = timedelta()
                stuck = await self._until_settled()
                print(json.dumps(self._report() | {"stuck": stuck}), flush=True)
            case _:
                self._goes_on.set()

    def _explain(self, token: TokenId) -> dict[str, Any]:
        """Tell what a figure of shares is made of, for whoever finds it wrong."""
        feed = self.service.parts.account.feed
        model = feed.holdings._tokens[token].holdings
        at = "{:%M:%S.%f}".format
        return {
            "size": model.size,
            "reports": [
                (r.source.value, r.size, at(r.time.asked), at(r.time.answered), str(r.time.error))
                for r in model._reports
            ],
            "bases": sorted(model._bases or ()),
            "counted": [
                (key[0][:8], f.size, at(f.fill.matched_at), f.fill.status.value)
                for key, f in model._fills.items()
            ],
            "contained": [(key[0][:8], size) for key, size in model._contained.items()],
        }

    def _peek(self, order_ids: list[OrderId]) -> dict[str, Any]:
        known = {each: self.service.parts.account.feed.own.order(each) for each in order_ids}
        return {
            "held": {
                token: self.service.parts.account.feed.holdings.size(token)
                for token in self._tokens
            },
            "ended": [i for i, order in known.items() if order and not order.status.is_open],
        }

    async def _connect(self, health: Health) -> Hosts | str:
        hosts = SessionHosts(
            Endpoints(**self._plan["urls"]),
            Dialect.SEED,
            health=health,
            clock=self._clock,
            order_deadline_s=POST_DEADLINE_S,
        )
        return hosts.hosts(Secret.from_hex(self._plan["key"]), SignatureType.DEPOSIT_WALLET)

    async def _until_ready(self) -> None:
        queries = self._queries
        while queries.account().load is not Load.READY or not all(
            queries.market(condition).terms for condition in self._conditions
        ):
            await self._turn()

    async def _trade(self) -> None:
        while True:
            await self._goes_on.wait()
            flight = asyncio.create_task(self._act())
            self._flights.add(flight)
            flight.add_done_callback(self._landed)
            if self._rng.randrange(3) == 0:
                self._cancel()
            if self._plan["clock_jumps"] and self._rng.randrange(40) == 0:
                self._clock.jump()
            await self._turn(self._rng.uniform(0, 0.08))

    def _landed(self, flight: asyncio.Task[None]) -> None:
        self._flights.discard(flight)
        if not flight.cancelled():
            flight.result()

    async def _turn(self, seconds: float = 0.02) -> None:
        """Let the service work; its subscribers are not told of everything waited for here."""
        await asyncio.sleep(seconds)

    async def _act(self) -> None:
        match self._rng.randrange(13):
            case 0:
                await self._place_many()
            case 1 | 2:
                await self._move()
            case 3:
                await self._flatten()
            case 4 | 5:
                await self._protect()
            case _:
                await self._place()

    async def _place_many(self) -> None:
        commands = self._commands
        token = self._rng.choice(self._tokens)
        prices = self._rng.sample(range(35, 65), self._rng.randrange(2, 5))
        intents = [
            LimitIntent(
                condition_id=self._markets[token],
                token_id=token,
                side=Side.BUY,
                price=Micros(price * CENT),
                size=Micros(self._rng.randrange(5, 15) * SHARE),
            )
            for price in prices
        ]
        legs = [
            leg for leg in await commands.prepare_many(intents) if isinstance(leg, PreparedOrder)
        ]
        await commands.batch_verdict(commands.place_many([leg.order_id for leg in legs]))

    async def _move(self) -> None:
        """Move an order that rests to another price; the old one is never live beside the new."""
        queries, commands = self._queries, self._commands
        resting = [o for o in queries.account().open_orders if o.status in _MOVABLE]
        if not resting:
            return
        old = self._rng.choice(resting)
        terms = queries.market(old.condition_id).terms
        if terms is None:
            return
        price = Micros(self._rng.randrange(35, 65) * CENT)
        intent = plan_move(old, price, terms=terms, now=queries.now(), available_cash=None)
        if isinstance(intent, LimitIntent):
            order = await commands.prepare(intent)
            if isinstance(order, PreparedOrder):
                await commands.move_verdict(commands.move(old.order_id, order.order_id))

    async def _flatten(self) -> None:
        queries, commands = self._queries, self._commands
        token = self._rng.choice(self._tokens)
        terms = queries.market(self._markets[token]).terms
        account = queries.account()
        held = account.held(token)
        if terms is None:
            return
        plan = plan_flatten(
            held=held, orders=account.open_orders, book=queries.book(token), terms=terms
        )
        if isinstance(plan, FlattenPlan):
            order = await commands.prepare(plan.intent)
            if isinstance(order, PreparedOrder):
                await commands.verdict(commands.flatten(order.order_id, plan.in_the_way))

    async def _protect(self) -> None:
        """Start what a restart has paused, or end it; then put a stop or a target near the market."""
        queries, commands = self._queries, self._commands
        for each in queries.account().paused:
            if self._rng.randrange(4) == 0 or await commands.start_conditional(each.conditional_id):
                _ = await commands.cancel_conditional(each.conditional_id)
        token = self._rng.choice(self._tokens)
        size = min(queries.account().held(token), self._rng.randrange(5, 40) * SHARE)
        bid = queries.book(token).best_bid
        if size < 5 * SHARE or bid is None:
            return
        is_stop = self._rng.randrange(3) > 0
        away = self._rng.randrange(1, 4) * CENT
        _ = await commands.protect(
            ConditionalPlan(
                condition_id=self._markets[token],
                token_id=token,
                size=Micros(size),
                stop=Micros(bid - away) if is_stop else None,
                take_profit=None if is_stop else Micros(bid + away),
            )
        )

    async def _place(self) -> None:
        token = self._rng.choice(self._tokens)
        size = self._rng.randrange(5, 30) * SHARE
        sellable = self._queries.account().sellable(token)
        is_sale = sellable >= size and self._rng.randrange(3) == 0
        order = await self._commands.prepare(
            LimitIntent(
                condition_id=self._markets[token],
                token_id=token,
                side=Side.SELL if is_sale else Side.BUY,
                price=Micros(self._rng.randrange(35, 65) * CENT),
                size=Micros(size),
                time_in_force=self._rng.choice(_TIMES),
            )
        )
        if isinstance(order, PreparedOrder):
            await self._commands.verdict(self._commands.place(order.order_id))

    def _cancel(self) -> None:
        orders = self._queries.account().open_orders
        if orders and self._rng.randrange(12) == 0:
            self._commands.cancel_all()
        elif orders:
            self._commands.cancel([self._rng.choice(orders).order_id])

    async def _until_settled(self) -> list[str]:
        """Wait until nothing is under way or in doubt; return what still is after a long time."""
        doubtful = {OrderStatus.PENDING, OrderStatus.SENT, OrderStatus.UNKNOWN}
        stuck = ["not begun"]
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLES_WITHIN_S):
                while stuck:
                    await self._turn()
                    orders = self.service.queries.account().open_orders
                    stuck = [
                        f"{o.order_id} {o.status.value}" for o in orders if o.status in doubtful
                    ]
                    stuck += [_place_of(flight) for flight in self._flights]
                await self.service.parts.account.feed.fetch_now()
        return stuck

    def _report(self) -> dict[str, Any]:
        account = self.service.queries.account()
        return {
            "held": {token: account.held(token) for token in self._tokens},
            "clock_jumps": self._clock.jumps,
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
                for f in self.service.queries.fills().fills
            ],
        }


def _place_of(flight: asyncio.Task[None]) -> str:
    """Return what a task waits for, from the outside in."""
    names: list[str] = []
    waits_for: object = flight.get_coro()
    while isinstance(waits_for, CoroutineType):
        names.append(waits_for.__qualname__)
        waits_for = waits_for.cr_await
    return " > ".join(names)


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


if __name__ == "__main__":
    asyncio.run(Client(json.loads(Path(sys.argv[1]).read_bytes())).run())
