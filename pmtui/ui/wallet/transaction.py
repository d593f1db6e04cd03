"""The wallet's transactions: a row each, and one in full."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import ClassVar

from textual.binding import BindingType
from typing_extensions import override

from pmtui.domain.account.wallet_transactions import (
    TransactionKey,
    TransactionStatus,
    describe_state,
)
from pmtui.domain.formats import count, shorten_id
from pmtui.domain.ids import Address
from pmtui.service.topics import Topic, WalletTopic
from pmtui.service.wallet.wallet_views import TransactionView
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.explore.reading import ReadingScreen
from pmtui.ui.facts import ABSENT
from pmtui.ui.format import format_age, shown_time
from pmtui.ui.frame import CursorItem
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import bindings_for
from pmtui.ui.plain import Align, plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.wallet.paint_card import funds_of, paint_call, paint_named

TRANSACTION_COLUMNS = (
    Column("age", "Age", 4, align=Align.RIGHT),
    Column("state", "State", 11, is_essential=True),
    Column("title", "What", 20, grow=1, is_essential=True),
    Column("calls", "Calls", 5, priority=1, align=Align.RIGHT),
    Column("nonce", "Nonce", 5, priority=2, align=Align.RIGHT),
    Column("relayer", "Relayer says", 12, priority=1),
    Column("hash", "Hash", 15),
)
_STATES = {
    TransactionStatus.SENDING: ("… sending", Role.STALE),
    TransactionStatus.UNKNOWN: ("? unknown", Role.NOTICE_WARN),
    TransactionStatus.PENDING: ("… pending", Role.STALE),
    TransactionStatus.CONFIRMED: ("+ confirmed", Role.NOTICE_GOOD),
    TransactionStatus.FAILED: ("x failed", Role.NOTICE_BAD),
}
_DOUBTED = ("! confirmed", Role.NOTICE_WARN)
BY_RELAYER = "by the relayer's word alone"
_SENTENCES = {
    TransactionStatus.SENDING: "journaled and sent; there is no answer yet",
    TransactionStatus.UNKNOWN: "it may have been carried out; it is looked for, and never "
    "submitted again",
    TransactionStatus.PENDING: "the relayer has it and has not said how it ended",
    TransactionStatus.CONFIRMED: "final on chain",
    TransactionStatus.FAILED: "it changed nothing and cannot any more",
}


def paint_transaction_row(key: str, transaction: TransactionView, now: datetime) -> Row:
    """Paint a transaction in one row."""
    text, role = _STATES[transaction.status]
    if transaction.status is TransactionStatus.CONFIRMED and transaction.chain_view:
        text, role = _DOUBTED
    nonce = ABSENT if transaction.nonce is None else f"{transaction.nonce}"
    state = plain(transaction.relayer_state).removeprefix("STATE_").lower()
    cells = (
        Cell(_age(transaction.created_at, now), Role.DIM),
        Cell(text, role),
        Cell(plain(transaction.title), Role.TEXT if transaction.is_ours else Role.DIM),
        Cell(f"{len(transaction.calls) or ABSENT}", Role.DIM),
        Cell(nonce, Role.DIM),
        Cell(state or ABSENT, Role.DIM),
        Cell(shorten_id(plain(transaction.hash)) or ABSENT, Role.DIM),
    )
    return Row(key, cells)


def paint_state(transaction: TransactionView) -> Cell:
    """Paint the state of a transaction, with the reason if there is one."""
    _, role = _STATES[transaction.status]
    is_doubted = transaction.status is TransactionStatus.CONFIRMED and bool(transaction.chain_view)
    sentence = BY_RELAYER if is_doubted else _SENTENCES[transaction.status]
    role = Role.NOTICE_WARN if is_doubted else role
    reason = f": {plain(transaction.reason, 160)}" if transaction.reason else ""
    followed = "" if transaction.is_followed else "; it is not asked about any more"
    return Cell(f"{sentence}{reason}{followed}", role)


def describe_calls(transaction: TransactionView) -> str:
    """Return what a transaction's calls do: the first in words, and the number of others."""
    if not transaction.calls:
        return ""
    first, more = plain(transaction.calls[0].words), len(transaction.calls) - 1
    return f"{first}, and {count(more, 'more call')}" if more else first


