"""The write side: what a trader can ask for. Every call returns at once."""

from collections.abc import Iterable

from pmtui.domain.conditionals.conditional import Attachment
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.orders.order import (
    CancelVerdict,
    MoveVerdict,
    Order,
    OrderIntent,
    Rejected,
    Verdict,
)
from pmtui.service.account.account import AccountFeed
from pmtui.service.account.maker_stats import EarnedFeed
from pmtui.service.account.onboarding import OnboardingFeed
from pmtui.service.books.books import BooksFeed
from pmtui.service.conditional_commands import ServiceConditionalCommands
from pmtui.service.conditionals.conditionals import Conditionals
from pmtui.service.log import Log
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.markets.prices import HistoryFeed
from pmtui.service.orders.desk import Desk
from pmtui.service.safety.safeguards import Safeguards
from pmtui.service.safety_commands import ServiceSafetyCommands
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    HistoryTopic,
    MarketListTopic,
    OnboardingTopic,
    RewardsTopic,
    StatusTopic,
    Topic,
    WatchlistTopic,
)
from pmtui.service.watch.watchlist import Watchlist
from pmtui.service.watch_commands import ServiceWatchCommands


class ServiceCommands(ServiceSafetyCommands, ServiceConditionalCommands, ServiceWatchCommands):
    """Passes each wish to the part that owns it."""

    def __init__(  # noqa: PLR0913 - everything that has wishes to carry out
        self,
        *,
        desk: Desk,
        safeguards: Safeguards,
        conditionals: Conditionals,
        log: Log,
        metadata: MetadataFeed,
        books: BooksFeed,
        history: HistoryFeed,
        account: AccountFeed,
        onboarding: OnboardingFeed,
        earned: EarnedFeed,
        watchlist: Watchlist,
    ) -> None:
        self._desk = desk
        ServiceSafetyCommands.__init__(self, safeguards)
        ServiceConditionalCommands.__init__(self, conditionals)
        ServiceWatchCommands.__init__(self, watchlist)
        self._log = log
        self._metadata = metadata
        self._books = books
        self._history = history
        self._account = account
        self._onboarding = onboarding
        self._earned = earned

    def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        """Fix amounts, salt and time of an order."""
        return self._desk.prepare(intent, replacing=replacing)

    def prepare_many(self, intents: Iterable[OrderIntent]) -> tuple[PreparedOrder | Rejected, ...]:
        """Fix amounts, salt and time of several orders."""
        return self._desk.prepare_many(intents)

    def place(
        self,
        order: PreparedOrder,
        *,
        override: str = "",
        attached: Attachment | None = None,
        is_single_key: bool = False,
    ) -> CommandId:
        """Journal, sign and send a prepared order, with what is to protect the shares it brings."""
        refusal = self._conditionals.attach(order, attached) if attached is not None else ""
        return self._desk.place(
            order, override=override, refusal=refusal, is_single_key=is_single_key
        )

    def place_many(self, orders: Iterable[PreparedOrder]) -> CommandId:
        """Journal, sign and send prepared orders in one request."""
        return self._desk.place_many(tuple(orders))

    def move(self, order_id: OrderId, replacement: PreparedOrder) -> CommandId:
        """Cancel an order and put another in its place."""
        self._conditionals.follow_move(order_id, replacement.unsigned.order_id)
        return self._desk.move(order_id, replacement)

    def flatten(
        self,
        order: PreparedOrder,
        in_the_way: Iterable[Order],
        *,
        override: str = "",
        is_single_key: bool = False,
    ) -> CommandId:
        """Cancel own orders in the way of a sale, and sell."""
        return self._desk.flatten(
            order,
            tuple(in_the_way),
            override=override,
            is_single_key=is_single_key,
            last_word=self._desk.why_meets_own,
        )

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait until something can be said of every order of a batch."""
        return await self._desk.batch_verdict(command_id)

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait until it is known how a move ended."""
        return await self._desk.move_verdict(command_id)

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait until it is known how a placed order ended."""
        return await self._desk.verdict(command_id)

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders."""
        return self._desk.cancel(tuple(order_ids))

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel own orders of a market, or of one of its tokens."""
        return self._desk.cancel_market(condition_id, token_id)

    def cancel_all(self) -> CommandId:
        """Cancel every open order."""
        return self._desk.cancel_all()

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait until it is known how a cancellation ended."""
        return await self._desk.cancel_verdict(command_id)

    def load_more(self, topic: MarketListTopic) -> None:
        """Fetch the next page of a list."""
        self._metadata.fetch_list(topic, from_start=False)

    def refresh(self, topic: Topic) -> None:
        """Fetch a topic anew."""
        match topic:
            case BookTopic():
                self._books.resync(topic.token_id)
            case HistoryTopic():
                self._history.refresh(topic)
            case AccountTopic() | StatusTopic():
                self._account.refresh()
            case OnboardingTopic():
                self._onboarding.refresh()
            case RewardsTopic():
                self._earned.refresh()
            case WatchlistTopic():
                self._watchlist.refresh()
            case _:
                self._metadata.refresh(topic)

    def mark_log_read(self, sequence: int) -> None:
        """Count everything up to this entry as read."""
        self._log.mark_read(sequence)
