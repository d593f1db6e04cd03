"""Heartbeats: when an API key's heartbeats stop, all of its open orders are cancelled.

The first accepted heartbeat arms the switch. Each reply contains the id of the next; a wrong id is
refused together with the right one, and does not count. After a lapse the orders are cancelled
once, and the next valid heartbeat arms the switch again. A restart of the venue gives every key the
full time again.
"""

from dataclasses import dataclass
from uuid import uuid4

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import ApiKey
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import signed
from pmtui.sim.engine.refusals import INVALID_PAYLOAD
from pmtui.sim.engine.terms import Refusal
from pmtui.sim.http_json import JsonResponse, refused
from pmtui.sim.venue import Venue
from pmtui.wire.bounds import UNREADABLE

KIND = "heartbeat"
LAPSE_MS = 10_000
SWEEP_MS = 5_000


@dataclass(slots=True)
class _Chain:
    expected: str
    is_armed: bool
    heard_ms: int = 0


class _Beat(msgspec.Struct):
    heartbeat_id: str | None = None


_decode_chain = msgspec.json.Decoder(_Chain).decode
_decode_beat = msgspec.json.Decoder(_Beat).decode


@dataclass(frozen=True, slots=True)
class WrongBeat:
    """The id is not the one that was due."""

    expected: str


class Heartbeats:
    """The heartbeats of all keys."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._chains: dict[ApiKey, _Chain] = {}
        now_ms = venue.clock.now_ms()
        self._swept_ms = now_ms
        for key, row in venue.notes(KIND):
            chain = self._chains[ApiKey(key)] = _decode_chain(row)
            chain.heard_ms = now_ms

    def beat(self, key: ApiKey, heartbeat_id: str) -> str | WrongBeat:
        """Accept a heartbeat and return the id of the next one."""
        chain = self._chains.get(key)
        expected = "" if chain is None else chain.expected
        if heartbeat_id != expected:
            return WrongBeat(expected)
        following = str(uuid4())
        self._keep(key, _Chain(following, is_armed=True, heard_ms=self._venue.clock.now_ms()))
        return following

    def beat_plainly(self, key: ApiKey) -> None:
        """Accept a heartbeat of the older route, which has no ids."""
        chain = self._chains.get(key)
        expected = "" if chain is None else chain.expected
        self._keep(key, _Chain(expected, is_armed=True, heard_ms=self._venue.clock.now_ms()))

    def tick(self) -> None:
        """Cancel the orders of keys that were silent for too long; checked every five seconds."""
        now_ms = self._venue.clock.now_ms()
        if now_ms - self._swept_ms < SWEEP_MS:
            return
        self._swept_ms = now_ms
        if not self._venue.controls.are_heartbeats_swept:
            return
        for key, chain in self._chains.items():
            if chain.is_armed and now_ms - chain.heard_ms >= LAPSE_MS:
                self._sweep(key, chain)

    def _sweep(self, key: ApiKey, chain: _Chain) -> None:
        result = self._venue.act(lambda exchange, now_ms: exchange.cancel_all(key, now_ms=now_ms))
        # While nothing can be cancelled it stays armed, and is tried again at the next check.
        if not isinstance(result, Refusal):
            chain.is_armed = False
            self._keep(key, chain)

    def _keep(self, key: ApiKey, chain: _Chain) -> None:
        self._venue.write_notes(KIND, {key: msgspec.json.encode(chain)})
        self._chains[key] = chain


class HeartbeatRoutes:
    """`/v1/heartbeats`, and the older `/heartbeats`."""

    def __init__(self, venue: Venue, heartbeats: Heartbeats) -> None:
        self._venue = venue
        self._heartbeats = heartbeats

    def routes(self) -> list[Route]:
        """Return the routes, all with level-2 authentication."""
        return [
            Route("/v1/heartbeats", signed(self._venue, self.beat), methods=["POST"]),
            Route("/heartbeats", signed(self._venue, self.beat_plainly), methods=["POST"]),
        ]

    async def beat(self, request: Request, caller: Credentials) -> Response:
        """Accept a heartbeat; a wrong one is refused with the error that the venue's client expects."""
        try:
            asked = _decode_beat(await request.body())
        except UNREADABLE:
            return refused(INVALID_PAYLOAD)
        result = self._heartbeats.beat(caller.api_key, asked.heartbeat_id or "")
        if isinstance(result, WrongBeat):
            body = {"error_msg": "Invalid Heartbeat ID", "heartbeat_id": result.expected}
            return JsonResponse(body, status_code=400)
        return JsonResponse({"heartbeat_id": result})

    async def beat_plainly(self, _request: Request, caller: Credentials) -> Response:
        """Accept a heartbeat without an id."""
        self._heartbeats.beat_plainly(caller.api_key)
        return JsonResponse({"status": "ok"})
