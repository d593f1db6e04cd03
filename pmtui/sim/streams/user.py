"""The user channel: an account's orders and trades as they live, for whoever proves its API key.

A first frame without valid credentials gets no answer, the connection is just closed, as by the
service. Nothing is replayed (WIRE_CLOB §17).
"""

from collections.abc import Iterable

import msgspec

from pmtui.domain.ids import ApiKey, ConditionId
from pmtui.sim.engine.events import (
    Event,
    OrderCancelled,
    OrderPlaced,
    OrderUpdated,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.streams.outbox import Outbox
from pmtui.sim.streams.user_rows import order_event, trade_event
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

INVALID_OPERATION = b"INVALID OPERATION"


class UserAuth(msgspec.Struct):
    """Credentials in the first frame."""

    api_key: str = msgspec.field(name="apiKey")
    secret: str
    passphrase: str


class UserRequest(msgspec.Struct):
    """A frame from a client of the user channel."""

    type: str = ""
    operation: str = ""
    auth: UserAuth | None = None
    markets: list[str] | None = None


_decoder = msgspec.json.Decoder(UserRequest)


class UserSession:
    """One connection of the user channel."""

    def __init__(self, venue: Venue, hub: "UserHub", outbox: Outbox) -> None:
        self._venue = venue
        self._hub = hub
        self._outbox = outbox
        self._owner: ApiKey | None = None
        self._markets: set[str] = set()

    @property
    def owner(self) -> ApiKey | None:
        """The API key that was proved, None before that."""
        return self._owner

    def receive(self, data: bytes) -> bool:
        """Act on a frame from the client.

        Returns:
            Whether the connection may stay open.
        """
        try:
            request = _decoder.decode(data)
        except UNREADABLE:
            return self._refuse()
        if self._owner is None:
            return self._begin(request)
        markets = {market.lower() for market in request.markets or ()}
        match request.operation:
            case "subscribe":
                # Naming markets narrows a connection that heard of all of them.
                self._markets |= markets
            case "unsubscribe":
                # Without any name left it hears of all of them again.
                self._markets -= markets
            case _:
                return self._refuse()
        return True

    def wants(self, condition_id: ConditionId) -> bool:
        """Tell whether events of a market are to be sent."""
        return not self._markets or condition_id in self._markets

    def send(self, row: dict[str, object]) -> None:
        """Send one event."""
        self._outbox.put(msgspec.json.encode(row))

    def _begin(self, request: UserRequest) -> bool:
        auth = request.auth
        if self._venue.switches.streams.refuses_users:
            return False
        if auth is None or request.type.lower() not in ("", "user"):
            return False
        known = self._venue.accounts.check(auth.api_key, auth.secret, auth.passphrase)
        if known is None:
            return False
        self._owner = known.api_key
        self._markets = {market.lower() for market in request.markets or ()}
        self._hub.join(self)
        return True

    def _refuse(self) -> bool:
        if self._owner is not None:
            self._outbox.put(INVALID_OPERATION)
        return self._owner is not None


class UserHub:
    """Hands events to the connections of the parties they concern."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._sessions: dict[ApiKey, dict[UserSession, None]] = {}
        self._unsubscribe = venue.subscribe(self._take)

    def close(self) -> None:
        """Listen no more."""
        self._unsubscribe()

    def join(self, session: UserSession) -> None:
        """Send a session the events of its owner from now on."""
        if session.owner is not None:
            self._sessions.setdefault(session.owner, {})[session] = None

    def leave(self, session: UserSession) -> None:
        """Forget a session."""
        if session.owner is not None:
            sessions = self._sessions.get(session.owner, {})
            sessions.pop(session, None)
            if not sessions:
                self._sessions.pop(session.owner, None)

    def _take(self, events: Iterable[Event]) -> None:
        if not self._sessions:
            return
        for event in events:
            match event:
                case (
                    OrderPlaced(order=order)
                    | OrderUpdated(order=order)
                    | OrderCancelled(order=order)
                ):
                    for session in self._listening(order.owner, order.condition_id):
                        session.send(order_event(self._venue, event))
                case TradeMatched(trade=trade) | TradeAdvanced(trade=trade):
                    # An owner on both sides hears of it once, as its taker.
                    owners = (trade.taker_owner, *(fill.owner for fill in trade.makers))
                    for owner in dict.fromkeys(owners):
                        for session in self._listening(owner, trade.condition_id):
                            session.send(trade_event(self._venue, trade, owner))
                case _:
                    pass

    def _listening(self, owner: ApiKey, condition_id: ConditionId) -> list[UserSession]:
        sessions = self._sessions.get(owner, ())
        return [session for session in sessions if session.wants(condition_id)]
