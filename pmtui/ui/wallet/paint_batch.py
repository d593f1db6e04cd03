"""The card of a batch: drawn from the very bytes that get signed, so that nothing else can be signed."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from pmtui.domain.account.wallet_call import Batch, DecodedCall
from pmtui.domain.formats import count
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_age
from pmtui.ui.plain import cell_width, plain
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.paint_confirm import paint_question
from pmtui.ui.ticket.paint_ticket import wrap_text
from pmtui.ui.wallet.call_words import CallNames, CallWords, describe_call, name_address

_LABEL = 9
_INDENT = "  "
_LEAST_VALUE = 24
"""Cells beside a name, below which a long value has lines of its own."""
NO_GAS = "none: the relayer pays it"


@dataclass(frozen=True, slots=True)
class BatchCard:
    """Everything that a card of a batch says."""

    question: str
    batch: Batch
    meaning: tuple[DecodedCall, ...]
    digest: str
    """What is signed: 0x and 64 hexadecimal digits."""
    outcome: tuple[tuple[str, str], ...] = ()
    """What comes out of it, by name: cash and shares after."""
    warnings: tuple[str, ...] = ()
    """What speaks against it, a sentence each; untrusted."""
    notes: tuple[str, ...] = ()
    """What else has to be known, a sentence each."""


def paint_batch_card(
    card: BatchCard,
    width: int,
    *,
    mode: Mode,
    names: CallNames,
    now: datetime,
    zone: tzinfo | None = None,
    ascii_only: bool = False,
) -> tuple[Line, ...]:
    """Show what is about to be signed.

    Args:
        card: what is asked, and the batch.
        width: cells there are.
        mode: whether this is real money.
        names: of contracts and markets.
        now: for the time that is left.
        zone: of the deadline; the computer's own where absent.
        ascii_only: whether the terminal shows plain ASCII only.
    """
    lines: list[Line] = [paint_question(mode, card.question)]
    for warning in card.warnings:
        lines += _sentence(f"! {plain(warning)}", width, Role.NOTICE_BAD, Emphasis.BOLD)
    for name, value in card.outcome:
        lines += paint_named(name, value, width)
    many = len(card.meaning) > 1
    for number, call in enumerate(card.meaning, 1):
        words = describe_call(call, names)
        lines += paint_call(words, f"{number}. " if many else "", width)
    lines += [(Cell(""),)]
    lines += _common(card, width, names=names, now=now, zone=zone)
    for note in card.notes:
        lines += _sentence(plain(note), width, Role.DIM)
    if not ascii_only:
        return tuple(lines)
    return tuple(
        tuple(cell._replace(text=plain_ascii(cell.text)) for cell in line) for line in lines
    )


def plain_ascii(text: str) -> str:
    """Return a text for a terminal without Unicode, its spaces as they are."""
    return text if text.isascii() else plain(text, ascii_only=True)


def paint_call(words: CallWords, number: str, width: int) -> list[Line]:
    """Show a call in words, then its target, function and arguments."""
    role = Role.NOTICE_WARN if words.is_risky else Role.HEADING
    lines = _sentence(f"{number}{words.does}", width, role, Emphasis.BOLD)
    facts = [("market", words.market)] if words.market else []
    facts += [("on", words.target), ("call", words.function), *words.arguments]
    for name, value in facts:
        lines += paint_named(f"{_INDENT}{name}", value, width)
    return lines


def _common(
    card: BatchCard, width: int, *, names: CallNames, now: datetime, zone: tzinfo | None
) -> list[Line]:
    batch = card.batch
    deadline = datetime.fromtimestamp(batch.deadline_s, tz=UTC)
    left = format_age(max((deadline - now).total_seconds(), 0))
    facts = [
        ("Calls", f"{count(len(batch.calls), 'call')}, all or none"),
        ("Wallet", name_address(batch.wallet, names)),
        ("Nonce", f"{batch.nonce}"),
        ("Deadline", f"{deadline.astimezone(zone):%Y-%m-%d %H:%M:%S %Z} (in {left})"),
        ("Gas", NO_GAS),
        ("Hash", card.digest),
    ]
    return [line for name, value in facts for line in paint_named(name, value, width)]


def paint_named(name: str, value: str, width: int) -> list[Line]:
    """Lay a fact out on as many lines as it takes, because none may be cut."""
    label = max(_LABEL, len(name))
    room = width - label - 1
    if room < _LEAST_VALUE and cell_width(value) > room:
        # A name of a contract's source may be long: its value goes below.
        below = wrap_text(value, max(8, width - 2 * len(_INDENT)))
        rest: list[Line] = [(Cell(f"{_INDENT * 2}{part}"),) for part in below]
        return [(Cell(name[:width], Role.DIM),), *rest]
    return [
        (Cell(f"{name if n == 0 else '':<{label}} ", Role.DIM), Cell(part))
        for n, part in enumerate(wrap_text(value, max(8, room)))
    ]


def _sentence(text: str, width: int, role: Role, emphasis: Emphasis = Emphasis.NONE) -> list[Line]:
    return [(Cell(part, role, emphasis),) for part in wrap_text(text, width)]
