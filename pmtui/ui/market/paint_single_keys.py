"""Paints single keys: the sizes, every key with its price, the time left, and each result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookView
from pmtui.domain.formats import count, format_shares
from pmtui.domain.ids import TokenId
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.money import ONE, ZERO, Micros
from pmtui.domain.orders.amounts import to_finest_tick
from pmtui.domain.orders.flattening import Closing
from pmtui.domain.orders.order import Accepted, Order, OrderStatus, Rejected, Unknown, Verdict
from pmtui.domain.orders.single_keys import SingleKey
from pmtui.service.surface import PreparedOrder
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.facts import key_of
from pmtui.ui.format import (
    format_money_change,
    format_past_money,
    format_price,
    format_size_compact,
)
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.plain import ellipsize_words, plain
from pmtui.ui.portfolio.paint_orders import describe_traded
from pmtui.ui.portfolio.paint_position import NOTHING_PAID, gain_of
from pmtui.ui.theme.theme import Role, sign_role

_LABEL = 14
_REASON = 80
_UNMATCHED = "no orders found to match"
_NOT_SENT = "Not sent: "


def paint_arming(
    size: Micros,
    book: BookView,
    *,
    is_permitted: bool,
    are_keys_locked: bool = False,
    is_over: bool = False,
) -> Line:
    """Paint why single keys do not trade while they are armed; empty if they do.

    That they do is shown by the frames, and with size and time by the lines of the dials.

    Args:
        size: the chosen preset.
        book: the book shown.
        is_permitted: whether an override is active.
        are_keys_locked: whether a ticket has the focus, so that no key trades.
        is_over: whether trading in this market has ended.
    """
    if is_over:
        return (Cell(" KEYS OFF HERE ", Role.DIM, Emphasis.BOLD),)
    if are_keys_locked:
        return (Cell(" KEYS IN TICKET ", Role.DIM, Emphasis.BOLD),)
    if book.state.is_good:
        return ()
    if is_permitted:
        return (Cell(f" OVERRIDE {format_shares(size)}+ ", Role.NOTICE_BAD, Emphasis.BOLD),)
    return (Cell(" KEYS LOCKED ", Role.NOTICE_WARN, Emphasis.BOLD),)


def describe_sent(order: PreparedOrder, *, takes: bool, warnings: Sequence[str] = ()) -> str:
    """Return what a key sent, with warnings."""
    what = _describe_order(order)
    return _warned(f"Sent {what} (taker)." if takes else f"Sent {what}.", warnings)


def describe_end(
    verdict: Verdict, order: PreparedOrder, *, warnings: Sequence[str] = (),
    cleared: str = "", if_not_sold: str = "",
) -> str:  # fmt: skip
    """Return how a key's order ended, naming it, because several may be pending.

    Args:
        verdict: how it ended, or that this is unknown.
        order: the prepared order.
        warnings: warnings about it.
        cleared: the orders cancelled for it, in words.
        if_not_sold: what to do if remaining own orders prevented the sale.
    """
    if isinstance(verdict, Rejected):
        # Nothing was sent, so there is nothing to warn about.
        warnings = ()
    if isinstance(verdict, Rejected) and verdict.is_blocked_by_own:
        said = f"{plain(verdict.reason, _REASON)}: {if_not_sold}."
    else:
        said = _describe_end(verdict, order)
    return _warned(f"{said.removesuffix('.')}; {cleared}." if cleared else said, warnings)


def _describe_end(verdict: Verdict, order: PreparedOrder) -> str:
    what = _describe_order(order)
    if isinstance(verdict, Accepted) and verdict.average is not None:
        return describe_traded(verdict, order)
    if isinstance(verdict, Rejected) and _UNMATCHED in verdict.reason.lower():
        # Someone else was faster: not an error of the order, and the venue's message hides it.
        gone = "ask" if order.intent.side is Side.BUY else "bid"
        return f"{what}: no fill, the {gone} was gone."
    return _describe_verdict(verdict, what)


def _warned(said: str, warnings: Sequence[str]) -> str:
    return f"{said} ! {'; '.join(warnings)}" if warnings else said


def _describe_verdict(verdict: Verdict, what: str) -> str:
    match verdict:
        case Accepted():
            if verdict.status is OrderStatus.LIVE:
                return f"Working: {what}."
            return f"{what} {_describe_accepted(verdict)}"
        case Rejected():
            return f"{what} refused: {ellipsize_words(verdict.reason, _REASON)}"
        case Unknown():
            return f"{what} unconfirmed, checking: {plain(verdict.reason, _REASON)}"


def _describe_accepted(verdict: Accepted) -> str:
    match verdict.status:
        case OrderStatus.FILLED:
            return "filled."
        case OrderStatus.PARTIALLY_FILLED:
            return f"filled {format_shares(verdict.filled_size)}, the rest is working."
        case OrderStatus.DELAYED:
            return "accepted, delayed by the venue. Its fill shows here."
        case _:
            return f"{plain(verdict.text, _REASON)}."


def _describe_order(order: PreparedOrder) -> str:
    return f"{_name_order(order)} @ {format_price(order.price)}"


def _name_order(order: PreparedOrder) -> str:
    side = "BUY" if order.intent.side is Side.BUY else "SELL"
    return f"{side} {format_shares(order.size)} {plain(order.outcome, _LABEL)}"


def describe_what_clears(
    met: Order | None, key: SingleKey, on_ladder: Sequence[Order], keymap: Keymap
) -> str:
    """Return which key cancels the own order that is in the way, for a refusal.

    Args:
        met: the order in the way; None for another reason.
        key: the key pressed.
        on_ladder: own orders on the ladder, in terms of its outcome.
        keymap: the user's keys.
    """
    if met is None:
        return ""
    if met.order_id not in {order.order_id for order in on_ladder}:
        # It rests in the other outcome's book, which is not shown.
        return f": {key_of(keymap, 'market.cancel_market')} cancels all"
    side = "asks" if key.side is Side.BUY else "bids"
    return f": {key_of(keymap, f'market.cancel_{side}')} pulls {side}"


def describe_what_sells(keymap: Keymap, action: str = "flatten_now") -> str:
    """Return what to do when remaining own orders prevented the sale of an action."""
    again, ticket = (key_of(keymap, f"market.{name}") for name in (action, "sell"))
    return f"{again} to retry, {ticket} to sell by ticket"


@dataclass(frozen=True, slots=True)
class Clearing:
    """The own orders that flattening cancels, as they stand on the ladder."""

    orders: tuple[Order, ...]
    token_id: TokenId
    """Of the outcome shown, in whose terms an order is a bid or an ask."""

    @property
    def sides(self) -> tuple[int, int]:
        """How many bids and asks they are."""
        bids = sum((o.side is Side.BUY) is (o.token_id == self.token_id) for o in self.orders)
        return bids, len(self.orders) - bids

    @property
    def words(self) -> str:
        """They, counted: `2 bids, 1 ask`."""
        return _count_sides(*self.sides)


@dataclass(frozen=True, slots=True)
class Reversal:
    """What was sent to reverse a position."""

    clearing: Clearing
    sale: PreparedOrder
    entry: PreparedOrder
    warnings: tuple[str, ...] = ()


def describe_reversing(
    sale: PreparedOrder, entry: PreparedOrder, warnings: Sequence[str] = ()
) -> str:
    """Return what was sent, and what follows once that has filled."""
    return _warned(f"Sent {_describe_order(sale)}, then {_describe_order(entry)}.", warnings)


def describe_reversed(
    reversal: Reversal, sold: Verdict, bought: Verdict, *, cleared: str = "", if_not_sold: str = ""
) -> str:
    """Return how a reversal ended, and where half of it was done what is held now.

    Args:
        reversal: what was sent.
        sold: how the sale ended.
        bought: how the purchase after it ended.
        cleared: the orders cancelled for it, in words.
        if_not_sold: what to do if remaining own orders prevented the sale.
    """
    sale, entry = reversal.sale, reversal.entry
    warnings = () if isinstance(sold, Rejected) else reversal.warnings
    if isinstance(sold, Accepted) and sold.status is OrderStatus.FILLED:
        said = _describe_second(sold, bought, reversal)
    else:
        said = _describe_unsold(sold, sale, if_not_sold=if_not_sold)
        said = f"{said}; {_name_order(entry)} not sent."
    return _warned(f"{said.removesuffix('.')}; {cleared}." if cleared else said, warnings)


def _describe_unsold(sold: Verdict, sale: PreparedOrder, *, if_not_sold: str) -> str:
    """Return how the sale of a reversal ended that has not filled whole, and what is left of the position."""
    if isinstance(sold, Accepted) and 0 < sold.filled_size < sale.size:
        left = format_shares(Micros(sale.size - sold.filled_size))
        net = f"net {left} {plain(sale.outcome, _LABEL)} left"
        return f"Not reversed: sold {_traded(sold, sale)}, {net}"
    return describe_end(sold, sale, if_not_sold=if_not_sold).removesuffix(".")


def _describe_second(sold: Accepted, bought: Verdict, reversal: Reversal) -> str:
    """Return how a reversal ended whose sale had filled whole."""
    entry, first = reversal.entry, _traded(sold, reversal.sale)
    if isinstance(bought, Accepted) and bought.filled_size:
        traded = f"sold {first}, bought {_traded(bought, entry)}"
        if fees := Micros(sold.filled_fee + bought.filled_fee):
            traded += f", fees {format_past_money(fees)}"
        if bought.status is OrderStatus.FILLED:
            return f"Reversed: {traded}."
        net = f"{format_shares(bought.filled_size)} {plain(entry.outcome, _LABEL)}"
        return f"Reversed in part: {traded}; net {net}."
    end = _describe_end(bought, entry)
    if not isinstance(bought, Rejected):
        return f"Sold {first}; {end}"
    if bought.reason.startswith(_NOT_SENT):
        why = bought.reason.removeprefix(_NOT_SENT)
        why = ellipsize_words(f"{why[:1].lower()}{why[1:]}", _REASON)
        end = f"{_name_order(entry)} not sent: {why}."
    return f"Flat: sold {first}; {end}"


def _traded(verdict: Accepted, order: PreparedOrder) -> str:
    """Return how much of an order was traded, and at what average price: `100 Yes @ 46.1¢`."""
    size = format_shares(verdict.filled_size)
    if verdict.status is not OrderStatus.FILLED:
        size = f"{size} of {format_shares(order.size)}"
    price = "" if verdict.average is None else f" @ {format_price(to_finest_tick(verdict.average))}"
    return f"{size} {plain(order.outcome, _LABEL)}{price}"


def describe_clearing(clearing: Clearing | None, said: str) -> str:
    """Return which orders a sale cancels; `said` unchanged if none."""
    if clearing is None or not clearing.orders:
        return said
    return f"Cancelling {clearing.words}; then {said.removeprefix('Sent ')}"


def describe_cleared(clearing: Clearing | None, account: AccountView, sold: Verdict) -> str:
    """Return which orders were cancelled with a sale, and, if it was sent, which are working still."""
    if clearing is None:
        return ""
    working = {order.order_id for order in account.open_orders}
    ended = working | {o.order_id for o in account.recent if o.status is OrderStatus.FILLED}
    gone = replace(clearing, orders=tuple(o for o in clearing.orders if o.order_id not in ended))
    left = replace(clearing, orders=tuple(o for o in clearing.orders if o.order_id in working))
    said = (
        f"cancelled {gone.words}" if gone.orders else "",
        f"{left.words} still working" if left.orders and not isinstance(sold, Rejected) else "",
    )
    return "; ".join(filter(None, said))


def _count_sides(bids: int, asks: int) -> str:
    found = [(bids, "bid"), (asks, "ask")]
    return ", ".join(count(number, noun) for number, noun in found if number)


_NAMES = {
    SingleKey.JOIN_BID: "join bid", SingleKey.JOIN_ASK: "join ask", SingleKey.IMPROVE_BID: "improve bid",
    SingleKey.IMPROVE_ASK: "improve ask", SingleKey.HIT_BID: "hit", SingleKey.TAKE_ASK: "lift",
    SingleKey.BUY_HERE: "buy here", SingleKey.SELL_HERE: "sell here",
}  # fmt: skip
_SHORT_NAMES = {
    SingleKey.JOIN_BID: "bid", SingleKey.JOIN_ASK: "ask", SingleKey.IMPROVE_BID: "",
    SingleKey.IMPROVE_ASK: "", SingleKey.HIT_BID: "hit", SingleKey.TAKE_ASK: "lift",
    SingleKey.BUY_HERE: "buy", SingleKey.SELL_HERE: "sell",
}  # fmt: skip
_NO_NAMES = dict.fromkeys(SingleKey, "")
_SIDE_ROLES = {Side.BUY: Role.BID, Side.SELL: Role.ASK}
_ROOMY = 110
"""In a narrower line all words are abbreviated, so that no key is left out."""
_WIDE = 140
"""In a narrower line names are abbreviated."""
_MAKERS = (SingleKey.JOIN_BID, SingleKey.JOIN_ASK, SingleKey.IMPROVE_BID, SingleKey.IMPROVE_ASK)
_BY_SIDE = (SingleKey.JOIN_BID, SingleKey.IMPROVE_BID, SingleKey.JOIN_ASK, SingleKey.IMPROVE_ASK)
_SALES = frozenset(key for key in SingleKey if key.side is Side.SELL)
"""The keys that sell all that is free where the chosen size is more."""
_HIT = frozenset({SingleKey.HIT_BID})
"""The one of them whose size matters most."""
_TAKERS = (SingleKey.HIT_BID, SingleKey.TAKE_ASK, SingleKey.BUY_HERE, SingleKey.SELL_HERE)
_ARMED_CHIP = Cell(" ARMED ", Role.ARMED, Emphasis.BOLD)


@dataclass(frozen=True, slots=True)
class KeyOrder:
    """What a key would send now."""

    price: Micros
    size: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmedKeys:
    """The contents of the two lines while armed."""

    presets: tuple[Micros, ...]
    chosen: int
    """The index of the preset to send."""
    orders: Mapping[SingleKey, KeyOrder | str]
    """The order that each key would send now, or in a word why it sends none; empty for no word."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The label of each action's key, by its name in the market context."""
    held: Micros | None = ZERO
    """Shares that flattening sells, the net of both outcomes; None if it would be refused."""
    cancels: tuple[int, int] = (0, 0)
    """How many bids and asks of ours it cancels: all in the market."""
    closing: Closing | None = None
    """What selling them now brings."""
    reverse: tuple[Side, Micros] | None = None
    """The side that reversing takes, and the worst price of it; None where others do not suffice."""
    round_trip_ms: int | None = None
    left_s: int = 0
    """Seconds until single keys are disarmed."""
    tick: Micros | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingKeys:
    """The contents of the two lines while disarmed: they stay, so that arming moves no price."""

    presets: tuple[Micros, ...]
    chosen: int
    keys: Mapping[str, str] = field(default_factory=dict)
    """The label of each action's key, by its name in the market context."""
    lock: str = ""
    """Why trading is locked; empty when it is not."""
    reason: str = ""
    """Why keys cannot be armed here; empty when they can."""
    result: str = ""
    """How the market ended, and the result for the position; empty while it is open."""
    has_next: bool = False
    """Whether it is a window of a series, so that a key leads to the next one."""


