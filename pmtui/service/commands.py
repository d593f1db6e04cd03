"""The write side: passes each command to the part that executes it, without waiting for a host."""

from collections.abc import Iterable

from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.conditionals.alerts import AlertId, AlertPlan
from pmtui.domain.conditionals.conditional import (
    Attachment,
    ConditionalId,
    ConditionalPlan,
    Trigger,
)
from pmtui.domain.formats import ellipsize
from pmtui.domain.ids import Address, CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    CancelVerdict,
    MoveVerdict,
    Order,
    OrderIntent,
    Rejected,
    Verdict,
)
from pmtui.service.clock import Moment
from pmtui.service.orders.preparing import PreparedOrders
from pmtui.service.parts import Parts
from pmtui.service.safety.arming import Arming
from pmtui.service.surface import PreparedOrder, WalletVerdict
from pmtui.service.topics import (
    AccountTopic,
    ActivityTopic,
    BookTopic,
    FillsTopic,
    HistoryTopic,
    MarketListTopic,
    OnboardingTopic,
    RewardsTopic,
    StatusTopic,
    Topic,
    WalletTopic,
    WatchlistTopic,
)
from pmtui.service.views import Level
from pmtui.service.wallet.wallet_views import PreparedId, WalletCard

_LONGEST_REFUSAL = 200


