"""Signs in with the owner's key and mints a relayer key: one session, used for that and forgotten.

The cookies of the session stay on connections of their own; no other request carries them.
Steps as in WIRE_METADATA §5.7; a profile is not made, since the seed lists no profile writes.
"""

from collections.abc import Callable

import msgspec

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.clients.relayer import RelayerClient
from pmtui.domain.answers import Failure
from pmtui.wire.bounds import UNREADABLE, WireError
from pmtui.wire.relayer import RelayerKey

LONGEST_NONCE = 100

Sign = Callable[[str], str]
"""From a nonce to the Authorization header that proves the owner."""


class _Nonce(msgspec.Struct):
    nonce: str


async def mint_relayer_key(
    metadata: HttpHost, relayer: RelayerClient, sign: Sign
) -> RelayerKey | Failure:
    """Sign in to the metadata host and let the relayer make a key.

    Args:
        metadata: the host whose nonce is signed; lanes of its own are used.
        relayer: who makes the key.
        sign: the owner's signature over the sign-in text.
    """
    session = metadata.lane()
    try:
        answer = await session.send("GET", "/nonce")
        if isinstance(answer, Failure):
            return answer
        try:
            nonce = msgspec.json.decode(answer, type=_Nonce).nonce
        except UNREADABLE as error:
            return unreadable("GET /nonce", WireError.of(error))
        if not (nonce.isascii() and nonce.isalnum() and len(nonce) <= LONGEST_NONCE):
            # It goes into the text that the owner signs: it must not write lines of its own.
            return unreadable("GET /nonce", WireError("nonce", "not letters and digits"))
        opened = await session.send(
            "GET", "/login", headers={"Authorization": sign(nonce)}, may_be_empty=True
        )
        if isinstance(opened, Failure):
            return opened
        return await relayer.mint_key(session.cookies())
    finally:
        await session.aclose()
