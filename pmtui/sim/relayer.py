"""The relayer and chain hosts, as far as reads need them: is a wallet deployed, what is its nonce.

A wallet is deployed here with its first deposit. Nothing executes batches yet, so every nonce is 0.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.signing.addresses import AddressError, address_bytes, checksum_address
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue

WALLET_TYPES = ("WALLET", "SAFE", "PROXY")


def relayer_routes(venue: Venue) -> list[Route]:
    """Return the relayer's reads."""

    async def deployed(request: Request) -> Response:
        address = _address(request)
        if address is None or request.query_params.get("type", "SAFE") not in WALLET_TYPES:
            return failure(400, "invalid address")
        return JsonResponse({"deployed": venue.accounts.is_deployed(address)})

    async def nonce(request: Request) -> Response:
        address = _address(request)
        if address is None or request.query_params.get("type", "SAFE") not in WALLET_TYPES:
            return failure(400, "invalid address")
        return JsonResponse({"nonce": "0"})

    return [Route("/", alive), Route("/deployed", deployed), Route("/nonce", nonce)]


def rpc_routes() -> list[Route]:
    """Return what the chain host answers without any call: that it is there."""
    return [Route("/", alive)]


async def alive(request: Request) -> Response:
    """Say that somebody is there."""
    del request
    return JsonResponse("OK")


def _address(request: Request) -> str | None:
    try:
        return checksum_address(address_bytes(request.query_params.get("address", "")))
    except AddressError:
        return None