class ServiceCommands:
    """The commands of one terminal."""

    def __init__(
        self, parts: Parts, prepared: PreparedOrders, arming: Arming, given: Moment | None = None
    ) -> None:
        """Give commands for one terminal.

        Args:
            parts: carry them out.
            prepared: the orders that may be sent.
            arming: of the terminal.
            given: when the trader gave a command in another process; None for one that is given now.
        """
        self._given = given
        self._parts = parts
        self._desk = parts.orders.desk
        self._prepared = prepared
        self._arming = arming
        self._conditionals = parts.orders.conditionals
        self._safeguards = parts.safeguards
        self._watchlist = parts.watchlist

    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        """Fix amounts, salt and time of an order, and keep it for a minute."""
        order = self._desk.prepare(intent, replacing=replacing)
        if isinstance(order, PreparedOrder):
            self._prepared.keep(order)
        return order

    async def prepare_many(
        self, intents: Iterable[OrderIntent]
    ) -> tuple[PreparedOrder | Rejected, ...]:
        """Fix amounts, salt and time of several orders, and keep them for a minute."""
        legs = self._desk.prepare_many(intents)
        for leg in legs:
            if isinstance(leg, PreparedOrder):
                self._prepared.keep(leg)
        return legs

    def place(
        self,
        order_id: OrderId,
        *,
        override: str = "",
        attached: Attachment | None = None,
        is_single_key: bool = False,
    ) -> CommandId:
        """Journal, sign and send a prepared order, with the stop and target for its shares."""
        order = self._prepared.find(order_id)
        if isinstance(order, Rejected):
            return self._desk.reject(order)
        refusal = self._conditionals.attach(order, attached) if attached is not None else ""
        return self._desk.place(
            order, override=override, refusal=refusal, is_single_key=is_single_key,
            given=self._given,
        )  # fmt: skip

    def place_many(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Journal, sign and send prepared orders in one request."""
        order_ids = tuple(order_ids)
        orders = self._prepared.find_all(order_ids)
        if isinstance(orders, Rejected):
            return self._desk.reject(orders, count=len(order_ids))
        return self._desk.place_many(orders, given=self._given)

    def move(self, order_id: OrderId, replacement_id: OrderId) -> CommandId:
        """Cancel an order and replace it by another."""
        replacement = self._prepared.find(replacement_id)
        if isinstance(replacement, Rejected):
            return self._desk.reject_move(replacement)
        self._conditionals.follow_move(order_id, replacement_id)
        return self._desk.move(order_id, replacement, given=self._given)

    def flatten(
        self,
        order_id: OrderId,
        in_the_way: Iterable[Order],
        *,
        override: str = "",
        is_single_key: bool = False,
    ) -> CommandId:
        """Cancel own orders in the way of a sale, then sell."""
        order = self._prepared.find(order_id)
        if isinstance(order, Rejected):
            return self._desk.reject(order)
        return self._desk.flatten(
            order,
            tuple(in_the_way),
            override=override,
            is_single_key=is_single_key,
            veto=self._desk.why_self_trade,
            given=self._given,
        )

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait for a verdict on every order of a batch."""
        return await self._desk.batch_verdict(command_id)

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait for the verdict of a move."""
        return await self._desk.move_verdict(command_id)

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait for the verdict of a placed order."""
        return await self._desk.verdict(command_id)

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders."""
        return self._desk.cancel(tuple(order_ids))

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders in a market, or in one of its tokens."""
        return self._desk.cancel_market(condition_id, token_id)

    def cancel_all(self) -> CommandId:
        """Cancel every open order."""
        return self._desk.cancel_all()

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait for the verdict of a cancellation."""
        return await self._desk.cancel_verdict(command_id)

    def load_more(self, topic: MarketListTopic) -> None:
        """Fetch the next page of a list."""
        self._parts.markets.metadata.fetch_list(topic, from_start=False)

    def refresh(self, topic: Topic) -> None:
        """Fetch a topic again."""
        match topic:
            case BookTopic():
                self._parts.markets.books.resync(topic.token_id)
            case HistoryTopic():
                self._parts.markets.history.refresh(topic)
            case AccountTopic() | FillsTopic() | ActivityTopic() | StatusTopic():
                self._parts.account.feed.refresh()
                if isinstance(topic, ActivityTopic):
                    self._parts.account.feed.refresh_history()
            case OnboardingTopic():
                self._parts.onboarding.refresh()
            case WalletTopic():
                self._parts.wallet.refresh()
            case RewardsTopic():
                self._parts.account.maker_stats.earned.refresh()
            case WatchlistTopic():
                self._watchlist.refresh()
            case _:
                self._parts.markets.metadata.refresh(topic)

    def mark_log_read(self, sequence: int) -> None:
        """Mark everything up to this entry as read."""
        self._parts.kernel.log.mark_read(sequence)

    async def name_address(self, address: str, name: str) -> str:
        """Name an address for sending."""
        return await self._parts.address_book.name(address, name)

    async def check_address(self, address: str) -> str:
        """Check an address and its checksum; return what is wrong, or "" if it is valid."""
        return self._parts.address_book.why_mistyped(address)

    async def forget_address(self, address: Address) -> str:
        """Remove the name of an address."""
        return await self._parts.address_book.forget(address)

    async def prepare_wallet(self, step: WalletStep) -> WalletCard | Rejected:
        """Fix everything that is signed for a wallet step, and keep it for a minute."""
        return await self._parts.wallet.prepare(step)

    async def submit_wallet(self, prepared_id: PreparedId) -> WalletVerdict:
        """Submit a prepared step once, and wait for its result."""
        return await self._parts.wallet.submit(prepared_id)

    async def take_relayer_key(self, key: PastedKey) -> str:
        """Store a relayer key supplied by the trader; return why not, or "" on success."""
        return await self._parts.wallet.take_relayer_key(key)

    def stop_following(self, key: TransactionKey) -> None:
        """Stop checking a wallet transaction."""
        self._parts.wallet.stop_following(key)

    def follow_again(self, key: TransactionKey) -> None:
        """Resume checking a wallet transaction."""
        self._parts.wallet.follow_again(key)

    async def arm(self) -> str:
        """Arm single keys; return why that is refused, or "" on success."""
        return self._arming.arm()

    def disarm(self, reason: str) -> None:
        """Disarm single keys."""
        self._arming.disarm(reason)

    def touch_arming(self) -> None:
        """Restart the idle time of single keys."""
        self._arming.touch()

    def log_refusal(self, reason: str) -> None:
        """Log why a single key sent nothing."""
        text = f"Single key: {ellipsize(reason, _LONGEST_REFUSAL)}"
        self._parts.kernel.log.add(Level.INFO, "order", text)

    async def kill(self) -> str:
        """Cancel everything, disarm, and lock entry until it is released."""
        return self._safeguards.kill_switch.kill("K in the terminal")

    async def unlock_entry(self) -> str:
        """Release the lock of entry; returns why that failed, or an empty string."""
        return self._safeguards.kill_switch.release("K in the terminal")

    async def protect(self, plan: ConditionalPlan) -> str:
        """Start monitoring a plan; return why not, or "" on success."""
        return self._conditionals.add(plan)

    async def start_conditional(self, conditional_id: ConditionalId) -> str:
        """Resume a paused conditional order; return why not, or "" on success."""
        return self._conditionals.start(conditional_id)

    async def move_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger, price: Micros
    ) -> str:
        """Change a conditional order's trigger price; return why not, or "" on success."""
        return self._conditionals.move(conditional_id, trigger, price)

    async def pause_conditional(self, conditional_id: ConditionalId) -> str:
        """Pause a conditional order."""
        self._conditionals.pause(conditional_id, "by you")
        return ""

    async def cancel_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger | None = None
    ) -> str:
        """Cancel a conditional order, or one of a pair's two prices."""
        self._conditionals.cancel(conditional_id, trigger)
        return ""

    async def star(self, key: StarKey, title: str) -> str:
        """Star an item; return why not, or "" on success."""
        return self._watchlist.star(key, title)

    async def unstar(self, key: StarKey) -> str:
        """Remove an item from the watchlist."""
        self._watchlist.unstar(key)
        return ""

    async def add_alert(self, plan: AlertPlan) -> str:
        """Add a price alert; return why not, or "" on success."""
        return self._watchlist.alerts.add(plan)

    async def remove_alert(self, alert_id: AlertId) -> str:
        """Remove a price alert."""
        self._watchlist.alerts.remove(alert_id)
        return ""
