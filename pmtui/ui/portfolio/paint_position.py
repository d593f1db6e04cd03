"""Paints the positions in one market: a line for each outcome; exit, resolution and stops below."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pmtui.domain.account.position import Position, Stake
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.formats import format_shares
from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, Micros, ratio_floor
from pmtui.domain.orders.flattening import Closing
from pmtui.service.views import AccountView, Load
from pmtui.ui.cells import Cell, Line, choose_form, fit_line, line_width
from pmtui.ui.facts import mark_of, paint_apart, paint_average
from pmtui.ui.format import (
    format_money,
    format_money_change,
    format_percent,
    format_price,
    format_size_compact,
    read_paid,
    read_price,
)
from pmtui.ui.ladder.paint_ladder import paint_guard
from pmtui.ui.plain import cell_width, fit, plain
from pmtui.ui.theme.theme import Role, sign_role

_LABEL = 8
NOTHING_PAID: Mapping[TokenId, Micros] = MappingProxyType({})


def paint_positions(
    positions: Sequence[Position],
    labels: Sequence[str],
    width: int,
    *,
    are_known: bool = True,
    is_gain_told: bool = False,
    fees: Mapping[TokenId, Micros] = NOTHING_PAID,
) -> tuple[Line, ...]:
    """Paint the positions in both outcomes, valued as in the portfolio and the status line.

    Args:
        positions: those of one market.
        labels: the outcomes' labels, untrusted.
        width: the cells available.
        are_known: whether the positions are complete.
        is_gain_told: whether the gain is shown above already.
        fees: paid for the shares of resolved positions, by token.
    """
    lines: list[Line] = []
    names = min(_LABEL, max((cell_width(plain(label)) for label in labels), default=0))
    for index, label in enumerate(labels):
        held = next((p for p in positions if p.outcome_index == index and p.size), None)
        name = Cell(fit(label, names) + " ", Role.HEADING)
        if held is None:
            none = Cell("none", Role.DIM) if are_known else Cell("none known", Role.STALE)
            lines.append(fit_line((name, none), width))
            continue
        gains = gain_forms((held,), fees)
        lines.append(_position(name, held, width, gains, is_gain_told=is_gain_told))
    return tuple(lines)


def gain_of(positions: Iterable[Position], fees: Mapping[TokenId, Micros]) -> Micros | None:
    """Return the unrealised gain; of resolved positions the result, net of the fees paid; None if unknown."""
    held = tuple(position for position in positions if position.size)
    gains = [position.unrealized for position in held]
    if not gains or None in gains:
        return None
    paid = sum(fees.get(position.token_id, 0) for position in held)
    return Micros(sum(each for each in gains if each is not None) - paid)


def gain_forms(
    positions: Iterable[Position], fees: Mapping[TokenId, Micros] = NOTHING_PAID
) -> tuple[Line, ...]:
    """Return the gain in forms from the longest to the shortest, each with its basis; empty if it is unknown."""
    held = tuple(position for position in positions if position.size)
    gain = gain_of(held, fees)
    if gain is None:
        return ()
    # A gain in whole cents would be several times the cost of dust.
    cost = sum(p.cost + fees.get(p.token_id, 0) for p in held if not p.is_dust)
    total, percent, basis = _gain(gain), _percent(gain, Micros(cost)), marked_by(held)
    # Selling at the bid brings less, and fees are shown elsewhere, so the gain states its basis; a
    # result needs none.
    brief = "" if all(p.is_settled for p in held) else basis.removeprefix("at ")
    forms = ((total, percent), basis), ((total,), basis), ((total,), brief)
    return tuple((*cells, Cell(f" {word}" if word else "", Role.DIM)) for cells, word in forms)


def net_of(positions: Iterable[Position], labels: Sequence[str]) -> Line:
    """Return the net size of both outcomes if any of the second one is held."""
    held = {p.outcome_index: p.size for p in positions if p.size}
    return _net(held, labels) if held.get(1) else ()


def paint_net(
    positions: Iterable[Position], labels: Sequence[str], net: Stake | None, width: int
) -> Line:
    """Paint the net size with its average, and what pairs bring beside it; empty if nothing is beside it."""
    held = {p.outcome_index: p.size for p in positions if p.size}
    apart = () if net is None else paint_apart(net)
    if len(held) < 2 and not apart:
        return ()
    size = _net(held, labels)
    if net is None or net.entry is None:
        return size
    average, beside = paint_average(net), (Cell("  "), *apart)
    at: Line = (Cell(" at ", Role.DIM), average)
    brief: Line = (Cell(" @", Role.DIM), average._replace(text=average.text.removesuffix("¢")))
    short = (Cell("  "), *paint_apart(net, is_counted=False))
    forms = (
        (*size, *at, *beside),
        (*size, *brief, *beside),
        (*size[1:], *brief, *beside),
        (*size[1:], *brief, *short),
    )
    # What pairs bring is part of the gain above, so it stays before the average does.
    return choose_form((*forms, (*size[1:], *short) if apart else (*size, *brief), size), width)


def _net(held: Mapping[int, Micros], labels: Sequence[str]) -> Line:
    if len(labels) != 2:
        return ()
    net = Micros(held.get(0, 0) - held.get(1, 0))
    sign = "-" if net < 0 else "+" if net else ""
    text = f"{sign}{format_shares(Micros(abs(net)))} {plain(labels[0], 12)}"
    return (Cell("net ", Role.DIM), Cell(text, Role.ASK if net < 0 else Role.BID))


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFacts:
    """Exit, break-even, resolution and stops of the positions in a market, priced as on the ladder shown."""

    net: Stake | None = None
    """The net position; None for dust."""
    exit_now: Closing | None
    """What closing the net position brings now; None without a good book or a bid of others."""
    even: Micros | None
    """The price at which closing it loses nothing, fees included; None without one."""
    most: Micros
    """The profit after the better resolution."""
    least: Micros
    stops: tuple[Line, ...]
    """A phrase for each, in terms of the outcome shown: `▼ stop 38¢`."""
    unprotected: Micros
    """The shares that no stop covers."""
    tick: Micros | None


def paint_position_facts(facts: PositionFacts, width: int) -> tuple[Line, ...]:
    """Paint exit, resolution and stops, a line each, in shorter words if they do not fit.

    The stops take no cents from the amounts: their line is fitted by itself.
    """
    forms = [
        _fact_pairs(facts, names, has_cents=has_cents)
        for names, has_cents in ((_LONG, True), (_SHORT, True), (_SHORT, False))
    ]
    stops = _stop_forms(facts)
    for pairs in forms:
        left = _left_of(pairs)
        lines = tuple(_beside(pair, left) for pair in pairs)
        if all(line_width(line) <= width for line in lines):
            beside = [_beside(pair, at) for pair in stops for at in (left, 0)]
            return (*lines, choose_form(beside, width))
    # The second fact of a line is left out rather than cut.
    left = _left_of(forms[-1])
    return tuple(
        choose_form((_beside(pair, left), pair[0]), width) for pair in (*forms[-1], stops[-1])
    )


def _left_of(pairs: Sequence[tuple[Line, Line]]) -> int:
    return max(line_width(first) for first, _ in pairs)


def _beside(pair: tuple[Line, Line], left: int = 0) -> Line:
    first, second = pair
    gap = max(left - line_width(first), 0) + 2
    return (*first, Cell(" " * gap), *second) if second else first


_LONG = ("exit", "break-even", "max win", "max loss")
_SHORT = ("exit", "b/e", "win", "loss")


def _fact_pairs(
    facts: PositionFacts, names: Sequence[str], *, has_cents: bool
) -> list[tuple[Line, Line]]:
    absent = Cell("–", Role.DIM)
    is_brief, closing = names is _SHORT, facts.exit_now
    mark = mark_of(facts.net)
    now = absent if closing is None else _gain(closing.profit, has_cents=has_cents, mark=mark)
    if closing is not None and closing.is_partial:
        fills, size = (
            format_size_compact(each, width=6).strip() for each in (closing.fills, closing.size)
        )
        names = (f"exit {fills}" if is_brief else f"exit {fills} of {size}", *names[1:])
    even = absent if facts.even is None else Cell(mark + read_price(facts.even, tick=facts.tick))
    values = (
        now, even, _gain(facts.most, has_cents=has_cents), _gain(facts.least, has_cents=has_cents),
    )  # fmt: skip
    told: list[Line] = [
        (Cell(f"{name} ", Role.DIM), value) for name, value in zip(names, values, strict=True)
    ]
    return [(told[0], told[1]), (told[2], told[3])]


def _stop_forms(facts: PositionFacts) -> tuple[tuple[Line, Line], ...]:
    """Return the stop and what it leaves uncovered, in forms from the longest to the shortest."""
    if not facts.stops:
        return (((Cell("no stop", Role.DIM),), ()),)
    (stop, *others) = facts.stops
    stops = paint_guard(Trigger.STOP, f"{len(facts.stops)} stops") if others else stop
    if not facts.unprotected:
        return (stops, (Cell("all protected", Role.DIM),)), (stops, ())
    size = format_shares(facts.unprotected)
    words = f"{size} unprotected", f"{size} unprot."
    return (*((stops, (Cell(text, Role.NOTICE_WARN),)) for text in words), (stops, ()))


def _gain(gain: Micros, *, has_cents: bool = True, mark: str = "") -> Cell:
    role = sign_role(gain)
    if has_cents:
        return Cell(mark + format_money_change(gain), role)
    dollars = (abs(gain) + ONE // 2) // ONE * ONE
    text = format_money_change(Micros(-dollars if gain < 0 else dollars))
    return Cell(mark + text.removesuffix(".00"), role)


def _percent(gain: Micros, cost: Micros) -> Cell:
    """Return a gain in per cent of the cost; empty without a cost."""
    if not cost:
        return Cell("")
    ratio = format_percent(ratio_floor(gain, cost))
    return Cell(f" {'+' if gain > 0 else ''}{ratio}", Role.DIM)


def account_words(account: AccountView, *, is_starting: bool = False) -> str:
    """Return why the account cannot be shown; empty when it can.

    Args:
        account: the account.
        is_starting: whether no host has answered yet, so that a missing key is not known either.
    """
    match account.load:
        case Load.EMPTY if not is_starting:
            return "No key: no account."
        case Load.EMPTY | Load.LOADING:
            return "Loading the account…"
        case Load.FAILED:
            return f"Account not loaded: {plain(account.problem) or 'no answer'}."
        case Load.READY:
            return ""


def marked_by(positions: Iterable[Position]) -> str:
    """Return by which prices positions are valued: `at mid`, or the payout of a resolved market."""
    prices = {each.current_price if each.is_settled else None for each in positions}
    if None in prices:
        return "at mid"
    (price, *others) = prices
    return "resolved" if others or price is None else f"pays {format_price(price)}"


def _position(
    name: Cell, held: Position, width: int, gains: tuple[Line, ...], *, is_gain_told: bool
) -> Line:
    """Return the longest form that fits; words go before the gain does."""
    average = read_paid(held.average_price)
    size = Cell(format_shares(held.size), Role.OWN_ORDER)
    bought: Line = (name, size, Cell(" at ", Role.DIM), Cell(average))
    brief: Line = (name, size, Cell(" @", Role.DIM), Cell(average.removesuffix("¢")))
    compact = size._replace(text=format_size_compact(held.size).strip())
    least = compact._replace(text=format_size_compact(held.size, width=max(1, width - _LABEL - 1)))
    bare: tuple[Line, ...] = (bought, brief, (name, compact), (name, least))
    if held.value is None or not gains:
        return fit_line(choose_form(bare, width), width)
    value: Line = (Cell(" · ", Role.DIM), Cell(format_money(held.value)))
    worth, short = (*bought, *value), (*brief, *value)
    if is_gain_told:
        return fit_line(choose_form((worth, short, *bare), width), width)
    gap = Cell("  ")
    forms = [(*worth, gap, *gain) for gain in gains]
    forms += [(*bought, gap, *gain) for gain in gains]
    forms += [(*start, Cell(" "), *gains[-1]) for start in (bought, brief, (name, compact))]
    return fit_line(choose_form((*forms, *bare), width), width)
