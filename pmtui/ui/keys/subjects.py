"""The subjects under which the help groups the keys of large contexts."""

from collections.abc import Mapping
from types import MappingProxyType

from pmtui.ui.keys.action_table import Action

_ACTIONS = {
    "Orders": (
        "market.buy market.sell market.scaled market.cancel_order market.move_order "
        "market.nudge_up market.nudge_down market.cancel_market market.cancel_bids "
        "market.cancel_asks market.drop_order"
    ),
    "Position": "market.flatten market.protect market.split market.set_alert",
    "Single keys": (
        "market.toggle_arming market.buy_here market.sell_here market.join_bid market.join_ask "
        "market.improve_bid market.improve_ask market.hit_bid market.take_ask market.flatten_now "
        "market.preset_1 market.preset_2 market.preset_3 market.preset_4 market.preset_5 "
        "market.override"
    ),
    "View": (
        "market.flip_outcome market.show_both market.toggle_sides market.group_prices "
        "market.go_to_price market.switch_chart market.switch_candles market.shorter_interval "
        "market.longer_interval market.filter_tape market.rules"
    ),
    "Panes": (
        "market.go_to_sides market.go_to_ladder market.go_to_orders market.go_to_tape "
        "market.go_to_chart market.go_to_ticket"
    ),
    "Next market": (
        "market.next_sibling market.previous_sibling market.next_window market.previous_window"
    ),
    "Go to": (
        "global.search global.markets global.portfolio global.account global.watchlist global.log "
        "global.conditionals global.help global.palette global.command global.open global.back"
    ),
    "Everywhere": (
        "global.star global.cancel_every_order global.kill global.refresh global.copy "
        "global.redraw global.tour global.switch_prices global.switch_times global.change_theme "
        "global.quit"
    ),
    "Move": (
        "global.move_up global.move_down global.page_up global.page_down global.move_to_top "
        "global.move_to_end global.next_pane global.previous_pane"
    ),
}
_SUBJECT_OF: Mapping[str, str] = MappingProxyType(
    {action_id: subject for subject, ids in _ACTIONS.items() for action_id in ids.split()}
)
_ORDER = tuple(_ACTIONS)


def subject_of(action: Action) -> str:
    """Return the subject of an action: its context, unless that has several."""
    return _SUBJECT_OF.get(action.id, action.context.value.capitalize())


def place_of(subject: str) -> int:
    """Return the place of a subject among those of its context."""
    return _ORDER.index(subject) if subject in _ORDER else -1
