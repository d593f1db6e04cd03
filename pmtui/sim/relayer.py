"""The relayer and chain hosts, as far as reads need them: is a wallet deployed, what is its nonce.

A wallet is deployed here with its first deposit. Nothing executes batches yet, so every nonce is 0.
The chain host answers JSON-RPC: which chain it is, and the code at an address (WIRE_METADATA §6.1).
"""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address
from pmtui.signing.addresses import AddressError, address_bytes, checksum_address
from pmtui.signing.contracts import POLYGON
from pmtui.signing.wallet import derive_deposit, derive_wallets
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue
from pmtui.wire.errors import UNREADABLE

WALLET_TYPES = ("WALLET", "SAFE", "PROXY")
USUAL_TYPE = "SAFE"
"""What an address is taken for unless the type is said (WIRE_METADATA §2 row 17)."""
NO_CODE = "0x"
OTHER_CODE = bytes.fromhex("363d3d373d3d3d363d73")
"""How a minimal proxy begins."""


def relayer_routes(venue: Venue) -> list[Route]:
    """Return the relayer's reads."""

    async def deployed(request: Request) -> Response:
        address, kind = _address(request), request.query_params.get("type", USUAL_TYPE)
        if address is None or kind not in WALLET_TYPES:
            return failure(400, "invalid address")
        is_there = venue.accounts.is_deployed(address) and _may_be(venue, address, kind)
        return JsonResponse({"deployed": is_there})

    async def nonce(request: Request) -> Response:
        address = _address(request)
        if address is None or request.query_params.get("type", USUAL_TYPE) not in WALLET_TYPES:
            return failure(400, "invalid address")
        return JsonResponse({"nonce": "0"})

    return [Route("/", alive), Route("/deployed", deployed), Route("/nonce", nonce)]


def _may_be(venue: Venue, address: Address, kind: str) -> bool:
    """Whether an address can be a wallet of a type; of an owner nobody knows it can be any."""
    owner = venue.accounts.owner_of(address)
    if owner is None:
        return True
    wallets = derive_wallets(owner, POLYGON.wallets)
    of_kind = {
        "WALLET": (wallets.deposit_uups, wallets.deposit_beacon),
        "SAFE": (wallets.safe,),
        "PROXY": (wallets.proxy,),
    }
    return address in of_kind[kind]


class _Asked(msgspec.Struct):
    method: str = ""
    params: list[msgspec.Raw] = []
    id: int | str | None = None


def rpc_routes(venue: Venue) -> list[Route]:
    """Return what the chain host answers: that it is there, and calls."""

    async def call(request: Request) -> Response:
        try:
            asked = msgspec.json.decode(await request.body(), type=_Asked)
        except UNREADABLE:
            return JsonResponse(_refused(None, -32700, "parse error"))
        if asked.method == "eth_chainId":
            return JsonResponse(_result(asked, hex(POLYGON.chain_id)))
        if asked.method != "eth_getCode":
            return JsonResponse(_refused(asked.id, -32601, "the method does not exist"))
        address = _first_address(asked)
        if address is None:
            return JsonResponse(_refused(asked.id, -32602, "invalid argument 0"))
        return JsonResponse(_result(asked, _code_at(venue, address)))

    return [Route("/", alive), Route("/", call, methods=["POST"])]


def _result(asked: _Asked, result: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": asked.id, "result": result}


def _refused(number: int | str | None, code: int, message: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def _code_at(venue: Venue, address: Address) -> str:
    owner = venue.accounts.owner_of(address)
    if owner is None or address == owner or not venue.accounts.is_deployed(address):
        return NO_CODE
    derived = derive_deposit(owner)
    codes = {derived.uups: derived.uups_runtime_code, derived.beacon: derived.beacon_runtime_code}
    # Wallets of other forms have code as well; nothing here depends on which.
    return f"0x{codes.get(address, OTHER_CODE).hex()}"


def _first_address(asked: _Asked) -> Address | None:
    try:
        text = msgspec.json.decode(asked.params[0], type=str) if asked.params else ""
    except UNREADABLE:
        return None
    return _to_address(text)


async def alive(request: Request) -> Response:
    """Say that somebody is there."""
    del request
    return JsonResponse("OK")


def _address(request: Request) -> Address | None:
    return _to_address(request.query_params.get("address", ""))


def _to_address(text: str) -> Address | None:
    try:
        return checksum_address(address_bytes(text))
    except AddressError:
        return None
