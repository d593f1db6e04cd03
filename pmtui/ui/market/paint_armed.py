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
_MAKERS = (OneKey.JOIN_BID, OneKey.JOIN_ASK, OneKey.IMPROVE_BID, OneKey.IMPROVE_ASK)
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
    first = [_presets(armed), *_priced(armed, _MAKERS)]
    second = [*_priced(armed, _TAKERS), *_endings(armed)]
    return _joined(first, _clock(armed), width), _joined(second, (), width)


def _presets(armed: ArmedKeys) -> Line:
    cells = [Cell(" ARMED ", Role.ARMED, Emphasis.BOLD)]
    for number, size in enumerate(armed.presets):
        text = format_size_compact(size, width=6).strip()
        key = armed.keys.get(f"preset_{number + 1}", "")
        cells += [Cell(f" {key}" if key else " ", Role.KEY)]
        if number == armed.chosen:
            cells.append(Cell(f" {text} ", Role.ARMED, Emphasis.BOLD))
        else:
            cells.append(Cell(f" {text} ", Role.DIM))
    return tuple(cells)


def _priced(armed: ArmedKeys, wanted: Sequence[OneKey]) -> list[Line]:
    facts: list[Line] = []
    for key in wanted:
        label = armed.keys.get(key.name.lower(), "")
        if not label:
            continue
        price = armed.prices.get(key)
        text = "–" if price is None else format_price(price, tick=armed.tick)
        role = Role.BID if key.side.value == "BUY" else Role.ASK
        facts.append(
            (
                Cell(label, Role.KEY, Emphasis.BOLD), Cell(f" {_NAMES[key]} ", Role.DIM),
                Cell(text, role if price is not None else Role.DIM),
            )
        )  # fmt: skip
    return facts


def _endings(armed: ArmedKeys) -> list[Line]:
    facts: list[Line] = []
    if armed.held and (key := armed.keys.get("flatten_now")):
        size = format_size_compact(armed.held, width=6).strip()
        worth: Line = ()
        if armed.closing is not None:
            worth = (Cell(f" {format_money_change(armed.closing)}", profit_role(armed.closing)),)
        facts.append((Cell(key, Role.KEY, Emphasis.BOLD), Cell(f" flatten {size}"), *worth))
    for name, words in (
        ("cancel_bids", "pull bids"), ("cancel_asks", "pull asks"), ("toggle_arming", "disarm"),
    ):  # fmt: skip
        if key := armed.keys.get(name):
            facts.append((Cell(key, Role.KEY, Emphasis.BOLD), Cell(f" {words}", Role.DIM)))
    return facts


def _clock(armed: ArmedKeys) -> Line:
    minutes, seconds = divmod(max(0, armed.left_s), 60)
    cells = [Cell(f"disarms {minutes}:{seconds:02} ", Role.NOTICE_WARN)]
    if armed.round_trip_ms is not None:
        cells.insert(0, Cell(f"rtt {armed.round_trip_ms} ms  ", Role.DIM))
    return tuple(cells)


def _joined(facts: Sequence[Line], right: Line, width: int) -> Line:
    room = width - line_width(right)
    line: list[Cell] = []
    for fact in facts:
        gap = [Cell("  " if line else " ")]
        if line_width((*line, *gap, *fact)) + 1 > room:
            break
        line += [*gap, *fact]
    if not right or room < 0:
        return fit_line(tuple(line), width)
    return (*line, Cell(" " * (room - line_width(tuple(line)))), *right)
