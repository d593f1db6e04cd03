"""Keys beside the one that trades: read-only ones, and builders' keys, codes and fees."""

from dataclasses import dataclass
from typing import final

import msgspec

from pmtui.clients.routes_clob import Call
from pmtui.clients.signed_requests import SignedRequests, to_credentials
from pmtui.domain.account.keys import BuilderCode, BuilderFees, BuilderKey
from pmtui.domain.failure import Failure
from pmtui.domain.ids import ApiKey
from pmtui.signing.l2_auth import ApiCredentials, RequestSigner
from pmtui.wire import clob_keys as wire
from pmtui.wire.clob_account import decode_api_keys, decode_credentials


@dataclass(frozen=True, slots=True)
class MadeBuilderKey:
    """A builder's key that was made just now."""

    key: BuilderKey
    """With the code that orders are to name, where the host tells it."""
    credentials: ApiCredentials


@final
class KeysClient:
    """Further keys of one account."""

    def __init__(self, requests: SignedRequests) -> None:
        """Take the account's way of asking."""
        self._requests = requests

    async def create_readonly_key(self) -> ApiKey | Failure:
        """Make a key that can only read."""
        return await self._requests.ask(Call.CREATE_READONLY_KEY, wire.decode_new_key)

    async def readonly_keys(self) -> tuple[ApiKey, ...] | Failure:
        """Return the keys that can only read."""
        return await self._requests.read(Call.READONLY_KEYS, decode_api_keys)

    async def delete_readonly_key(self, key: ApiKey) -> bool | Failure:
        """Delete a key that can only read; False where there was none."""
        body = msgspec.json.encode({"key": key})
        return await self._requests.ask(
            Call.DELETE_READONLY_KEY, wire.decode_was_deleted, body=body
        )

    async def create_builder_key(self) -> MadeBuilderKey | Failure:
        """Make a builder's key. Its secret is told this once."""
        return await self._requests.ask(Call.CREATE_BUILDER_KEY, _decode_made)

    async def builder_keys(self) -> tuple[BuilderKey, ...] | Failure:
        """Return the builder's keys, revoked ones too where the host lists them."""
        return await self._requests.read(Call.BUILDER_KEYS, wire.decode_builder_keys)

    async def revoke_builder_key(
        self, key: ApiKey, *, credentials: ApiCredentials | None = None
    ) -> Failure | None:
        """Revoke one of the builder's keys.

        Where the route has no place for the key's name, the key's own credentials say which one is
        meant; without them the only key there is can be revoked, and no other.

        Raises:
            ValueError: the credentials are those of another key.
            CredentialsError: the credentials are not what the venue hands out.
        """
        if credentials is not None and credentials.key != key:
            raise ValueError("credentials of another key")
        if "{id}" in self._requests.routes.route(Call.REVOKE_BUILDER_KEY).path:
            return await self._requests.tell(Call.REVOKE_BUILDER_KEY, identifier=key)
        if credentials is not None:
            return await self._requests.tell(
                Call.REVOKE_BUILDER_KEY, builder=RequestSigner(credentials)
            )
        listed = await self.builder_keys()
        if isinstance(listed, Failure):
            return listed
        if [known.key for known in listed if not known.is_revoked] != [key]:
            return self._requests.refused(
                Call.REVOKE_BUILDER_KEY, "not the only key: its own credentials are needed"
            )
        return await self._requests.tell(Call.REVOKE_BUILDER_KEY)

    async def builder_fees(self, code: BuilderCode) -> BuilderFees | Failure:
        """Return what the builder of a code charges; not found where nobody has it."""
        return await self._requests.read(
            Call.BUILDER_FEES, wire.decode_builder_fees, identifier=code
        )


def _decode_made(body: bytes) -> MadeBuilderKey:
    credentials = to_credentials(decode_credentials(body))
    return MadeBuilderKey(wire.decode_made_builder_key(body), credentials)
