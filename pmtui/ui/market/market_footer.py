"""The keys at the foot of the trading screen: those that work for the focused pane."""

from dataclasses import dataclass, replace

from pmtui.domain.orders.amounts import size_floor
from pmtui.ui.facts import key_of
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import FooterEntry, Keymap, footer_entries
from pmtui.ui.market.market_model import MarketModel

_DISARM = "market.toggle_arming"
_FORM = "ticket.switch_form"
_HERE = "ladder.trade_here"
_AFTER_CLOSE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlace:
    """Where the focus is, and what keys can act on there."""

    is_in_ticket: bool = False
    has_suggestion: bool = False
    """Whether the ticket has a suggestion that a key applies."""
    lacks_attachments: bool = False
    """Whether the ticket is for a purchase, in its form without the fields of a stop and a target."""
    is_moving: bool = False
    is_on_side_ladder: bool = False
    is_on_ladder: bool = False
    has_cursor: bool = False
    """Whether a price is chosen on the ladder."""
    is_over: bool = False
    """Whether trading in this market has ended."""
    is_armed: bool = False


def missing_in(model: MarketModel, *, has_target: bool) -> frozenset[Need]:
    """Return the needs of keys that a market does not meet.

    Args:
        model: the market shown.
        has_target: whether an own order, stop or target is at the cursor.
    """
    account = model.account
    here = [p for p in account.positions if p.condition_id == model.condition_id]
    is_held = any(size_floor(position.size) > 0 for position in here)
    has_net = any(size_floor(account.unpaired(position.token_id)) > 0 for position in here)
    is_open = not model.why_not_tradable
    there = {
        Need.TRADING: is_open,
        Need.LEVELS: not model.has_only_result,
        Need.ARMABLE: is_open or model.is_armed,
        Need.ORDER: has_target,
        Need.MOVABLE: has_target and is_open,
        Need.MARKET_ORDERS: bool(model.own_orders),
        Need.POSITION: is_held and not model.is_over,
        Need.SALE: has_net and is_open,
    }
    return frozenset(need for need, is_there in there.items() if not is_there)


def market_entries(keymap: Keymap, place: KeyPlace) -> tuple[FooterEntry, ...]:
    """Return the keys that work there, the nearest first."""
    if place.is_in_ticket:
        return _ticket_entries(keymap, place)
    if place.is_moving:
        return _moving_entries(keymap)
    everywhere = footer_entries(Context.GLOBAL, keymap=keymap)
    rest = tuple(entry for entry in everywhere if entry.id != "global.open")
    if place.is_on_side_ladder and (beside := _side_entries(keymap)):
        return beside + rest
    # The registry lists the global keys first; here the screen's own keys do.
    near = footer_entries(Context.MARKET, keymap=keymap)
    ladder = footer_entries(Context.LADDER, keymap=keymap) if place.is_on_ladder else ()
    if not place.has_cursor:
        ladder = tuple(map(_pointing, ladder))
    if place.is_armed:
        # The lines above name the single keys with their prices.
        near = tuple(map(_disarming, near))
    return near + ladder + rest


def _ticket_entries(keymap: Keymap, place: KeyPlace) -> tuple[FooterEntry, ...]:
    entries = list(footer_entries(Context.TICKET, keymap=keymap))
    if not place.has_suggestion:
        entries = [entry for entry in entries if entry.id != "ticket.use_suggestion"]
    if place.lacks_attachments and keymap.keys_of(_FORM):
        form = FooterEntry(_FORM, key_of(keymap, _FORM), "Stop, target", is_dangerous=False)
        entries.insert(_AFTER_CLOSE, form)
    return tuple(entries)


def _moving_entries(keymap: Keymap) -> tuple[FooterEntry, ...]:
    here = tuple(
        replace(entry, label="Move here", is_dangerous=True)
        for entry in footer_entries(Context.LADDER, keymap=keymap)
        if entry.id == _HERE
    )
    up, down = (key_of(keymap, f"ladder.move_{way}") for way in ("up", "down"))
    key = key_of(keymap, "market.drop_order")
    rest = footer_entries(Context.GLOBAL, keymap=keymap)
    return (
        *here,
        FooterEntry("", f"{up}/{down}", "Price", is_dangerous=False),
        FooterEntry("", "0-9", "Size", is_dangerous=False),
        FooterEntry("market.drop_order", key, "Leave as is", is_dangerous=False),
        *(entry for entry in rest if entry.id in ("global.help", "global.quit")),
    )


def _side_entries(keymap: Keymap) -> tuple[FooterEntry, ...]:
    labels = {"global.open": "Go there", "market.go_to_ladder": "Main ladder"}
    return tuple(
        FooterEntry(action_id, key_of(keymap, action_id), label, is_dangerous=False)
        for action_id, label in labels.items()
        if keymap.keys_of(action_id)
    )


def _pointing(entry: FooterEntry) -> FooterEntry:
    """Return the entry that goes to a price in place of the one that trades there."""
    return replace(entry, label="To best bid") if entry.id == _HERE else entry


def _disarming(entry: FooterEntry) -> FooterEntry:
    """Return the entry that disarms in place of the one that arms."""
    return replace(entry, label="Disarm", is_dangerous=False) if entry.id == _DISARM else entry
