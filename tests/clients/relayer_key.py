"""Minting a relayer key in one step, as the program does in two: with a card between them."""

from collections.abc import Callable

from pmtui.clients.http.client import HttpHost
from pmtui.clients.relayer import RelayerClient, begin_sign_in
from pmtui.domain.answers import Failure
from pmtui.wire.relayer import RelayerKey


async def mint_relayer_key(
    metadata: HttpHost, relayer: RelayerClient, sign: Callable[[str], str]
) -> RelayerKey | Failure:
    session = await begin_sign_in(metadata)
    if isinstance(session, Failure):
        return session
    return await session.mint(relayer, sign(session.nonce))
