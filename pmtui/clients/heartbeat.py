"""Heartbeats: each one names the id that the host gave out with the last one.

Sending them and keeping time is the caller's; here only the chain of ids is kept.
"""

import asyncio
from typing import final

import msgspec

from pmtui.clients.routes_clob import Call
from pmtui.clients.signed_requests import SignedRequests
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.orders.heartbeat import FIRST_HEARTBEAT, HeartbeatAnswer, HeartbeatId
from pmtui.wire.clob_account import decode_heartbeat

_WRONG_ID = frozenset({400})


@final
class HeartbeatClient:
    """The heartbeats of one key. The first that is accepted arms the switch; nothing disarms it."""

    def __init__(self, requests: SignedRequests) -> None:
        """Take the account's way of asking."""
        self._requests = requests
        self._next_id = FIRST_HEARTBEAT
        self._turn = asyncio.Lock()

    async def beat(self) -> HeartbeatId | Failure:
        """Send one heartbeat and return the id of the next.

        Where the host names another id than ours, as after an answer that was lost, the heartbeat
        is sent again with that one: until it counts, the deadline runs.
        """
        async with self._turn:
            answer = await self._beat()
            if isinstance(answer, HeartbeatAnswer) and not answer.is_accepted and answer.next_id:
                answer = await self._beat()
        if isinstance(answer, Failure):
            return answer
        if answer.next_id is None or not answer.is_accepted:
            label = self._requests.routes.route(Call.HEARTBEAT).label
            return Failure(FailureKind.REFUSED, label, answer.refusal, 400)
        return answer.next_id

    async def _beat(self) -> HeartbeatAnswer | Failure:
        answer = await self._requests.ask(
            Call.HEARTBEAT,
            decode_heartbeat,
            body=msgspec.json.encode({"heartbeat_id": self._next_id}),
            readable=_WRONG_ID,
        )
        if isinstance(answer, HeartbeatAnswer) and answer.next_id is not None:
            self._next_id = answer.next_id
        return answer