def paint_transaction(
    transaction: TransactionView,
    width: int,
    *,
    names: Mapping[Address, str],
    now: datetime,
) -> tuple[Line, ...]:
    """Paint a transaction in full.

    Args:
        transaction: the transaction.
        width: the cells available.
        names: the names of contracts.
        now: for its age.
    """
    lines: list[Line] = [(Cell(plain(transaction.title, width), Role.HEADING, Emphasis.BOLD),)]
    facts = [
        ("State", f"{transaction.status.value}: {paint_state(transaction).text}"),
        ("Relayer", plain(describe_state(transaction.relayer_state)) or "has told no state yet"),
        ("Created", _moment(transaction.created_at, now)),
    ]
    if transaction.relayer_view:
        facts.append(("Differs", plain(f"the relayer says that {transaction.relayer_view}", 160)))
    if transaction.chain_view:
        facts.append(("Chain", plain(transaction.chain_view, 160)))
    if transaction.changed_at is not None:
        facts.append(("Changed", _moment(transaction.changed_at, now)))
    facts += [
        ("Id", plain(transaction.transaction_id or "") or "none yet"),
        ("Hash", plain(transaction.hash) or "none yet"),
    ]
    if transaction.nonce is not None:
        facts += [("Nonce", f"{transaction.nonce}"), ("Signed", transaction.key)]
    if transaction.deadline is not None:
        deadline = shown_time(transaction.deadline)
        facts.append(("Deadline", f"{deadline:%Y-%m-%d %H:%M:%S %Z}"))
    if not transaction.is_ours:
        facts.append(("Sent by", "another program with the same key"))
    for name, value in facts:
        lines += paint_named(name, value, width)
    many = len(transaction.calls) > 1
    for number, call in enumerate(transaction.calls, 1):
        lines.append((Cell(""),))
        lines += paint_call(call, f"{number}. " if many else "", width, names=names)
    return tuple(lines)


def _moment(at: datetime, now: datetime) -> str:
    return f"{shown_time(at):%Y-%m-%d %H:%M:%S %Z} ({_age(at, now)} ago)"


def _age(at: datetime, now: datetime) -> str:
    return format_age(max((now - at).total_seconds(), 0))


class TransactionScreen(ReadingScreen):
    """What a wallet transaction does, and its state."""

    ABOUT: ClassVar[str] = "What a transaction of the wallet does, and how it stands."

    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.TRANSACTION,)
    BINDINGS: ClassVar[list[BindingType]] = bindings_for(Context.TRANSACTION)

    def __init__(self, surface: Surface, key: TransactionKey) -> None:
        """Show the transaction with this key."""
        super().__init__(surface)
        self._key = key

    def action_switch_following(self) -> None:
        """Stop checking the transaction, or resume."""
        found = self._transaction()
        if found is None or found.status.is_over or not found.is_ours:
            self.message_line.show(
                "This transaction is over, or not yours: there is nothing to check."
            )
        elif found.is_followed:
            self.surface.commands.stop_following(self._key)
            self.message_line.show("No longer checked; it may still be carried out.")
        else:
            self.surface.commands.follow_again(self._key)
            self.message_line.show("Checked again until it ends.")

    @override
    def topics(self) -> Iterable[Topic]:
        return (WalletTopic(),)

    @override
    def heading_words(self) -> tuple[str, str]:
        found = self._transaction()
        return "Transaction", found.title if found is not None else ""

    @override
    def cursor_item(self) -> CursorItem:
        found = self._transaction()
        return (
            CursorItem() if found is None else CursorItem(copied=("transaction hash", found.hash))
        )

    @override
    def rows(self, width: int) -> tuple[Row, ...]:
        found = self._transaction()
        if found is None:
            return (Row("gone", (Cell("The relayer does not list it any more."),)),)
        view, now = self.surface.queries.wallet(), self.surface.queries.now()
        names = funds_of(view, self.surface.queries.address_book()).names
        lines = paint_transaction(found, width, names=names, now=now)
        return tuple(Row(f"{number}", (_joined(line),)) for number, line in enumerate(lines))

    def _transaction(self) -> TransactionView | None:
        listed = self.surface.queries.wallet().transactions
        return next((each for each in listed if each.key == self._key), None)


def _joined(line: Line) -> Cell:
    """Return a line as the single cell that a reading screen shows."""
    if not line:
        return Cell("")
    text = "".join(cell.text for cell in line)
    return line[-1]._replace(text=text)
