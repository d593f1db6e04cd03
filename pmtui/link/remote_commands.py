"""The write side of an attached terminal: every command goes to the service with an id made here.

Without an answer from the service nothing is assumed. An order that never left this terminal is rejected; one
that may have reached the service is unknown, and the service searches for it by its id.
"""

from collections.abc import Callable, Iterable
from typing import cast, get_type_hints

from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.account.wallet_transactions import TransactionKey
from pmtui.domain.conditionals.alerts import AlertId, AlertPlan
from pmtui.domain.conditionals.conditional import (
    Attachment as Protection,
)
from pmtui.domain.conditionals.conditional import (
    ConditionalId,
    ConditionalPlan,
    Trigger,
)
from pmtui.domain.ids import Address, CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    CancelResult,
    CancelVerdict,
    MoveEnd,
    MoveVerdict,
    Order,
    OrderIntent,
    Rejected,
    Unknown,
    Verdict,
)
from pmtui.link.attachment import ANSWER_WITHIN_S, Attachment, NoAnswerError
from pmtui.link.mirror import Mirror
from pmtui.service.clock import Clock
from pmtui.service.codec import decode, encode_call
from pmtui.service.surface import Commands, PreparedOrder, WalletVerdict
from pmtui.service.topics import MarketListTopic, Topic
from pmtui.service.wallet.wallet_views import NotKnown, PreparedId, WalletCard

MOST_REMEMBERED = 500
KILL_WITHIN_S = 1.0
"""Seconds that the kill switch waits for the service before it reports that there is no answer."""
_UNSENT = "nothing was sent"
_UNKNOWN = "whether it was done is not known; see the log once the service is back"


class RemoteCalls:
    """Encodes commands, and decodes their answers and verdicts."""

    def __init__(self, line: Attachment, clock: Clock) -> None:
        """Send commands over a connection.

        Args:
            line: to the service.
            clock: for the time at which an order's result became unknown.
        """
        self._line = line
        self._clock = clock
        self._orders: dict[CommandId, tuple[OrderId, ...]] = {}
        """The orders that a command named, in case their result stays unknown."""

    def send(self, command: str, /, **arguments: object) -> None:
        """Send a command without waiting for its answer."""
        _ = self._line.call(encode_call(command, arguments))

    async def ask(
        self, command: str, /, *, within_s: float | None = ANSWER_WITHIN_S, **arguments: object
    ) -> object:
        """Send a command and return its answer.

        Args:
            command: its name.
            within_s: the timeout; None to wait as long as it takes, even across a lost connection.
            arguments: its arguments.

        Raises:
            NoAnswerError: no answer came.
        """
        call = encode_call(command, arguments)
        return decode(await self._line.answer(call, within_s=within_s), _returned(command))

    async def ask_why_not(
        self, command: str, /, *, within_s: float | None = ANSWER_WITHIN_S, **arguments: object
    ) -> str:
        """Send a command and return why it was not carried out, or "" if it was."""
        try:
            return str(await self.ask(command, within_s=within_s, **arguments))
        except NoAnswerError as lost:
            return describe_loss(lost)

    def follow(self, command: str, named: tuple[OrderId, ...], /, **arguments: object) -> CommandId:
        """Send a command whose verdict follows later; return its id, which is made here."""
        call = encode_call(command, arguments)
        command_id = CommandId(self._line.call(call, is_followed=True))
        self._orders[command_id] = named
        if len(self._orders) > MOST_REMEMBERED:
            del self._orders[next(iter(self._orders))]
        return command_id

    async def end(self, verdict: str, command_id: CommandId) -> object:
        """Wait for the verdict of a command.

        Raises:
            NoAnswerError: the verdict will not come.
        """
        return decode(await self._line.wait_for_verdict(command_id), _returned(verdict))

    def lost(self, lost: NoAnswerError, command_id: CommandId) -> tuple[Verdict, ...]:
        """Return the verdict on orders whose result will not be reported."""
        order_ids = self._orders.get(command_id) or (OrderId(""),)
        told = describe_loss(lost)
        if not lost.may_have_happened:
            return (Rejected(told),) * len(order_ids)
        return tuple(Unknown(order_id, told, self._clock.now()) for order_id in order_ids)


def describe_loss(lost: NoAnswerError) -> str:
    """Describe why there is no answer, and what that means."""
    return _sentence(f"{lost.reason}: {_UNKNOWN if lost.may_have_happened else _UNSENT}")


def _not_prepared(lost: NoAnswerError) -> Rejected:
    """Return why nothing was prepared, which sends nothing."""
    return Rejected(_sentence(f"{lost.reason}: {_UNSENT}"))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _returned(command: str) -> object:
    kind: object = get_type_hints(getattr(Commands, command))["return"]
    return kind


