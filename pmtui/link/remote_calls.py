"""Commands as they leave a terminal, and what can be said of those that nobody answers for."""

from typing import get_type_hints

from pmtui.domain.ids import CommandId, OrderId
from pmtui.domain.orders.order import Rejected, Unknown, Verdict
from pmtui.link.attachment import Attachment, NoAnswerError
from pmtui.service.codec import decode, encode_call
from pmtui.service.ports import Clock
from pmtui.service.surface import Commands

MOST_REMEMBERED = 500
_UNSENT = "nothing was sent"
_UNKNOWN = "whether it was done is not known; see the log once the service is back"


class RemoteCalls:
    """Encodes commands, and decodes what comes of them."""

    def __init__(self, line: Attachment, clock: Clock) -> None:
        """Give commands over a line.

        Args:
            line: to the service.
            clock: when it became unknown how an order ended.
        """
        self._line = line
        self._clock = clock
        self._orders: dict[CommandId, tuple[OrderId, ...]] = {}
        """Which orders a command named, for the case that nobody can tell how they ended."""

    def send(self, command: str, /, **arguments: object) -> None:
        """Give a command whose answer nobody waits for."""
        _ = self._line.give(encode_call(command, arguments))

    async def ask(
        self, command: str, /, *, is_patient: bool = False, **arguments: object
    ) -> object:
        """Give a command and return its answer.

        Raises:
            NoAnswerError: there is none.
        """
        call = encode_call(command, arguments)
        return decode(await self._line.answer(call, is_patient=is_patient), _returned(command))

    async def ask_why_not(
        self, command: str, /, *, is_patient: bool = False, **arguments: object
    ) -> str:
        """Give a command and return why it is not carried out; "" where it is."""
        try:
            call = encode_call(command, arguments)
            data = await self._line.answer(call, is_patient=is_patient)
            return str(decode(data, _returned(command)))
        except NoAnswerError as lost:
            return describe_loss(lost)

    def follow(self, command: str, named: tuple[OrderId, ...], /, **arguments: object) -> CommandId:
        """Give a command that goes on; returns its id, which is ours."""
        call = encode_call(command, arguments)
        command_id = CommandId(self._line.give(call, is_followed=True))
        self._orders[command_id] = named
        if len(self._orders) > MOST_REMEMBERED:
            del self._orders[next(iter(self._orders))]
        return command_id

    async def end(self, verdict: str, command_id: CommandId) -> object:
        """Wait until it is told how a command ended.

        Raises:
            NoAnswerError: nobody will tell.
        """
        return decode(await self._line.end(command_id), _returned(verdict))

    def lost(self, lost: NoAnswerError, command_id: CommandId) -> tuple[Verdict, ...]:
        """Return what can be said of orders of which nobody tells."""
        order_ids = self._orders.get(command_id) or (OrderId(""),)
        told = describe_loss(lost)
        if not lost.may_have_happened:
            return (Rejected(told),) * len(order_ids)
        return tuple(Unknown(order_id, told, self._clock.now()) for order_id in order_ids)


def describe_loss(lost: NoAnswerError) -> str:
    """Say why there is no answer, and what that means."""
    text = f"{lost.reason}: {_UNKNOWN if lost.may_have_happened else _UNSENT}"
    return text[:1].upper() + text[1:]


def _returned(command: str) -> object:
    kind: object = get_type_hints(getattr(Commands, command))["return"]
    return kind
