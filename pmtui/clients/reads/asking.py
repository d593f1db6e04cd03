"""Any read of the registry by its name: pages of domain values, up to as many as are wanted."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from pmtui.clients.account import AccountClient
from pmtui.clients.analytics import GeoblockClient
from pmtui.clients.http.paging import Step
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.clients.reads.plain_reads import walk_read
from pmtui.clients.reads.trading_reads import Asking, Steps, walk_trading
from pmtui.clients.relayer import RelayerClient
from pmtui.domain.account.onboarding import shorten_key_id
from pmtui.domain.account.wallet_transactions import TransactionId
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.reads import answers
from pmtui.reads.read import Needs, Read, ReadHost, Values

USUAL_PAGE = 100
"""Rows of a page, where nobody says how many."""
LARGEST_PAGE = 500


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a list is wanted: one page without either."""

    limit: int | None = None
    """Rows at most."""
    is_all: bool = False

    @property
    def page_size(self) -> int:
        """Rows to ask for at a time."""
        usual = LARGEST_PAGE if self.is_all else USUAL_PAGE
        return usual if self.limit is None else min(self.limit, LARGEST_PAGE)


async def ask(
    hosts: ReadHosts, read: Read, values: Values, *, extent: Extent
) -> AsyncIterator[Step[object] | Failure]:
    """Yield the pages of an answer, as far as they are wanted; a failure is the last thing yielded.

    Args:
        hosts: who may be asked.
        read: what for.
        values: of its arguments, checked.
        extent: how much of a list.
    """
    left = extent.limit
    if left == 0:
        yield Step((), 0, 1, 0, None)
        return
    seen = 0
    async for step in _walk(hosts, read, values, extent=extent):
        if isinstance(step, Failure):
            yield step
            return
        items = step.items if left is None else step.items[: left - seen]
        seen += len(items)
        is_enough = left is not None and seen >= left
        yield replace(step, items=items, seen=seen)
        if is_enough or (left is None and not extent.is_all):
            return


async def _walk(hosts: ReadHosts, read: Read, values: Values, *, extent: Extent) -> Steps:
    account = None
    if read.needs is Needs.KEY:
        opened = await hosts.open_account()
        if isinstance(opened, Failure):
            yield opened
            return
        account = opened
    async for step in _steps(hosts, read, values, extent=extent, account=account):
        yield step


def _steps(
    hosts: ReadHosts, read: Read, values: Values, *, extent: Extent, account: AccountClient | None
) -> Steps:
    match read.host:
        case ReadHost.TRADING:
            return walk_trading(Asking(hosts, values, account), read.name)
        case ReadHost.METADATA:
            size = extent.page_size
            return walk_read(hosts.metadata, read, hosts.dialect, values, page_size=size)
        case ReadHost.ANALYTICS:
            size = extent.page_size
            return walk_read(hosts.analytics, read, hosts.dialect, values, page_size=size)
        case ReadHost.RELAYER if read.decode is not None:
            return walk_read(hosts.relayer, read, hosts.dialect, values, page_size=USUAL_PAGE)
        case ReadHost.RELAYER | ReadHost.GEOGRAPHIC:
            return _whole(hosts, read, values)


async def _whole(hosts: ReadHosts, read: Read, values: Values) -> Steps:
    if read.needs is Needs.RELAYER_KEY:
        rows = await _ask_relayer(hosts, read.name)
        yield rows if isinstance(rows, Failure) else Step(rows, len(rows), 1, 0, None)
        return
    answer = await _ask_single(hosts, read.name, values)
    yield answer if isinstance(answer, Failure) else Step((answer,), 1, 1, 0, None)


async def _ask_relayer(hosts: ReadHosts, name: str) -> tuple[object, ...] | Failure:
    relayer = RelayerClient(hosts.relayer, hosts.relayer_headers)
    if name == "relayer-transactions":
        return await relayer.transactions()
    keys = await relayer.keys()
    if isinstance(keys, Failure):
        return keys
    return tuple(
        answers.RelayerKeyName(
            answers.Word(shorten_key_id(key.api_key)),
            Address(key.address),
            answers.Word(key.created_at),
        )
        for key in keys
    )


async def _ask_single(hosts: ReadHosts, name: str, values: Values) -> object | Failure:
    relayer = RelayerClient(hosts.relayer)
    match name:
        case "geoblock":
            return await GeoblockClient(hosts.geographic).check()
        case "wallet-deployed":
            wallet = Address(values.text("wallet"))
            flag = await relayer.is_deployed(wallet)
            return flag if isinstance(flag, Failure) else answers.Deployed(wallet, flag)
        case "wallet-nonce":
            owner = Address(values.text("owner"))
            nonce = await relayer.nonce(owner)
            return (
                nonce
                if isinstance(nonce, Failure)
                else answers.WalletNonce(owner, answers.Word(str(nonce)))
            )
        case "relayer-transaction":
            found = await relayer.transaction(TransactionId(values.text("id")))
            missing = Failure(FailureKind.NOT_FOUND, "GET /transaction", "no such transaction")
            return missing if found is None else found
        case _:
            raise KeyError(name)