class RemoteCommands:
    """A trader's commands, sent from another process."""

    def __init__(
        self, line: Attachment, mirror: Mirror, clock: Clock, *, lock: Callable[[], str]
    ) -> None:
        """Send commands over a connection.

        Args:
            line: to the service.
            mirror: records what this terminal has read of the log.
            clock: for the time at which an order's result became unknown.
            lock: locks order entry on disk, with or without a service; returns why that failed.
        """
        self._line = line
        self._mirror = mirror
        self._lock = lock
        self._calls = RemoteCalls(line, clock)

    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        """Have the service fix the amounts, salt and time of an order."""
        try:
            return cast(
                "PreparedOrder | Rejected",
                await self._calls.ask("prepare", intent=intent, replacing=replacing),
            )
        except NoAnswerError as lost:
            return _not_prepared(lost)

    async def prepare_many(
        self, intents: Iterable[OrderIntent]
    ) -> tuple[PreparedOrder | Rejected, ...]:
        """Have the service prepare the legs of a batch."""
        intents = tuple(intents)
        try:
            answer = await self._calls.ask("prepare_many", intents=intents)
        except NoAnswerError as lost:
            return (_not_prepared(lost),) * len(intents)
        return cast("tuple[PreparedOrder | Rejected, ...]", answer)

    def place(
        self,
        order_id: OrderId,
        *,
        override: str = "",
        attached: Protection | None = None,
        is_single_key: bool = False,
    ) -> CommandId:
        """Journal, sign and send a prepared order."""
        return self._calls.follow(
            "place", (order_id,), order_id=order_id, override=override, attached=attached,
            is_single_key=is_single_key,
        )  # fmt: skip

    def place_many(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Send prepared orders in one request."""
        order_ids = tuple(order_ids)
        return self._calls.follow("place_many", order_ids, order_ids=order_ids)

    def move(self, order_id: OrderId, replacement_id: OrderId) -> CommandId:
        """Cancel an order, and send another for its remaining size."""
        return self._calls.follow(
            "move", (order_id,), order_id=order_id, replacement_id=replacement_id
        )

    def flatten(
        self,
        order_id: OrderId,
        in_the_way: Iterable[Order],
        *,
        override: str = "",
        is_single_key: bool = False,
    ) -> CommandId:
        """Cancel our own orders, then sell a position."""
        return self._calls.follow(
            "flatten", (order_id,), order_id=order_id, in_the_way=tuple(in_the_way),
            override=override, is_single_key=is_single_key,
        )  # fmt: skip

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait for the service's verdict on a placed order."""
        try:
            return cast("Verdict", await self._calls.end("verdict", command_id))
        except NoAnswerError as lost:
            return self._calls.lost(lost, command_id)[0]

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait for the service's first verdict on every order of a batch."""
        try:
            return cast("tuple[Verdict, ...]", await self._calls.end("batch_verdict", command_id))
        except NoAnswerError as lost:
            return self._calls.lost(lost, command_id)

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait for the service's verdict on a move."""
        try:
            return cast("MoveVerdict", await self._calls.end("move_verdict", command_id))
        except NoAnswerError as lost:
            end = MoveEnd.UNKNOWN if lost.may_have_happened else MoveEnd.NOT_MOVED
            return MoveVerdict(end, describe_loss(lost))

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders."""
        order_ids = tuple(order_ids)
        return self._calls.follow("cancel", order_ids, order_ids=order_ids)

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel our own orders in a market, or in one of its tokens."""
        return self._calls.follow("cancel_market", (), condition_id=condition_id, token_id=token_id)

    def cancel_all(self) -> CommandId:
        """Cancel every open order."""
        return self._calls.follow("cancel_all", ())

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait for the service's verdict on a cancel."""
        try:
            return cast("CancelVerdict", await self._calls.end("cancel_verdict", command_id))
        except NoAnswerError as lost:
            return CancelVerdict(CancelResult((), ()), describe_loss(lost))

    def load_more(self, topic: MarketListTopic) -> None:
        """Fetch the next page of a list."""
        self._calls.send("load_more", topic=topic)

    def refresh(self, topic: Topic) -> None:
        """Fetch a topic again."""
        self._calls.send("refresh", topic=topic)

    def mark_log_read(self, sequence: int) -> None:
        """Mark everything up to this entry as read in this terminal and in later ones."""
        self._mirror.mark_read(sequence)
        self._calls.send("mark_log_read", sequence=sequence)

    async def arm(self) -> str:
        """Arm the single keys of this terminal; return why not, or "" on success."""
        return await self._calls.ask_why_not("arm")

    def disarm(self, reason: str) -> None:
        """Disarm the single keys of this terminal."""
        self._calls.send("disarm", reason=reason)

    def touch_arming(self) -> None:
        """Note that a trading key was used."""
        self._calls.send("touch_arming")

    def log_refusal(self, reason: str) -> None:
        """Log why a single key sent nothing."""
        self._calls.send("log_refusal", reason=reason)

    async def kill(self) -> str:
        """Throw the kill switch; return what is uncertain about it.

        The lock is written here, before the service is told: it also applies to the next service, in
        case this one hangs or dies just now.
        """
        problem = self._lock() if self._line.may_trade else "this terminal may not trade"
        try:
            return str(await self._calls.ask("kill", within_s=KILL_WITHIN_S))
        except NoAnswerError as lost:
            reason = _sentence(lost.reason)
            if problem:
                return f"NOT locked: {problem}. {reason}"
            return f"Trading is locked. {reason}: the next service cancels your orders"

    async def unlock_entry(self) -> str:
        """Release the kill lock; return why that failed, or "" on success."""
        return await self._calls.ask_why_not("unlock_entry")

    async def protect(self, plan: ConditionalPlan) -> str:
        """Start a plan of stops and targets; return why not, or "" on success."""
        return await self._calls.ask_why_not("protect", plan=plan)

    async def start_conditional(self, conditional_id: ConditionalId) -> str:
        """Resume a paused conditional order; return why not, or "" on success."""
        return await self._calls.ask_why_not("start_conditional", conditional_id=conditional_id)

    async def move_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger, price: Micros
    ) -> str:
        """Move a trigger price; return why not, or "" on success."""
        return await self._calls.ask_why_not(
            "move_conditional", conditional_id=conditional_id, trigger=trigger, price=price
        )

    async def pause_conditional(self, conditional_id: ConditionalId) -> str:
        """Pause a conditional order until it is resumed; return why not, or "" on success."""
        return await self._calls.ask_why_not("pause_conditional", conditional_id=conditional_id)

    async def cancel_conditional(
        self, conditional_id: ConditionalId, trigger: Trigger | None = None
    ) -> str:
        """Cancel a conditional order, or one price of a pair; return why not, or "" on success."""
        return await self._calls.ask_why_not(
            "cancel_conditional", conditional_id=conditional_id, trigger=trigger
        )

    async def star(self, key: StarKey, title: str) -> str:
        """Star an item; return why not, or "" on success."""
        return await self._calls.ask_why_not("star", key=key, title=title)

    async def unstar(self, key: StarKey) -> str:
        """Remove a star; return why not, or "" on success."""
        return await self._calls.ask_why_not("unstar", key=key)

    async def add_alert(self, plan: AlertPlan) -> str:
        """Add a price alert; return why not, or "" on success."""
        return await self._calls.ask_why_not("add_alert", plan=plan)

    async def remove_alert(self, alert_id: AlertId) -> str:
        """Remove a price alert; return why not, or "" on success."""
        return await self._calls.ask_why_not("remove_alert", alert_id=alert_id)

    async def name_address(self, address: str, name: str) -> str:
        """Name an address; return why not, or "" on success."""
        return await self._calls.ask_why_not("name_address", address=address, name=name)

    async def check_address(self, address: str) -> str:
        """Check an address and its checksum; return what is wrong, or "" if it is valid."""
        return await self._calls.ask_why_not("check_address", address=address)

    async def forget_address(self, address: Address) -> str:
        """Remove the name of an address; return why not, or "" on success."""
        return await self._calls.ask_why_not("forget_address", address=address)

    async def prepare_wallet(self, step: WalletStep) -> WalletCard | Rejected:
        """Have the service fix everything that is signed for a wallet step."""
        try:
            answer = await self._calls.ask("prepare_wallet", within_s=None, step=step)
        except NoAnswerError as lost:
            return _not_prepared(lost)
        return cast("WalletCard | Rejected", answer)

    async def submit_wallet(self, prepared_id: PreparedId) -> WalletVerdict:
        """Submit a prepared step once, and wait for its result."""
        try:
            answer = await self._calls.ask("submit_wallet", within_s=None, prepared_id=prepared_id)
        except NoAnswerError as lost:
            text = describe_loss(lost)
            return NotKnown(text) if lost.may_have_happened else Rejected(text)
        return cast("WalletVerdict", answer)

    async def take_relayer_key(self, key: PastedKey) -> str:
        """Store a relayer key supplied by the trader; return why not, or "" on success."""
        return await self._calls.ask_why_not("take_relayer_key", within_s=None, key=key)

    def stop_following(self, key: TransactionKey) -> None:
        """Stop checking a wallet transaction."""
        self._calls.send("stop_following", key=key)

    def follow_again(self, key: TransactionKey) -> None:
        """Resume checking a wallet transaction."""
        self._calls.send("follow_again", key=key)
