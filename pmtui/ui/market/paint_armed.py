"""What single keys do while they are armed: the sizes, every key with its price, and for how long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pmtui.domain.money import ZERO, Micros
from pmtui.domain.orders.single_keys import OneKey
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.format import format_money_change, format_price, format_size_compact
from pmtui.ui.ladder.paint_ladder import profit_role
from pmtui.ui.theme.theme import Role

_NAMES = {
    OneKey.JOIN_BID: "join bid", OneKey.JOIN_ASK: "join ask", OneKey.IMPROVE_BID: "improve bid",
    OneKey.IMPROVE_ASK: "improve ask", OneKey.HIT_BID: "hit", OneKey.TAKE_ASK: "lift",
    OneKey.BUY_HERE: "buy here", OneKey.SELL_HERE: "sell here",
}  # fmt: skip
_SHORT_NAMES = {
    OneKey.JOIN_BID: "bid", OneKey.JOIN_ASK: "ask", OneKey.IMPROVE_BID: "",
    OneKey.IMPROVE_ASK: "", OneKey.HIT_BID: "hit", OneKey.TAKE_ASK: "lift",
    OneKey.BUY_HERE: "buy", OneKey.SELL_HERE: "sell",
}  # fmt: skip
_ROOMY = 110
"""With fewer columns every word is as short as it can be, so that no key is left out."""
_WIDE = 140
"""With fewer, names are short."""
_MAKERS = (OneKey.JOIN_BID, OneKey.JOIN_ASK, OneKey.IMPROVE_BID, OneKey.IMPROVE_ASK)
_BY_SIDE = (OneKey.JOIN_BID, OneKey.IMPROVE_BID, OneKey.JOIN_ASK, OneKey.IMPROVE_ASK)
_TAKERS = (OneKey.HIT_BID, OneKey.TAKE_ASK, OneKey.BUY_HERE, OneKey.SELL_HERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmedKeys:
    """What the two lines tell."""

    presets: tuple[Micros, ...]
    chosen: int
    """Which of the presets is sent."""
    prices: Mapping[OneKey, Micros | None]
    """What each key would send now; None where it sends nothing."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """How each action's key is written, by its name in the market's context."""
    held: Micros = ZERO
    """Shares of the outcome on show."""
    closing: Micros | None = None
    """What selling them now would bring against their cost, net of fees."""
    round_trip_ms: int | None = None
    left_s: int = 0
    """Seconds until single keys are disarmed by themselves."""
    tick: Micros | None = None


def paint_armed(armed: ArmedKeys, width: int) -> tuple[Line, Line]:
    """Return the sizes with what makes, and what takes with what ends; the clock stays at the right.

    What there is no room for is left out whole, from the end of each line.
    """
    is_brief, has_short_names = width < _ROOMY, width < _WIDE
    makers = _BY_SIDE if has_short_names else _MAKERS
    first = [
        _presets(armed, is_brief=is_brief),
        *_priced(armed, makers, is_brief=is_brief, is_short=has_short_names),
    ]
    second = [
        *_priced(armed, _TAKERS, is_brief=is_brief, is_short=has_short_names),
        *_endings(armed, is_brief=has_short_names),
    ]
    clock = _clock(armed, is_brief=is_brief)
    return (
        _joined(first, clock, width, is_brief=is_brief),
        _joined(second, (), width, is_brief=is_brief),
    )


def _presets(armed: ArmedKeys, *, is_brief: bool) -> Line:
    cells = [Cell(" ARMED ", Role.ARMED, Emphasis.BOLD)]
    for number, size in enumerate(armed.presets):
        text = format_size_compact(size, width=6).strip()
        key = armed.keys.get(f"preset_{number + 1}", "")
        cells += [Cell(f" {key}" if key else " ", Role.KEY)]
        if number == armed.chosen:
            cells.append(Cell(f" {text} ", Role.ARMED, Emphasis.BOLD))
        else:
            cells.append(Cell(f" {text}" if is_brief else f" {text} ", Role.DIM))
    return tuple(cells)


def _priced(
    armed: ArmedKeys, wanted: Sequence[OneKey], *, is_brief: bool, is_short: bool
) -> list[Line]:
    names = _SHORT_NAMES if is_short else _NAMES
    facts: list[Line] = []
    for key in wanted:
        label = armed.keys.get(key.name.lower(), "")
        if not label:
            continue
        price = armed.prices.get(key)
        text = "–" if price is None else format_price(price, tick=armed.tick)
        if is_brief:
            text = text.removesuffix("¢")
        role = Role.BID if key.side.value == "BUY" else Role.ASK
        facts.append(
            (
                Cell(label, Role.KEY, Emphasis.BOLD), Cell(f" {names[key]} " if names[key] else " ", Role.DIM),
                Cell(text, role if price is not None else Role.DIM),
            )
        )  # fmt: skip
    return facts


def _endings(armed: ArmedKeys, *, is_brief: bool) -> list[Line]:
    facts: list[Line] = []
    if armed.held and (key := armed.keys.get("flatten_now")):
        size = format_size_compact(armed.held, width=6).strip()
        worth: Line = ()
        if armed.closing is not None:
            worth = (Cell(f" {format_money_change(armed.closing)}", profit_role(armed.closing)),)
        facts.append(
            (
                Cell(key, Role.KEY, Emphasis.BOLD),
                Cell(f" {'flat' if is_brief else 'flatten'} {size}"),
                *worth,
            )
        )
    pulled = ("bids", "asks", "off") if is_brief else ("pull bids", "pull asks", "disarm")
    names = ("cancel_bids", "cancel_asks", "toggle_arming")
    for name, words in zip(names, pulled, strict=True):
        if key := armed.keys.get(name):
            facts.append((Cell(key, Role.KEY, Emphasis.BOLD), Cell(f" {words}", Role.DIM)))
    return facts


def _clock(armed: ArmedKeys, *, is_brief: bool) -> Line:
    minutes, seconds = divmod(max(0, armed.left_s), 60)
    cells = [Cell(f"{'off' if is_brief else 'disarms'} {minutes}:{seconds:02} ", Role.NOTICE_WARN)]
    if is_brief and armed.round_trip_ms is not None:
        return (Cell(f"{armed.round_trip_ms}ms ", Role.DIM), *cells)
    if armed.round_trip_ms is not None:
        cells.insert(0, Cell(f"rtt {armed.round_trip_ms} ms  ", Role.DIM))
    return tuple(cells)


def _joined(facts: Sequence[Line], right: Line, width: int, *, is_brief: bool) -> Line:
    room = width - line_width(right)
    line: list[Cell] = []
    for fact in facts:
        gap = [Cell(" " if is_brief or not line else "  ")]
        if line_width((*line, *gap, *fact)) + 1 > room:
            break
        line += [*gap, *fact]
    if not right or room < 0:
        return fit_line(tuple(line), width)
    return (*line, Cell(" " * (room - line_width(tuple(line)))), *right)