Dials = ArmedKeys | RestingKeys
"""The contents of the two lines."""


def paint_dials(dials: Dials, width: int) -> tuple[Line, Line]:
    """Paint both lines, armed or not."""
    if isinstance(dials, ArmedKeys):
        return paint_armed(dials, width)
    return _paint_resting(dials, width)


def _paint_resting(resting: RestingKeys, width: int) -> tuple[Line, Line]:
    """Paint the sizes with the key that arms, and the keys that would trade, without prices."""
    is_brief = width < _ROOMY
    if resting.result:
        said = (Cell("OVER   ", Role.STALE, Emphasis.BOLD), Cell(f" {resting.result}"))
        return _joined([said], _way_on(resting), width), ()
    chip = Cell("SIZE   ", Role.DIM)
    if resting.lock:
        chip = Cell("LOCKED ", Role.NOTICE_BAD, Emphasis.BOLD)
    presets = _presets(
        chip, resting.presets, resting.keys, chosen=resting.chosen,
        role=Role.DIM if resting.reason else Role.TEXT, is_brief=is_brief,
    )  # fmt: skip
    if resting.lock and not is_brief:
        why = (Cell(f" {resting.lock}", Role.NOTICE_BAD),)
        return _joined([presets], (), width), fit_line(why, width)
    if resting.lock or resting.reason:
        text = ellipsize_words(resting.lock or resting.reason, width // 2)
        right = (Cell(f"{text} ", Role.NOTICE_BAD if resting.lock else Role.DIM),)
        return _joined([presets], right, width), ()
    arm = resting.keys.get("toggle_arming", "")
    way = (Cell(arm, Role.KEY, Emphasis.BOLD), Cell(" Arm "), Cell("single keys ", Role.DIM))
    legend = _legend(resting)
    if _width_of(legend, _LOOSE) > width:
        legend = _legend(resting, is_brief=True)
    return (
        _joined([presets], way if arm else (), width),
        _joined(legend, (), width),
    )


def _way_on(resting: RestingKeys) -> Line:
    key = resting.keys.get("next_window", "")
    if not resting.has_next or not key:
        return ()
    return (Cell(key, Role.KEY, Emphasis.BOLD), Cell(" next window "))


def _legend(resting: RestingKeys, *, is_brief: bool = False) -> list[Line]:
    short: Mapping[str, str] = _SHORT_LEGEND if is_brief else {}
    return [
        (Cell("armed" if is_brief else "when armed ", Role.DIM),),
        *(
            (
                Cell(" ".join(found), Role.DIM, Emphasis.BOLD),
                Cell(f" {short.get(words, words)}", Role.DIM),
            )
            for names, words in _LEGEND
            if (found := [key for name in names if (key := resting.keys.get(name))])
        ),
    ]


def describe_result(
    market: Market | None, positions: Iterable[Position], *, holds_nothing: str,
    fees: Mapping[TokenId, Micros] = NOTHING_PAID,
) -> str:  # fmt: skip
    """Return how a market ended, and the result for the position in it.

    Args:
        market: the market that ended.
        positions: the positions in it.
        holds_nothing: the text for no position; empty while that is not known.
        fees: paid for the shares, by token.
    """
    won = next((o.label for o in market.outcomes if o.price == ONE), None) if market else None
    head = "Closed" if won is None else f"Resolved {plain(won, _LABEL)}"
    said = describe_held(positions, holds_nothing=holds_nothing, fees=fees)
    return f"{head} · {said}" if said else head


def describe_held(
    positions: Iterable[Position], *, holds_nothing: str,
    fees: Mapping[TokenId, Micros] = NOTHING_PAID,
) -> str:  # fmt: skip
    """Describe what was held of a market that has ended, and what that brought, net of fees."""
    held = [
        f"your {format_size_compact(p.size, width=8).strip()} {plain(p.outcome, _LABEL)}"
        + ("" if gain is None else f" {format_money_change(gain)}")
        for p in positions
        if p.size
        for gain in [gain_of((p,), fees)]
    ]
    return ", ".join(held) or holds_nothing


_LEGEND = (
    (("join_bid", "join_ask"), "join"), (("improve_bid", "improve_ask"), "improve"),
    (("hit_bid",), "hit"), (("take_ask",), "lift"), (("buy_here", "sell_here"), "at the cursor"),
    (("flatten_now",), "flatten"), (("reverse",), "reverse"),
    (("cancel_bids", "cancel_asks"), "pull bids, asks"),
)  # fmt: skip
_SHORT_LEGEND = {"at the cursor": "here", "pull bids, asks": "pull"}


def paint_armed(armed: ArmedKeys, width: int) -> tuple[Line, Line]:
    """Paint the sizes and what each key sends or ends, with the time left at the right.

    What does not fit is left out whole, from the end of each line.
    """
    if width < _ROOMY:
        return _paint_armed_brief(armed, width)
    has_short_names = width < _WIDE
    makers = _BY_SIDE if has_short_names else _MAKERS
    names = _SHORT_NAMES if has_short_names else _NAMES
    presets = _presets(
        _ARMED_CHIP, armed.presets, armed.keys, chosen=armed.chosen, role=Role.ARMED, is_brief=False
    )
    clock = _clock(armed)
    none: Set[SingleKey] = frozenset()
    ways = ((names, _SALES), (_SHORT_NAMES, _SALES), (names, none), (_SHORT_NAMES, none))
    first = _fitting(
        (
            [presets, *_priced(armed, makers, is_brief=False, names=each, sized=sized)]
            for each, sized in ways
        ),
        width - line_width(clock), _LOOSE,
    )  # fmt: skip
    second = _fitting(_takers(armed, names, is_brief=has_short_names), width, _TIGHT)
    return _joined(first, clock, width), _joined(second, (), width)


def _takers(
    armed: ArmedKeys, names: Mapping[SingleKey, str], *, is_brief: bool
) -> Iterator[list[Line]]:
    """Yield the keys that take or cancel, with ever fewer words."""
    # No key is left out for how many orders are pulled, nor for what closing brings.
    bare = replace(armed, cancels=(0, 0))
    ways = ((armed, names, False), (armed, names, True), (bare, _SHORT_NAMES, False))
    for sized in (_SALES, _HIT):
        for shown, named, is_tight in ways:
            yield [
                *_priced(shown, _TAKERS, is_brief=False, names=named, sized=sized),
                *_endings(shown, is_brief=is_brief, is_tight=is_tight), *_pulling(armed, is_brief=is_brief),
                *_disarming(armed, is_brief=is_brief),
            ]  # fmt: skip
    yield [
        *_priced(bare, _TAKERS, is_brief=False, names=_SHORT_NAMES, sized=_HIT),
        *_endings(bare, is_brief=True, has_gain=False), *_pulling(armed, is_brief=True),
        *_disarming(armed, is_brief=True),
    ]  # fmt: skip


def _paint_armed_brief(armed: ArmedKeys, width: int) -> tuple[Line, Line]:
    """Paint the sizes and what ends positions, then every key that has a price."""
    presets = _presets(
        _ARMED_CHIP, armed.presets, armed.keys, chosen=armed.chosen, role=Role.ARMED, is_brief=True
    )
    # The header has the time left, too: it is worth less than a key.
    left = (Cell(f" {_time_left(armed)} ", Role.NOTICE_WARN),)
    off = _disarming(armed, is_brief=True)
    clock = (*off[0], *left) if off else left
    bare = replace(armed, cancels=(0, 0))
    first = _fitting(
        (
            [presets, *_endings(shown, is_brief=True, is_tight=True, has_gain=has_gain)]
            for shown, has_gain in ((armed, True), (bare, True), (bare, False))
        ),
        width - line_width(clock), _TIGHT,
    )  # fmt: skip
    taking = {**_NO_NAMES, SingleKey.HIT_BID: "hit", SingleKey.TAKE_ASK: "lift"}
    ways = (
        (_SHORT_NAMES, _SALES), (_SHORT_NAMES, _HIT), (taking, _SALES), (taking, _HIT), (_NO_NAMES, _HIT)
    )  # fmt: skip
    second = _fitting(
        (
            [
                *_priced(armed, (*_TAKERS, *_BY_SIDE), is_brief=True, names=names, sized=sized),
                *_pulling(armed, is_brief=True),
            ]
            for names, sized in ways
        ),
        width, _TIGHT,
    )  # fmt: skip
    trip = (Cell(f"{armed.round_trip_ms}ms ", Role.DIM),) if armed.round_trip_ms is not None else ()
    has_room = _width_of(second, _TIGHT) + line_width(trip) <= width
    return _joined(first, clock, width), _joined(second, trip if has_room else (), width)


def _fitting(ways: Iterable[list[Line]], room: int, gap: str) -> list[Line]:
    """Return the first of these lines of keys that has room; the last if none has."""
    keys: list[Line] = []
    for keys in ways:
        if _width_of(keys, gap) <= room:
            break
    return keys


_CHOSEN = {Role.ARMED: Emphasis.BOLD, Role.TEXT: Emphasis.BOLD | Emphasis.REVERSE}
"""How the chosen size stands out; not at all while keys have no use for it."""


def _presets(
    chip: Cell, presets: Sequence[Micros], keys: Mapping[str, str], *,
    chosen: int, role: Role, is_brief: bool,
) -> Line:  # fmt: skip
    cells = [chip]
    for number, size in enumerate(presets):
        text = format_size_compact(size, width=6).strip()
        key = keys.get(f"preset_{number + 1}", "")
        cells += [Cell(f" {key}" if key else " ", Role.KEY)]
        # A sign says which key has which size, not only a blank.
        sign = Cell(":" if key else " ", Role.DIM)
        if number == chosen:
            if key:
                cells.append(sign)
            # The chosen size has its room also where it is not in force: nothing moves.
            cells.append(Cell(f" {text} ", role, _CHOSEN.get(role, Emphasis.NONE)))
        else:
            cells.append(Cell(f"{sign.text}{text}{'' if is_brief else ' '}", Role.DIM))
    return tuple(cells)


def _priced(
    armed: ArmedKeys, wanted: Sequence[SingleKey], *, is_brief: bool,
    names: Mapping[SingleKey, str], sized: Set[SingleKey],
) -> list[Line]:  # fmt: skip
    facts: list[Line] = []
    for key in wanted:
        label = armed.keys.get(key.name.lower(), "")
        if not label:
            continue
        order = armed.orders.get(key, "")
        role = Role.DIM
        if isinstance(order, KeyOrder):
            role = Role.BID if key.side is Side.BUY else Role.ASK
            text = format_price(order.price, tick=armed.tick)
            text = text.removesuffix("¢") if is_brief else text
            if key in sized and order.size != armed.presets[armed.chosen]:
                at = "@" if is_brief else " @ "
                text = f"{format_size_compact(order.size, width=7).strip()}{at}{text}"
        else:
            text = order or "–"
        name = f" {names[key]} " if names[key] else " "
        facts.append((_key_cap(label), Cell(name, Role.DIM), Cell(text, role)))
    return facts


def _endings(
    armed: ArmedKeys, *, is_brief: bool, is_tight: bool = False, has_gain: bool = True
) -> list[Line]:
    facts: list[Line] = []
    does_something = armed.held != ZERO or any(armed.cancels)
    if does_something and (key := armed.keys.get("flatten_now")):
        size = "–" if armed.held is None else format_size_compact(armed.held, width=6).strip()
        worth: Line = ()
        if (closing := armed.closing) is not None:
            gain = Cell(format_money_change(closing.profit), sign_role(closing.profit))
            worth = (Cell(" exit ", Role.DIM), gain) if has_gain else ()
            if closing.is_partial:
                size = f"{format_size_compact(closing.fills, width=6).strip()} of {size}"
        pulls: Line = ()
        if any(armed.cancels):
            pulls = (Cell(f", {_pulls(armed, is_brief=is_tight)}", Role.DIM),)
        name = "flat" if is_brief else "flatten"
        name += f" {size}" if armed.held != ZERO else ""
        facts.append((_key_cap(key), Cell(f" {name}"), *worth, *pulls))
    if armed.held and (key := armed.keys.get("reverse")):
        name = " rev " if is_brief else " reverse "
        if not is_brief:
            name += f"{format_size_compact(armed.held, width=6).strip()} @ "
        side, price = armed.reverse or (None, None)
        text = "–" if price is None else format_price(price, tick=armed.tick)
        role = Role.DIM if side is None else _SIDE_ROLES[side]
        text = text.removesuffix("¢") if is_tight else text
        facts.append((_key_cap(key), Cell(name, Role.DIM), Cell(text, role)))
    return facts


def _pulling(armed: ArmedKeys, *, is_brief: bool) -> list[Line]:
    words = ("bids", "asks") if is_brief else ("pull bids", "pull asks")
    keys = (armed.keys.get(name) for name in ("cancel_bids", "cancel_asks"))
    return [
        (_key_cap(key), Cell(f" {word}", Role.DIM))
        for key, word in zip(keys, words, strict=True)
        if key
    ]


def _disarming(armed: ArmedKeys, *, is_brief: bool) -> list[Line]:
    key = armed.keys.get("toggle_arming")
    word = " off" if is_brief else " disarm"
    return [(_key_cap(key), Cell(word, Role.DIM))] if key else []


def _key_cap(key: str) -> Cell:
    """Return a key that trades: reversed, so that `,` and `<` read as keys and not as signs."""
    return Cell(key, Role.KEY, Emphasis.BOLD | Emphasis.REVERSE)


def _pulls(armed: ArmedKeys, *, is_brief: bool) -> str:
    """Return what flattening cancels: `pulls 5 bids, 1 ask`; where room is short, how many orders."""
    return f"pulls {sum(armed.cancels)}" if is_brief else f"pulls {_count_sides(*armed.cancels)}"


def _time_left(armed: ArmedKeys) -> str:
    minutes, seconds = divmod(max(0, armed.left_s), 60)
    return f"{minutes}:{seconds:02}"


def _clock(armed: ArmedKeys) -> Line:
    cells = [Cell(f"{_time_left(armed)} left ", Role.NOTICE_WARN)]
    if armed.round_trip_ms is not None:
        cells.insert(0, Cell(f"rtt {armed.round_trip_ms} ms  ", Role.DIM))
    return tuple(cells)


_TIGHT, _LOOSE = " ", "  "
"""What sets a key with its price apart from the next one; the second where all fit."""


def _width_of(facts: Sequence[Line], gap: str) -> int:
    """Return the cells that a line needs for all, with a blank at each end."""
    return sum(line_width(fact) + len(gap) for fact in facts) - len(gap) + 2


def _joined(facts: Sequence[Line], right: Line, width: int) -> Line:
    room = width - line_width(right)
    line: list[Cell] = []
    between = _TIGHT if _width_of(facts, _LOOSE) > room else _LOOSE
    for fact in facts:
        gap = [Cell(between if line else " ")]
        if line_width((*line, *gap, *fact)) + 1 > room:
            break
        line += [*gap, *fact]
    if not right or room < 0:
        return fit_line(tuple(line), width)
    return (*line, Cell(" " * (room - line_width(tuple(line)))), *right)
