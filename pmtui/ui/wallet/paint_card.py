"""Paints the card of a wallet step: exactly what is signed.

The calls are decoded from the very bytes of the batch. Addresses, hashes and numbers are never
cropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from pmtui.domain.account.address_book import AddressBook
from pmtui.domain.account.wallet_steps import (
    UNLIMITED_APPROVAL,
    Approve,
    Deploy,
    Flow,
    FlowKind,
    Send,
)
from pmtui.domain.formats import count, exact_dollars
from pmtui.domain.ids import Address, TokenId
from pmtui.domain.money import Micros, group_micros
from pmtui.service.views import Mode
from pmtui.service.wallet.wallet_views import CallView, Simulation, WalletCard, WalletView
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_age, format_money, shown_time
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.theme.theme import Role, sign_role
from pmtui.ui.ticket.paint_confirm import paint_question
from pmtui.ui.ticket.paint_ticket import paint_text, wrap_text

_LABEL = 9
_INDENT = "  "
_LEAST_VALUE = 24
"""With fewer cells beside its name, a long value gets its own lines."""
_LONGEST_WORDS = 400
_UNLIMITED = str(UNLIMITED_APPROVAL)


@dataclass(frozen=True, slots=True)
class WalletFunds:
    """What the wallet holds before a step, as far as known."""

    cash: Micros | None = None
    """What no working order reserves, as in the status line."""
    shares: Mapping[TokenId, Micros] = field(default_factory=lambda: MappingProxyType({}))
    names: Mapping[Address, str] = field(default_factory=lambda: MappingProxyType({}))
    """The names of known contracts and of the address book."""


def funds_of(view: WalletView, book: AddressBook, cash: Micros | None = None) -> WalletFunds:
    """Return what a wallet holds, and the names of addresses; contracts keep their own names.

    Args:
        view: the wallet.
        book: the address book.
        cash: what no working order reserves; None if unknown.
    """
    contacts = {each.address: f"“{plain(each.name)}” of the address book" for each in book.contacts}
    outcomes = (each for settlement in view.settlements for each in settlement.outcomes)
    return WalletFunds(
        cash,
        {each.token_id: each.size for each in outcomes},
        contacts | {each.approval.contract: each.name for each in view.approvals},
    )


def paint_card(
    card: WalletCard,
    width: int,
    *,
    mode: Mode,
    held: WalletFunds,
    now: datetime,
) -> tuple[Line, ...]:
    """Paint what is about to be signed, or submitted without a signature.

    Args:
        card: the prepared card.
        width: the cells available.
        mode: whether this is real money.
        held: the holdings before it.
        now: for the time left.
    """
    # A market's name is often a question already.
    asked = plain(card.title).rstrip("?")
    first, *rest = wrap_text(f"{asked}?", max(8, width - len(mode.value) - 3))
    lines: list[Line] = [paint_question(mode, first)]
    lines += [(Cell(part, Role.HEADING),) for part in rest]
    for warning in _against(card):
        if isinstance(card.step, Deploy):
            # The warning explains why there is nothing else to read.
            lines += paint_text(plain(warning), width, Role.NOTICE_WARN)
        else:
            lines += paint_text(f"! {plain(warning)}", width, Role.NOTICE_BAD, Emphasis.BOLD)
    lines += paint_flows(card.flows, held, width)
    is_risky = isinstance(card.step, Approve | Send)
    for number, call in enumerate(card.calls, 1):
        shown = f"{number}. " if len(card.calls) > 1 else ""
        lines += paint_call(call, shown, width, names=held.names, is_risky=is_risky)
    if card.message:
        lines += paint_text("Signs this text, which moves no money:", width, Role.HEADING)
        lines += [line for text in card.message.splitlines() for line in _quoted(text, width)]
    lines.append((Cell(""),))
    for name, value in _common(card, now):
        lines += paint_named(name, value, width)
    return tuple(lines)


def paint_flows(flows: Sequence[Flow], held: WalletFunds, width: int) -> list[Line]:
    """Paint the results of a step, each with the holding before and after it."""
    lines: list[Line] = []
    for flow in flows:
        before = held.cash if flow.kind is FlowKind.CASH else _shares(flow, held)
        change = _signed(flow)
        role = sign_role(flow.amount)
        what = "Cash" if flow.kind is FlowKind.CASH else plain(flow.label, max(8, width - 44))
        after = "" if before is None else _after(flow, before)
        text = f"{what}{after}"
        first, *rest = wrap_text(text, max(8, width - len(change) - 2))
        lines.append((Cell(f"{change}  ", role, Emphasis.BOLD), Cell(first)))
        lines += [(Cell(f"{' ' * len(change)}  {part}"),) for part in rest]
    return lines


def paint_call(
    call: CallView,
    number: str,
    width: int,
    *,
    names: Mapping[Address, str],
    is_risky: bool = False,
) -> list[Line]:
    """Paint a call in words, then its target, function and arguments."""
    role = Role.NOTICE_WARN if is_risky else Role.HEADING
    words = f"{number}{plain(call.words, _LONGEST_WORDS)}"
    lines = list(paint_text(words, width, role, Emphasis.BOLD))
    is_named = bool(call.contract) and call.contract != call.target
    contract = plain(call.contract) if is_named else "UNKNOWN contract"
    facts = [("on", f"{contract} {call.target}")]
    inside = ", ".join(name for name, _ in call.arguments)
    facts.append(("call", f"{plain(call.function)}({inside})"))
    by_address = {address.lower(): name for address, name in names.items()}
    for name, value in call.arguments:
        known = by_address.get(value.lower(), "")
        if value == _UNLIMITED:
            facts.append((plain(name), "unlimited (2^256 - 1)"))
            continue
        facts.append((plain(name), f"{known} {plain(value)}".lstrip()))
    for name, value in facts:
        lines += paint_named(f"{_INDENT}{name}", value, width)
    return lines


def paint_named(name: str, value: str, width: int) -> list[Line]:
    """Paint a fact on as many lines as needed, because none may be cropped."""
    label = max(_LABEL, len(name))
    room = width - label - 1
    if room < _LEAST_VALUE and cell_width(value) > room:
        # A name from a contract's source may be long: its value goes below.
        below = wrap_text(value, max(8, width - 2 * len(_INDENT)))
        rest: list[Line] = [(Cell(f"{_INDENT * 2}{part}"),) for part in below]
        return [(Cell(name[:width], Role.DIM),), *rest]
    return [
        (Cell(f"{name if n == 0 else '':<{label}} ", Role.DIM), Cell(part))
        for n, part in enumerate(wrap_text(value, max(8, room)))
    ]


def _against(card: WalletCard) -> tuple[str, ...]:
    reason = plain(card.revert_reason, 160) or "the contract gives no reason"
    match card.simulation:
        case Simulation.REVERTS:
            return (f"The chain would revert it: {reason}", *card.warnings)
        case Simulation.MAY_REVERT:
            return (f"It may revert: tried alone, {reason}", *card.warnings)
        case _:
            return card.warnings


def _common(card: WalletCard, now: datetime) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    if card.calls:
        facts.append(("Calls", f"{count(len(card.calls), 'call')}, all of them or none"))
        facts.append(("Tried", _SIMULATIONS[card.simulation]))
    facts += [
        ("Wallet", card.wallet),
        ("Owner", f"{card.owner} signs" if card.digest else card.owner),
    ]
    if card.nonce is not None:
        facts.append(("Nonce", f"{card.nonce}"))
    if card.deadline is not None:
        left = format_age(max((card.deadline - now).total_seconds(), 0))
        at = shown_time(card.deadline)
        facts.append(("Deadline", f"{at:%Y-%m-%d %H:%M:%S %Z} (in {left})"))
    if card.gas and (card.calls or isinstance(card.step, Deploy)):
        facts.append(("Gas", f"paid by {plain(card.gas)}"))
    if card.digest:
        facts.append(("Hash", card.digest))
    return facts


_SIMULATIONS = {
    Simulation.NOT_ASKED: "not on the chain: no chain is asked",
    Simulation.PASSES: "on the chain before: it goes through",
    Simulation.PASSES_APART: "on the chain before: each call goes through by itself",
    Simulation.MAY_REVERT: "on the chain call by call: it could not be tried as a whole",
    Simulation.REVERTS: "on the chain before: it reverts",
}


def _shares(flow: Flow, held: WalletFunds) -> Micros | None:
    if flow.token_id is None or not held.shares:
        return None
    return held.shares.get(flow.token_id, Micros(0))


def _signed(flow: Flow) -> str:
    sign = "+" if flow.amount > 0 else "-" if flow.amount < 0 else ""
    size = Micros(abs(flow.amount))
    return f"{sign}{exact_dollars(size) if flow.kind is FlowKind.CASH else group_micros(size)}"


def _after(flow: Flow, before: Micros) -> str:
    after = Micros(before + flow.amount)
    if flow.kind is FlowKind.CASH:
        return f": {format_money(before)} now, {format_money(after)} after"
    return f": {group_micros(before)} now, {group_micros(after)} after"


def _quoted(text: str, width: int) -> list[Line]:
    parts = wrap_text(plain(text), max(8, width - 2)) or ("",)
    return [(Cell("| ", Role.DIM), Cell(part)) for part in parts]
