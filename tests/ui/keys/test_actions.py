from collections import Counter

import pytest
from textual.binding import Binding

from pmtui.config.terminal_settings import KeyOverride
from pmtui.ui.keys.action import Context, Danger
from pmtui.ui.keys.action_table import ACTIONS
from pmtui.ui.keys.actions import (
    bindings_for,
    bindings_of,
    find_action,
    footer_entries,
    help_lines,
    key_label,
    palette_commands,
)
from pmtui.ui.keys.keymap import read_keymap


def test_ids_are_unique_and_belong_to_a_context() -> None:
    assert max(Counter(action.id for action in ACTIONS).values()) == 1
    assert {action.context for action in ACTIONS} == set(Context)


def test_no_two_actions_of_a_context_share_a_key() -> None:
    for context in Context:
        keys = Counter(k for a in ACTIONS if a.context is context for k in a.keys)
        assert not [key for key, count in keys.items() if count > 1], context


def test_whatever_reaches_the_market_is_marked_dangerous() -> None:
    dangerous = {action.id for action in ACTIONS if action.danger is not Danger.NONE}
    assert dangerous >= {
        "global.cancel_every_order", "market.cancel_order", "market.cancel_market",
        "confirm.accept", "global.quit", "global.kill", "market.toggle_arming", "market.buy_here",
        "market.sell_here", "market.join_bid", "market.join_ask", "market.improve_bid",
        "market.improve_ask", "market.hit_bid", "market.take_ask", "market.flatten_now",
        "market.cancel_bids", "market.cancel_asks", "market.override",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "action_id"),
    [
        ("slash", "global.search"), ("m", "global.markets"), ("p", "global.portfolio"),
        ("l", "global.log"), ("question_mark", "global.help"), ("ctrl+p", "global.palette"),
        ("enter", "global.open"), ("escape", "global.back"), ("j", "global.move_down"),
        ("tab", "global.next_pane"), ("X", "global.cancel_every_order"), ("K", "global.kill"),
        ("r", "global.refresh"),
        ("q", "global.quit"), ("ctrl+l", "global.redraw"), ("i", "event.rules"),
        ("o", "market.flip_outcome"), ("b", "market.buy"), ("s", "market.sell"),
        ("enter", "ladder.trade_here"), ("space", "ladder.recentre"),
        ("left_square_bracket", "market.shorter_interval"), ("g", "market.group_prices"),
        ("x", "market.cancel_order"), ("z", "market.cancel_market"),
        ("v", "market.toggle_arming"), ("B", "market.buy_here"), ("S", "market.sell_here"),
        ("1", "market.preset_1"), ("5", "market.preset_5"),
    ],
)  # fmt: skip
def test_the_default_keys_are_the_documented_ones(key: str, action_id: str) -> None:
    assert key in find_action(action_id).keys


def test_bindings_carry_the_id_so_that_keys_can_be_changed() -> None:
    bindings = [b for b in bindings_for(Context.MARKET) if isinstance(b, Binding)]
    buy = next(binding for binding in bindings if binding.id == "market.buy")
    assert (buy.key, buy.action, buy.description, buy.show) == ("b", "perform('buy')", "Buy", True)
    everywhere = {b.id for b in bindings_for(Context.GLOBAL) if isinstance(b, Binding)}
    assert "global.move_up" not in everywhere
    assert "global.change_theme" not in everywhere
    (up,) = bindings_of("global.move_up")
    assert isinstance(up, Binding)
    assert up.key == "up,k"


def test_footer_palette_and_help_follow_the_users_keys() -> None:
    keymap, problems = read_keymap(
        {"market.buy": KeyOverride(("N",), 1), "market.sell": KeyOverride((), 2)}
    )
    assert not problems
    labels = {entry.id: entry.key for entry in footer_entries(Context.MARKET, keymap=keymap)}
    assert labels["market.buy"] == "N"
    assert "market.sell" not in labels
    commands = {c.id: c for c in palette_commands(Context.GLOBAL, Context.MARKET, keymap=keymap)}
    assert commands["market.buy"].keys == "N"
    assert commands["market.sell"].command == "perform('sell')"
    assert commands["global.search"].command == "app.search"
    assert "global.change_theme" in commands
    lines = {
        (line.context, line.label): line.keys for line in help_lines(Context.MARKET, keymap=keymap)
    }
    assert lines[Context.MARKET, "Buy"] == "N"


def test_keys_are_written_as_on_the_keyboard() -> None:
    assert [key_label(k) for k in ("slash", "ctrl+p", "left_square_bracket", "X", "escape", "+", "less_than_sign")] == [
        "/", "ctrl+p", "[", "X", "esc", "+", "<",
    ]  # fmt: skip


def test_the_footer_names_no_key_twice_and_gives_it_to_the_nearest() -> None:
    entries = footer_entries(Context.HELP, Context.GLOBAL)
    assert [entry.label for entry in entries if entry.key == "?"] == ["Close"]
    for context in Context:
        keys = [entry.key for entry in footer_entries(context, Context.GLOBAL)]
        assert len(keys) == len(set(keys)), context
