"""The relayer host: deployed wallets, transactions that it pays for, and the key that submits them.

Reads of wallets are public. Submissions and lists need a relayer key, or a builder's key if the profile
has one. A submission is sent exactly once: a lost reply does not show what happened. A relayer key is
created in a session that the owner's key signs in to (docs/wire.md#signing-in), which is used once and
discarded: its cookies stay on separate connections. No user profile is created, since the seed lists no
profile writes.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from pmtui.clients.http.client import HttpHost
from pmtui.clients.http.failures import unreadable
from pmtui.domain.account.onboarding import WalletForm
from pmtui.domain.account.wallet_transactions import RelayerTransaction, TransactionId
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.wire.bounds import UNREADABLE, WireError
from pmtui.wire.relayer import (
    RelayerKey,
    decode_nonce,
    decode_relayer_key,
    decode_relayer_keys,
    decode_submitted,
    decode_transactions,
)

_KINDS = {WalletForm.PROXY: "PROXY", WalletForm.SAFE: "SAFE"}
T = TypeVar("T")

NO_KEY = "there is no relayer key"

Authorize = Callable[[str, str, bytes], Mapping[str, str]]
"""Maps method, path and body to the headers that authenticate the caller."""
LONGEST_NONCE = 100

"""Characters in the nonce of a sign-in."""


class _Deployed(msgspec.Struct):
    deployed: bool


class RelayerClient:
    """The relayer as used by one caller; without credentials only public reads work."""

    def __init__(self, host: HttpHost, authorize: Authorize | None = None) -> None:
        self._host = host
        self._authorize = authorize

    async def is_deployed(
        self, wallet: Address, form: WalletForm = WalletForm.DEPOSIT
    ) -> bool | Failure:
        """Return whether a wallet is deployed, according to the relayer.

        The address is the wallet's, and its type must be stated: otherwise the host assumes another
        kind of wallet (docs/wire.md#relayer).
        """
        query = (("address", wallet), ("type", _KINDS.get(form, "WALLET")))
        answer = await self._host.read("/deployed", query=query)
        if isinstance(answer, Failure):
            return answer
        try:
            return msgspec.json.decode(answer, type=_Deployed).deployed
        except UNREADABLE as error:
            return unreadable("GET /deployed", WireError("deployed", str(error)))

    async def nonce(self, owner: Address) -> int | Failure:
        """Return the nonce for the next batch of an owner's deposit wallet."""
        query = (("address", owner), ("type", "WALLET"))
        answer = await self._host.read("/nonce", query=query)
        return _read(answer, "GET /nonce", decode_nonce)

    async def transaction(
        self, transaction_id: TransactionId
    ) -> RelayerTransaction | Failure | None:
        """Return one transaction; None if the relayer knows none with this id."""
        answer = await self._host.read("/transaction", query=(("id", transaction_id),))
        if isinstance(answer, Failure) and answer.kind is FailureKind.NOT_FOUND:
            return None
        rows = _read(answer, "GET /transaction", decode_transactions)
        if isinstance(rows, Failure):
            return rows
        return next((row for row in rows if row.transaction_id == transaction_id), None)

    def for_caller(self, authorize: Authorize) -> "RelayerClient":
        """Return the same host with a caller's credentials."""
        return RelayerClient(self._host, authorize)

    async def mint_key(self, cookies: Mapping[str, str]) -> RelayerKey | Failure:
        """Create a relayer key for the signed-in user; sent once, as each request creates another key."""
        jar = "; ".join(f"{name}={value}" for name, value in cookies.items())
        path = "/relayer/api/auth"
        answer = await self._host.send("POST", path, headers={"Cookie": jar}, body=b"{}")
        return _read(answer, f"POST {path}", decode_relayer_key)

    async def submit(self, body: bytes) -> RelayerTransaction | Failure:
        """Submit a deployment or a signed batch, exactly once."""
        path = "/submit"
        if self._authorize is None:
            return Failure(FailureKind.REFUSED, f"POST {path}", NO_KEY)
        headers = self._authorize("POST", path, body)
        answer = await self._host.send("POST", path, headers=headers, body=body)
        return _read(answer, f"POST {path}", decode_submitted)

    async def transactions(self) -> tuple[RelayerTransaction, ...] | Failure:
        """Return the caller's recent transactions."""
        return _read(await self._ask("/transactions"), "GET /transactions", decode_transactions)

    async def keys(self) -> tuple[RelayerKey, ...] | Failure:
        """Return the caller's relayer keys."""
        path = "/relayer/api/keys"
        return _read(await self._ask(path), f"GET {path}", decode_relayer_keys)

    async def _ask(self, path: str) -> bytes | Failure:
        if self._authorize is None:
            return Failure(FailureKind.REFUSED, f"GET {path}", NO_KEY)
        return await self._host.read(path, headers=self._authorize("GET", path, b""))


def _read(answer: bytes | Failure, route: str, decode: Callable[[bytes], T]) -> T | Failure:
    if isinstance(answer, Failure):
        return answer
    try:
        return decode(answer)
    except WireError as error:
        return unreadable(route, error)


class _Nonce(msgspec.Struct):
    nonce: str


class SignInSession:
    """A sign-in with a nonce from the host, not yet signed.

    Its connections keep the cookies, which are used for one key and discarded.
    """

    def __init__(self, session: HttpHost, nonce: str) -> None:
        self._session = session
        self.nonce = nonce

    async def mint(self, relayer: RelayerClient, authorization: str) -> RelayerKey | Failure:
        """Sign in, and have the relayer create a key; the session is closed afterwards.

        Args:
            relayer: creates the key.
            authorization: the header with the owner's signature over the sign-in text.
        """
        try:
            opened = await self._session.send(
                "GET", "/login", headers={"Authorization": authorization}, may_be_empty=True
            )
            if isinstance(opened, Failure):
                return opened
            return await relayer.mint_key(self._session.cookies())
        finally:
            await self.close()

    async def close(self) -> None:
        """Close the session without signing in."""
        await self._session.aclose()


async def begin_sign_in(metadata: HttpHost) -> SignInSession | Failure:
    """Request the nonce to sign from the metadata host, over separate connections."""
    session = metadata.lane(keeps_cookies=True)
    answer = await session.send("GET", "/nonce")
    problem = answer if isinstance(answer, Failure) else None
    nonce = ""
    if not isinstance(answer, Failure):
        try:
            nonce = msgspec.json.decode(answer, type=_Nonce).nonce
        except UNREADABLE as error:
            problem = unreadable("GET /nonce", WireError.of(error))
    if problem is None and not (
        nonce.isascii() and nonce.isalnum() and len(nonce) <= LONGEST_NONCE
    ):
        # It is part of the text that the owner signs: it must not add lines to it.
        problem = unreadable("GET /nonce", WireError("nonce", "not letters and digits"))
    if problem is not None:
        await session.aclose()
        return problem
    return SignInSession(session, nonce)
