from collections import Counter
from itertools import pairwise

import pytest
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen

from pmtui.config.terminal_settings import KeyOverride
from pmtui.ui.keys.action_table import ACTIONS, Action, Context, Danger
from pmtui.ui.keys.actions import (
    KeymapProblem,
    bindings_for,
    bindings_of,
    find_action,
    footer_entries,
    help_lines,
    key_label,
    palette_commands,
    read_keymap,
)


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


def _read(action_id: str, *keys: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    keymap, problems = read_keymap({action_id: KeyOverride(keys, 4)})
    assert all(problem.line == 4 for problem in problems)
    return keymap.keys_of(action_id), tuple(problem.text for problem in problems)


def test_no_overrides_are_no_problem() -> None:
    keymap, problems = read_keymap({})
    assert not problems
    assert all(keymap.keys_of(action.id) == action.keys for action in ACTIONS)
    assert keymap.to_textual() == {}


def test_a_key_can_be_changed_or_taken_away() -> None:
    keymap, problems = read_keymap(
        {"market.buy": KeyOverride(("N", "ctrl+b"), 1), "market.flip_outcome": KeyOverride((), 2)}
    )
    assert not problems
    assert keymap.to_textual()["market.buy"] == "N,ctrl+b"
    assert keymap.keys_of("market.flip_outcome") == ()


@pytest.mark.parametrize(
    ("written", "read"), [("#", "number_sign"), ("shift+PgUp", "shift+pageup"), ("F12", "f12"), ("ctrl+]", "ctrl+right_square_bracket"), ("+", "plus"), ("ctrl+esc", "ctrl+escape"), ("shift+f2", "shift+f2"), ("é", "é")]
)  # fmt: skip
def test_keys_may_be_written_as_they_look(written: str, read: str) -> None:
    assert _read("market.group_prices", written) == ((read,), ())


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("shift+b", "market.group_prices: write 'B' instead of 'shift+b'"),
        ("ctrl+shift+b", "market.group_prices: write 'ctrl+B' instead of 'ctrl+shift+b'"),
        ("ctl+b", "market.group_prices: 'ctl' in 'ctl+b' is no modifier"),
        ("entr", "market.group_prices: 'entr' is no key, did you mean 'enter'?"),
        ("\x1b", "market.group_prices: '\\x1b' is no key"),
        ("", "market.group_prices: '' is no key"),
    ],
)
def test_a_key_that_cannot_be_pressed_is_refused(written: str, complaint: str) -> None:
    keys, problems = _read("market.group_prices", written)
    assert keys == ("g",)
    assert problems == (complaint,)


def test_an_unknown_action_gets_the_nearest_name() -> None:
    _, problems = read_keymap({"market.by": KeyOverride(("b",), 7)})
    assert problems == (KeymapProblem(7, "unknown action market.by, did you mean market.buy?"),)


def test_a_clash_in_a_context_is_refused_and_the_old_key_stays() -> None:
    keys, problems = _read("market.buy", "s")
    assert keys == ("b",)
    assert problems == ("market.buy: s already belongs to market.sell",)


def test_a_clash_with_a_global_key_is_refused() -> None:
    assert _read("market.buy", "q")[1] == ("market.buy: q already belongs to global.quit",)
    assert _read("global.quit", "b")[1] == ("global.quit: b already belongs to market.buy",)


def test_a_clash_between_ladder_and_market_is_refused() -> None:
    assert _read("ladder.recentre", "b")[1] == ("ladder.recentre: b already belongs to market.buy",)


def test_two_actions_may_swap_their_keys() -> None:
    keymap, problems = read_keymap(
        {"market.buy": KeyOverride(("s",), 1), "market.sell": KeyOverride(("b",), 2)}
    )
    assert not problems
    assert keymap.to_textual() == {"market.buy": "s", "market.sell": "b"}


def test_the_later_of_two_clashing_entries_gives_way() -> None:
    keymap, problems = read_keymap(
        {"market.buy": KeyOverride(("f12",), 1), "market.sell": KeyOverride(("f12",), 2)}
    )
    assert problems == (KeymapProblem(2, "market.sell: f12 already belongs to market.buy"),)
    assert keymap.keys_of("market.sell") == ("s",)


def test_a_screen_may_keep_using_a_global_key_as_the_defaults_do() -> None:
    keymap, problems = read_keymap({"confirm.accept": KeyOverride(("enter", "f4"), 1)})
    assert not problems
    assert keymap.keys_of("confirm.accept") == ("enter", "f4")


class _Market(Screen[None]):
    BINDINGS = bindings_for(Context.MARKET)

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def action_perform(self, name: str) -> None:
        self.done.append(name)


async def test_textual_presses_the_keys_the_user_chose() -> None:
    keymap, problems = read_keymap(
        {
            "market.buy": KeyOverride(("s", "N"), 1),
            "market.sell": KeyOverride(("b",), 2),
            "market.flip_outcome": KeyOverride((), 3),
        }
    )
    assert not problems
    app = App[None]()
    async with app.run_test() as pilot:
        app.set_keymap(keymap.to_textual())
        screen = _Market()
        await app.push_screen(screen)
        await pilot.press("s", "b", "N", "o")
        assert screen.done == ["buy", "sell", "buy"]


def _meet(one: Action, other: Action) -> bool:
    contexts = {one.context, other.context}
    at_once = len(contexts) == 1 or contexts == {Context.MARKET, Context.LADDER}
    return at_once or Context.GLOBAL in contexts


def test_every_action_can_be_moved_to_a_free_key() -> None:
    for action in ACTIONS:
        keymap, problems = read_keymap({action.id: KeyOverride(("f12",), 3)})
        assert not problems
        assert keymap.keys_of(action.id) == ("f12",)


def test_no_action_takes_the_key_of_another_that_works_in_the_same_place() -> None:
    for action in ACTIONS:
        # A screen's own key for what a global one does too is shared on purpose.
        others = (
            other
            for other in ACTIONS
            if other is not action
            and other.keys
            and set(other.keys).isdisjoint(action.keys)
            and _meet(action, other)
        )
        one_of_each_context = {other.context: other for other in others}
        assert one_of_each_context
        for other in one_of_each_context.values():
            keymap, problems = read_keymap({action.id: KeyOverride((other.keys[0],), 7)})
            assert [problem.line for problem in problems] == [7], (action.id, other.id)
            assert problems[0].text.startswith(f"{action.id}: ")
            assert "already belongs to" in problems[0].text
            assert keymap.keys_of(action.id) == action.keys


@pytest.mark.parametrize("context", [c for c in Context if c is not Context.GLOBAL])
def test_of_two_actions_moved_to_one_key_the_later_line_is_refused(context: Context) -> None:
    own = [action.id for action in ACTIONS if action.context is context]
    for first, second in pairwise(own):
        keymap, problems = read_keymap(
            {first: KeyOverride(("f12",), 1), second: KeyOverride(("f12",), 2)}
        )
        assert problems == (KeymapProblem(2, f"{second}: f12 already belongs to {first}"),)
        assert keymap.keys_of(first) == ("f12",)


def test_the_same_key_in_places_that_never_meet_is_no_clash() -> None:
    _, problems = read_keymap(
        {
            "ticket.switch_form": KeyOverride(("f12",), 1),
            "event.rules": KeyOverride(("f12",), 2),
            "log.next_kind": KeyOverride(("f12",), 3),
        }
    )
    assert not problems
