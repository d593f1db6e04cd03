"""The wallet's transactions: a row each, and one of them in full."""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from pmtui.domain.account.wallet_call import DecodedCall, TransactionStatus, WalletTransaction
from pmtui.domain.formats import count
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.facts import ABSENT
from pmtui.ui.format import format_age
from pmtui.ui.plain import Align, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.wallet.call_words import CallNames, describe_call, shorten_hash
from pmtui.ui.wallet.paint_batch import paint_call, paint_named

TRANSACTION_COLUMNS = (
    Column("age", "Age", 4, align=Align.RIGHT),
    Column("state", "State", 11),
    Column("title", "What", 20, grow=1),
    Column("calls", "Calls", 5, priority=1, align=Align.RIGHT),
    Column("nonce", "Nonce", 5, priority=2, align=Align.RIGHT),
    Column("relayer", "Relayer says", 16, priority=1),
    Column("hash", "Hash", 19),
)
_STATES = {
    TransactionStatus.SENDING: ("… sending", Role.STALE),
    TransactionStatus.UNKNOWN: ("? unknown", Role.NOTICE_WARN),
    TransactionStatus.PENDING: ("… pending", Role.STALE),
    TransactionStatus.CONFIRMED: ("+ confirmed", Role.NOTICE_GOOD),
    TransactionStatus.FAILED: ("x failed", Role.NOTICE_BAD),
}
_SENTENCES = {
    TransactionStatus.SENDING: "journaled and sent; there is no answer yet",
    TransactionStatus.UNKNOWN: "no answer: it may have been taken, is looked for, and is never "
    "submitted again",
    TransactionStatus.PENDING: "the relayer has it and has not said how it ended",
    TransactionStatus.CONFIRMED: "final on chain",
    TransactionStatus.FAILED: "it changed nothing and cannot any more",
}


def paint_transaction_row(key: str, transaction: WalletTransaction, now: datetime) -> Row:
    """Show a transaction on one line."""
    text, role = _STATES[transaction.status]
    age_s = (now - transaction.created_at).total_seconds()
    nonce = ABSENT if transaction.nonce is None else f"{transaction.nonce}"
    told = plain(transaction.relayer_state).removeprefix("STATE_").lower()
    cells = (
        Cell(format_age(max(age_s, 0)), Role.DIM),
        Cell(text, role),
        Cell(plain(transaction.title)),
        Cell(f"{len(transaction.calls) or ABSENT}", Role.DIM),
        Cell(nonce, Role.DIM),
        Cell(told or ABSENT, Role.DIM),
        Cell(shorten_hash(plain(transaction.hash)) or ABSENT, Role.DIM),
    )
    return Row(key, cells)


def say_state(transaction: WalletTransaction) -> Cell:
    """Say how a transaction stands, with the reason where there is one."""
    _, role = _STATES[transaction.status]
    reason = f": {plain(transaction.reason, 160)}" if transaction.reason else ""
    return Cell(f"{_SENTENCES[transaction.status]}{reason}", role)


def say_calls(meaning: Sequence[DecodedCall], names: CallNames) -> str:
    """Say what the calls of a transaction do, the first in words and how many more."""
    if not meaning:
        return ""
    first = describe_call(meaning[0], names).does
    more = len(meaning) - 1
    return f"{first}, and {count(more, 'more call')}" if more else first


def paint_transaction(
    transaction: WalletTransaction,
    meaning: Sequence[DecodedCall],
    width: int,
    *,
    names: CallNames,
    now: datetime,
    zone: tzinfo | None = None,
) -> tuple[Line, ...]:
    """Show a transaction in full.

    Args:
        transaction: the one.
        meaning: of its calls, in their order; those of a deployment are none.
        width: cells there are.
        names: of contracts and markets.
        now: for its age.
        zone: of the times shown; the computer's own where absent.
    """
    state = say_state(transaction)
    created = transaction.created_at.astimezone(zone)
    age = format_age(max((now - transaction.created_at).total_seconds(), 0))
    lines: list[Line] = [(Cell(plain(transaction.title, width), Role.HEADING, Emphasis.BOLD),)]
    facts = [
        ("State", f"{transaction.status.value}: {state.text}"),
        ("Relayer", plain(transaction.relayer_state) or "has told no state yet"),
        ("Created", f"{created:%Y-%m-%d %H:%M:%S %Z} ({age} ago)"),
        ("Id", plain(transaction.transaction_id or "") or "none yet"),
        ("Hash", plain(transaction.hash) or "none yet"),
        ("Wallet", transaction.wallet),
        ("Owner", transaction.owner),
    ]
    if transaction.deadline_s is not None:
        deadline = datetime.fromtimestamp(transaction.deadline_s, tz=UTC).astimezone(zone)
        facts += [
            ("Nonce", f"{transaction.nonce}"),
            ("Deadline", f"{deadline:%Y-%m-%d %H:%M:%S %Z}"),
            ("Signed", transaction.key),
        ]
    for name, value in facts:
        lines += paint_named(name, value, width)
    many = len(meaning) > 1
    for number, call in enumerate(meaning, 1):
        lines.append((Cell(""),))
        lines += paint_call(describe_call(call, names), f"{number}. " if many else "", width)
    if len(meaning) < len(transaction.calls):
        unread = count(len(transaction.calls) - len(meaning), "call")
        lines.append((Cell(f"{unread} cannot be decoded", Role.NOTICE_WARN),))
    return tuple(lines)
