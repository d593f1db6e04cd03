"""The write side of an attached terminal: every command goes to the service with an id made here.

Without an answer from the service nothing is assumed. An order that never left this terminal is rejected. Of one
that was given to a service which died, the next service is asked: what is not in its journal never left, anything
else it looks for. What stays unanswered becomes a notice of this terminal, kept until it is read.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, TypeVar, cast, get_type_hints

from pmtui.domain.account.wallet_steps import WalletStep
from pmtui.domain.conditionals.conditional import Attachment
from pmtui.domain.formats import count, ellipsize, format_shares
from pmtui.domain.ids import CommandId, ConditionId, OrderId, TokenId
from pmtui.domain.money import Micros, format_micros, round_price
from pmtui.domain.orders.order import (
    Accepted,
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
from pmtui.link.connection import ANSWER_WITHIN_S, NoAnswerError, ServiceConnection
from pmtui.link.mirror import Mirror
from pmtui.service.clock import Clock
from pmtui.service.codec import decode, encode_call
from pmtui.service.surface import ARM_WITHIN_S, Commands, PreparedOrder, WalletVerdict
from pmtui.service.views import Level
from pmtui.service.wallet.wallet_views import NotKnown, PreparedId, WalletCard

P = ParamSpec("P")
R = TypeVar("R")

MOST_REMEMBERED = 500
PREPARED_WITHIN_S = 2.0
"""How long an order may take to prepare: no key is taken meanwhile, and later its price is old."""
KILL_WITHIN_S = 1.0
"""How long the kill switch waits for the service before it says that there is no answer."""
NO_ANSWER = "the service did not answer"
"""Why a terminal was disarmed that showed nothing live."""
LONGEST_TITLE = 120
_FINEST_TICK = Micros(100)
"""0.01 cents: what amounts of two decimals say is off the grid by their dust."""
_UNSENT = "nothing was sent"
_UNKNOWN = "whether it was done is not known; see the log once the service is back"


@dataclass(slots=True)
class _Followed:
    """A command that may never be answered."""

    order_ids: tuple[OrderId, ...]
    """Those that it sends; of a cancel, those that it names."""
    cancels: str = ""
    """What it cancels; empty for one that sends orders."""
    settling: "asyncio.Task[tuple[Verdict, ...]] | None" = None
    """Finds out what became of the orders, once the service that was to send them is gone."""


class RemoteCalls:
    """Encodes commands, and decodes their answers and verdicts."""

    def __init__(self, line: ServiceConnection, mirror: Mirror, clock: Clock) -> None:
        """Send commands over a connection.

        Args:
            line: to the service.
            mirror: takes notices of what is never answered.
            clock: when it became unknown how an order ended.
        """
        self._line = line
        self._mirror = mirror
        self._clock = clock
        self._followed: dict[CommandId, _Followed] = {}
        self._prepared: dict[OrderId, PreparedOrder] = {}
        self._settling: set[asyncio.Task[tuple[Verdict, ...]]] = set()
        line.on_lost(self._on_lost)
        line.on_silence(self.disarm)

    def remember(self, order: PreparedOrder) -> None:
        """Remember a prepared order, so that a notice can name it."""
        self._prepared[order.order_id] = order
        if len(self._prepared) > MOST_REMEMBERED:
            del self._prepared[next(iter(self._prepared))]

    def send(
        self, command: Callable[Concatenate[Commands, P], None], /, *args: P.args, **named: P.kwargs
    ) -> None:
        """Send a command without waiting for its answer."""
        _ = self._line.call(_encode(command, *args, **named))

    async def ask(
        self, command: Callable[Concatenate[Commands, P], Awaitable[R]], within_s: float | None, /,
        *args: P.args, **named: P.kwargs,
    ) -> R:  # fmt: skip
        """Send a command and return its answer; None waits for it even across a lost connection.

        Raises:
            NoAnswerError: no answer came.
        """
        call = _encode(command, *args, **named)
        return _decode(command, await self._line.answer(call, within_s=within_s))

    def follow(
        self, command: Callable[Concatenate[Commands, P], CommandId],
        order_ids: tuple[OrderId, ...], cancels: str, /, *args: P.args, **named: P.kwargs,
    ) -> CommandId:  # fmt: skip
        """Send a command whose verdict follows later; return its id, which is made here.

        The orders are those that it sends, or cancels by name; `cancels` is empty for one that sends.
        """
        call = _encode(command, *args, **named)
        command_id = CommandId(self._line.call(call, is_followed=True))
        self._followed[command_id] = _Followed(order_ids, cancels)
        if len(self._followed) > MOST_REMEMBERED:
            del self._followed[next(iter(self._followed))]
        return command_id

    async def end(
        self, verdict: Callable[[Commands, CommandId], Awaitable[R]], command_id: CommandId
    ) -> R:
        """Wait for the verdict of a command.

        Raises:
            NoAnswerError: the verdict will not come.
        """
        return _decode(verdict, await self._line.wait_for_verdict(command_id))

    async def settle(self, lost: NoAnswerError, command_id: CommandId) -> tuple[Verdict, ...]:
        """Return the verdict on orders whose service was lost before it reported their end."""
        followed = self._followed.get(command_id, _Followed((OrderId(""),)))
        if not lost.may_have_happened:
            return (Rejected(describe_loss(lost)),) * len(followed.order_ids)
        if followed.settling is None:
            return self._unknown(followed.order_ids, lost)
        return await asyncio.shield(followed.settling)

    def settle_cancel(self, lost: NoAnswerError, command_id: CommandId) -> CancelVerdict:
        """Return the verdict on a cancel that is not answered."""
        followed = self._followed.get(command_id, _Followed(()))
        unanswered = followed.order_ids or (OrderId(""),)
        result = CancelResult((), (), unanswered if lost.may_have_happened else ())
        return CancelVerdict(result, describe_loss(lost))

    def disarm(self, reason: str = NO_ANSWER) -> None:
        """Disarm this terminal, which shows so at once: only `arm` arms it again."""
        self._mirror.begin_disarming()
        call_id = self._line.call(_encode(Commands.disarm, reason))
        self._line.on_answer(call_id, lambda _: self._mirror.end_disarming())

    def log_refusal(self, reason: str) -> None:
        """Have the service log why a single key sent nothing; if it cannot, this terminal does."""

        def on_answer(lost: BaseException | None) -> None:
            if lost is not None:
                self.notice(Level.INFO, f"Single key: {reason}")

        self._line.on_answer(self._line.call(_encode(Commands.log_refusal, reason)), on_answer)

    def notice(self, level: Level, text: str) -> None:
        """Report in this terminal what no service reports, until it is read."""
        self._mirror.add_notice(level, text, at=self._clock.now())

    def _on_lost(self, call_id: str, lost: NoAnswerError) -> None:
        followed = self._followed.get(CommandId(call_id))
        if followed is None:
            return
        if followed.cancels:
            text = f"Cancel of {followed.cancels} unconfirmed. {describe_loss(lost)}"
            self.notice(Level.WARNING, text)
            return
        # Also where nobody waits any more: the ticket may be closed.
        task = asyncio.get_running_loop().create_task(self._trace(followed.order_ids, lost))
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        followed.settling = task

    async def _trace(
        self, order_ids: tuple[OrderId, ...], lost: NoAnswerError
    ) -> tuple[Verdict, ...]:
        """Find out what became of orders, and report it."""
        try:
            verdicts = _decode(Commands.batch_verdict, await self._line.trace(order_ids))
        except NoAnswerError:
            verdicts = self._unknown(order_ids, lost)
        for order_id, verdict in zip(order_ids, verdicts, strict=True):
            order = self._prepared.get(order_id)
            self._report(verdict, "an order" if order is None else _describe(order))
        return verdicts

    def _report(self, verdict: Verdict, order: str) -> None:
        match verdict:
            case Accepted(status=status):
                self.notice(Level.GOOD, f"{status.words.capitalize()}: {order}")
            case Rejected(reason):
                self.notice(Level.BAD, f"Not sent: {order} ({reason})")
            case Unknown(reason=reason):
                self.notice(Level.WARNING, f"Unconfirmed: {order} ({reason})")

    def _unknown(self, order_ids: tuple[OrderId, ...], lost: NoAnswerError) -> tuple[Verdict, ...]:
        text, now = describe_loss(lost), self._clock.now()
        return tuple(Unknown(order_id, text, now) for order_id in order_ids)


def describe_loss(lost: NoAnswerError) -> str:
    """Describe why there is no answer, and what that means."""
    return _sentence(f"{lost.reason}: {_UNKNOWN if lost.may_have_happened else _UNSENT}")


def _not_prepared(lost: NoAnswerError) -> Rejected:
    """Return why nothing was prepared, which sends nothing."""
    return Rejected(_sentence(f"{lost.reason}: {_UNSENT}"))


def _describe(order: PreparedOrder) -> str:
    price = format_micros(Micros(100 * round_price(order.price, _FINEST_TICK)))
    what = f"{order.intent.side.value} {format_shares(order.size)} {order.outcome} @ {price}¢"
    return f"{what} · {ellipsize(order.market_title, LONGEST_TITLE)}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _encode(
    command: Callable[Concatenate[Commands, P], object], *args: P.args, **named: P.kwargs
) -> bytes:
    arguments = signature(command).bind(None, *args, **named).arguments
    del arguments["self"]
    return encode_call(command.__name__, arguments)


def _decode(command: Callable[..., Awaitable[R]], answer: bytes) -> R:
    """Decode the answer to a command, which is refused where it is not what the command returns."""
    return cast("R", decode(answer, get_type_hints(command)["return"]))


def _asked(
    command: Callable[Concatenate[Commands, P], Awaitable[str]],
    *,
    within_s: float | None = ANSWER_WITHIN_S,
) -> Callable[Concatenate["RemoteCommands", P], Coroutine[None, None, str]]:
    """Return a command that asks the service, and returns why it was not carried out, or ""."""

    @wraps(command)
    async def ask(self: "RemoteCommands", /, *args: P.args, **kwargs: P.kwargs) -> str:
        try:
            return await self._calls.ask(command, within_s, *args, **kwargs)
        except NoAnswerError as lost:
            return describe_loss(lost)

    return ask


def _sent(
    command: Callable[Concatenate[Commands, P], None],
) -> Callable[Concatenate["RemoteCommands", P], None]:
    """Return a command that is sent to the service without waiting for its answer."""

    @wraps(command)
    def send(self: "RemoteCommands", /, *args: P.args, **kwargs: P.kwargs) -> None:
        self._calls.send(command, *args, **kwargs)

    return send


class RemoteCommands:
    """A trader's commands, sent from another process."""

    unlock_entry = _asked(Commands.unlock_entry)
    protect = _asked(Commands.protect)
    start_conditional = _asked(Commands.start_conditional)
    move_conditional = _asked(Commands.move_conditional)
    pause_conditional = _asked(Commands.pause_conditional)
    cancel_conditional = _asked(Commands.cancel_conditional)
    star = _asked(Commands.star)
    unstar = _asked(Commands.unstar)
    add_alert = _asked(Commands.add_alert)
    remove_alert = _asked(Commands.remove_alert)
    name_address = _asked(Commands.name_address)
    check_address = _asked(Commands.check_address)
    forget_address = _asked(Commands.forget_address)
    take_relayer_key = _asked(Commands.take_relayer_key, within_s=None)
    load_more = _sent(Commands.load_more)
    refresh = _sent(Commands.refresh)
    touch_arming = _sent(Commands.touch_arming)
    stop_following = _sent(Commands.stop_following)
    follow_again = _sent(Commands.follow_again)

    def __init__(
        self, line: ServiceConnection, mirror: Mirror, clock: Clock, *, lock: Callable[[], str]
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
        self._calls = RemoteCalls(line, mirror, clock)

    async def arm(self) -> str:
        """Arm this terminal; a service that does not answer soon does not arm it later either."""
        try:
            return await self._calls.ask(Commands.arm, ARM_WITHIN_S)
        except NoAnswerError as lost:
            if lost.may_have_happened:
                self._calls.disarm()
            return _sentence(lost.reason)

    def log_refusal(self, reason: str) -> None:
        """Log why a single key sent nothing."""
        self._calls.log_refusal(reason)

    def disarm(self, reason: str) -> None:
        """Disarm this terminal."""
        self._calls.disarm(reason)

    async def prepare(
        self, intent: OrderIntent, *, replacing: OrderId | None = None
    ) -> PreparedOrder | Rejected:
        """Have the service fix the amounts, salt and time of an order."""
        try:
            answer = await self._calls.ask(
                Commands.prepare, PREPARED_WITHIN_S, intent, replacing=replacing
            )
        except NoAnswerError as lost:
            return _not_prepared(lost)
        if isinstance(answer, PreparedOrder):
            self._calls.remember(answer)
        return answer

    async def prepare_many(
        self, intents: Iterable[OrderIntent]
    ) -> tuple[PreparedOrder | Rejected, ...]:
        """Have the service prepare the legs of a batch."""
        intents = tuple(intents)
        try:
            legs = await self._calls.ask(Commands.prepare_many, PREPARED_WITHIN_S, intents)
        except NoAnswerError as lost:
            return (_not_prepared(lost),) * len(intents)
        for leg in legs:
            if isinstance(leg, PreparedOrder):
                self._calls.remember(leg)
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
        """Journal, sign and send a prepared order."""
        return self._calls.follow(
            Commands.place, (order_id,), "", order_id, override=override, attached=attached,
            is_single_key=is_single_key, after=after,
        )  # fmt: skip

    def place_many(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Send prepared orders in one request."""
        order_ids = tuple(order_ids)
        return self._calls.follow(Commands.place_many, order_ids, "", order_ids)

    def move(self, order_id: OrderId, replacement_id: OrderId) -> CommandId:
        """Cancel an order, and send another for its remaining size."""
        return self._calls.follow(Commands.move, (replacement_id,), "", order_id, replacement_id)

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
            Commands.flatten, (order_id,), "", order_id, tuple(in_the_way),
            override=override, is_single_key=is_single_key,
        )  # fmt: skip

    async def verdict(self, command_id: CommandId) -> Verdict:
        """Wait for the service's verdict on a placed order."""
        try:
            return await self._calls.end(Commands.verdict, command_id)
        except NoAnswerError as lost:
            return (await self._calls.settle(lost, command_id))[0]

    async def batch_verdict(self, command_id: CommandId) -> tuple[Verdict, ...]:
        """Wait for the service's first verdict on every order of a batch."""
        try:
            return await self._calls.end(Commands.batch_verdict, command_id)
        except NoAnswerError as lost:
            return await self._calls.settle(lost, command_id)

    async def move_verdict(self, command_id: CommandId) -> MoveVerdict:
        """Wait for the service's verdict on a move."""
        try:
            return await self._calls.end(Commands.move_verdict, command_id)
        except NoAnswerError as lost:
            text, (settled,) = describe_loss(lost), await self._calls.settle(lost, command_id)
        if isinstance(settled, Rejected):
            return MoveVerdict(MoveEnd.NOT_MOVED, settled.reason)
        return MoveVerdict(MoveEnd.UNKNOWN, text)

    def cancel(self, order_ids: Iterable[OrderId]) -> CommandId:
        """Cancel the named orders."""
        order_ids = tuple(order_ids)
        return self._calls.follow(
            Commands.cancel, order_ids, count(len(order_ids), "order"), order_ids
        )

    def cancel_market(self, condition_id: ConditionId, token_id: TokenId | None) -> CommandId:
        """Cancel the own orders of a market, or of one of its tokens."""
        return self._calls.follow(
            Commands.cancel_market, (), "a market's orders", condition_id, token_id
        )

    def cancel_all(self) -> CommandId:
        """Cancel every open order."""
        return self._calls.follow(Commands.cancel_all, (), "all orders")

    async def cancel_verdict(self, command_id: CommandId) -> CancelVerdict:
        """Wait for the service's verdict on a cancel."""
        try:
            return await self._calls.end(Commands.cancel_verdict, command_id)
        except NoAnswerError as lost:
            return self._calls.settle_cancel(lost, command_id)

    def mark_log_read(self, sequence: int) -> None:
        """Mark everything up to this entry as read in this terminal and in later ones."""
        self._mirror.mark_read(sequence)
        self._calls.send(Commands.mark_log_read, sequence)

    async def kill(self) -> str:
        """Throw the kill switch; return what is uncertain about it.

        The lock is written here, before the service is told: it also applies to the next service, in
        case this one hangs or dies just now.
        """
        problem = self._lock() if self._line.may_trade else "this terminal may not trade"
        try:
            return await self._calls.ask(Commands.kill, KILL_WITHIN_S)
        except NoAnswerError as lost:
            reason = _sentence(lost.reason)
            text = f"Trading is locked. {reason}: your orders are cancelled once it, or the next one, answers"
            level = Level.WARNING
            if problem:
                level, text = Level.BAD, f"NOT locked: {problem}. {reason}"
            # While it is locked the header says so; afterwards the notice would be wrong.
            self._calls.notice(level, f"Kill switch: {text}")
            self._calls.disarm("the kill switch")
            self._mirror.show_lock()
            return text

    async def prepare_wallet(self, step: WalletStep) -> WalletCard | Rejected:
        """Have the service fix everything that is signed for a wallet step."""
        try:
            return await self._calls.ask(Commands.prepare_wallet, None, step)
        except NoAnswerError as lost:
            return _not_prepared(lost)

    async def submit_wallet(self, prepared_id: PreparedId) -> WalletVerdict:
        """Submit a prepared step once, and wait for its result."""
        try:
            return await self._calls.ask(Commands.submit_wallet, None, prepared_id)
        except NoAnswerError as lost:
            text = describe_loss(lost)
            return NotKnown(text) if lost.may_have_happened else Rejected(text)
