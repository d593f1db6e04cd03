"""The write side: every command of a terminal, executed without waiting for a host.

Most commands are methods of the parts that execute them; those here need something of the terminal.
"""

from collections.abc import Iterable

from pmtui.domain.conditionals.conditional import Attachment
from pmtui.domain.formats import count, ellipsize
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.orders.cancelling import ALL_ORDERS, CancelScope
from pmtui.domain.orders.order import Order, OrderIntent, Rejected
from pmtui.service.clock import Moment
from pmtui.service.orders.preparing import PreparedOrders
from pmtui.service.parts import Parts
from pmtui.service.safety.arming import Arming
from pmtui.service.surface import PreparedOrder
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
        desk, conditionals = parts.orders.desk, parts.orders.conditionals
        wallet, address_book, watchlist = parts.wallet, parts.address_book, parts.watchlist
        self._given = given
        self._arming = arming
        self._parts = parts
        self._prepared = prepared
        self._desk = desk
        self._conditionals = conditionals
        self.verdict, self.batch_verdict = desk.verdict, desk.batch_verdict
        self.move_verdict, self.cancel_verdict = desk.move_verdict, desk.cancel_verdict
        self._arming = arming
        self.disarm, self.touch_arming = arming.disarm, arming.touch
        self.protect, self.start_conditional = conditionals.add, conditionals.start
        self.move_conditional = conditionals.move
        self.pause_conditional, self.cancel_conditional = conditionals.pause, conditionals.cancel
        self.star, self.unstar = watchlist.star, watchlist.unstar
        self.add_alert, self.remove_alert = watchlist.alerts.add, watchlist.alerts.remove
        self.prepare_wallet, self.submit_wallet = wallet.prepare, wallet.submit
        self.take_relayer_key = wallet.take_relayer_key
        self.stop_following, self.follow_again = wallet.stop_following, wallet.follow_again
        self.name_address, self.check_address = address_book.name, address_book.check
        self.forget_address = address_book.forget
        self.mark_log_read = parts.kernel.log.mark_read

    async def arm(self) -> str:
        """Arm single keys, unless they were asked for too long ago; return why not, or ""."""
        return await self._arming.arm(given=self._given)

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders."""
        order_ids = tuple(order_ids)
        self._report_cancel(len(order_ids))
        return self._desk.cancel(order_ids)

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders in a market or one token."""
        self._report_scope(CancelScope(condition_id, token_id))
        return self._desk.cancel_market(condition_id, token_id)

    def cancel_all(self) -> CommandId:
        """Cancel everything."""
        self._report_scope(ALL_ORDERS)
        return self._desk.cancel_all()

    def _report_scope(self, scope: CancelScope) -> None:
        open_orders = self._parts.account.feed.own.open_orders()
        self._report_cancel(sum(map(scope.covers, open_orders)))

    def _report_cancel(self, number: int) -> None:
        """Tell the other terminals; the one that asked shows the answer in its place."""
        terminals = self._parts.safeguards.arming
        if number and terminals.are_several:
            said = terminals.describe(f"Cancelling {count(number, 'order')}")
            self._parts.kernel.log.notice(Level.GOOD, said)

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
        after: CommandId | None = None,
    ) -> CommandId:
        """Journal, sign and send a prepared order, with the stop and target for its shares."""
        order = self._prepared.find(order_id)
        if isinstance(order, Rejected):
            return self._desk.reject(order)
        refusal = self._conditionals.attach(order, attached) if attached is not None else ""
        if after is not None and not refusal:
            return self._desk.place_after(
                order, after, override=override, is_single_key=is_single_key,
                why_unwanted=self._why_disarmed, given=self._given,
            )  # fmt: skip
        return self._desk.place(
            order, override=override, refusal=refusal, is_single_key=is_single_key,
            given=self._given,
        )  # fmt: skip

    def _why_disarmed(self) -> str:
        return "" if self._arming.is_armed else "single keys were disarmed"

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
            given=self._given,
        )

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
                self._parts.watchlist.refresh()
            case _:
                self._parts.markets.metadata.refresh(topic)

    def log_refusal(self, reason: str) -> None:
        """Log why a single key sent nothing."""
        text = f"Single key: {ellipsize(reason, _LONGEST_REFUSAL)}"
        self._parts.kernel.log.add(Level.INFO, "order", text)

    async def kill(self) -> str:
        """Cancel everything, disarm, and lock entry until it is released."""
        return self._parts.safeguards.kill_switch.kill("K in the terminal")

    async def unlock_entry(self) -> str:
        """Release the lock of entry; returns why that failed, or an empty string."""
        return self._parts.safeguards.kill_switch.release("K in the terminal")
