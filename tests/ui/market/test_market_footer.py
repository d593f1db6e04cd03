"""The keys at the foot of the trading screen, by where the trader is."""

from dataclasses import replace

from pmtui.domain.markets.market import Side
from pmtui.ui.keys.action_table import Need
from pmtui.ui.keys.actions import DEFAULT_KEYMAP, available
from pmtui.ui.market.market_footer import KeyPlace, market_entries, missing_in
from tests.ui.market.controls.desk import Desk, cents, hold_dust
from tests.ui.moving_market import CONDITION


def ids(place: KeyPlace) -> list[str]:
    return [entry.id for entry in market_entries(DEFAULT_KEYMAP, place)]


def test_the_keys_of_the_screen_come_before_the_global_ones() -> None:
    found = ids(KeyPlace(is_on_ladder=True))
    assert found.index("market.buy") < found.index("ladder.trade_here")
    assert found.index("ladder.trade_here") < found.index("global.search")
    assert "global.open" not in found
    assert "ladder.trade_here" not in ids(KeyPlace())


def test_enter_is_told_as_it_acts_with_a_cursor_and_without() -> None:
    for has_cursor, label in ((True, "Ticket here"), (False, "To best bid")):
        place = KeyPlace(is_on_ladder=True, has_cursor=has_cursor)
        labels = {e.id: e.label for e in market_entries(DEFAULT_KEYMAP, place)}
        assert labels["ladder.trade_here"] == label


def test_an_open_ticket_has_its_own_keys_alone() -> None:
    found = ids(KeyPlace(is_in_ticket=True, is_armed=True, is_moving=True))
    assert all(each.startswith("ticket.") for each in found)
    assert "ticket.use_suggestion" not in found
    assert "ticket.use_suggestion" in ids(KeyPlace(is_in_ticket=True, has_suggestion=True))


def test_a_ticket_without_the_fields_of_a_stop_names_the_key_that_shows_them() -> None:
    place = KeyPlace(is_in_ticket=True, lacks_attachments=True)
    entries = market_entries(DEFAULT_KEYMAP, place)
    assert [(e.key, e.label) for e in entries[:3]] == [
        ("enter", "Review"), ("esc", "Close"), ("f2", "Stop, target"),
    ]  # fmt: skip
    assert "ticket.switch_form" not in ids(KeyPlace(is_in_ticket=True))


def test_while_an_order_is_moved_its_keys_are_told_and_no_others() -> None:
    entries = market_entries(DEFAULT_KEYMAP, KeyPlace(is_moving=True))
    assert [(entry.id, entry.key) for entry in entries] == [
        ("ladder.trade_here", "enter"), ("", "up/down"), ("", "0-9"), ("market.drop_order", "esc"),
        ("global.help", "?"), ("global.quit", "q"),
    ]  # fmt: skip
    assert entries[0].is_dangerous


def test_the_foot_does_not_name_again_the_single_keys_that_stand_with_their_prices() -> None:
    found = ids(KeyPlace(is_armed=True, is_on_ladder=True))
    assert not {"market.buy_here", "market.hit_bid", "market.flatten_now"} & set(found)
    assert found == ids(KeyPlace(is_on_ladder=True))


def test_flattening_is_offered_by_what_the_market_is_net() -> None:
    for yes, no, is_offered in ((50, 45, True), (0, 45, True), (45, 45, False), (0, 0, False)):
        desk = Desk()
        desk.hold(yes=yes, no=no)
        missing = missing_in(desk.reader.read(), has_target=False)
        assert (Need.SALE not in missing) is is_offered


def test_where_trading_has_ended_no_key_that_trades_is_offered() -> None:
    desk = Desk()
    view = desk.service.markets[CONDITION]
    assert view.market is not None
    closed = replace(view, market=replace(view.market, closed=True))
    missing = missing_in(replace(desk.reader.read(), market=closed), has_target=True)
    entries = market_entries(DEFAULT_KEYMAP, KeyPlace(is_over=True, is_on_ladder=True))
    found = {entry.id for entry in available(entries, missing)}
    trades = {"market.buy", "market.flatten", "ladder.trade_here", "market.toggle_arming"}
    assert not trades & found
    # An order may still be listed.
    assert "market.cancel_order" in found
    assert "market.group_prices" in found
    empty = replace(desk.reader.read(), market=closed, book=None)
    missing = missing_in(empty, has_target=False)
    found = {entry.id for entry in available(entries, missing)}
    # Nothing is left to group or to centre.
    assert not {"market.group_prices", "ladder.recentre"} & found


def test_single_keys_that_are_armed_where_trading_has_ended_can_be_disarmed_only() -> None:
    entries = market_entries(DEFAULT_KEYMAP, KeyPlace(is_over=True, is_armed=True))
    assert "market.buy_here" not in {entry.id for entry in entries}
    (disarm,) = (entry for entry in entries if entry.id == "market.toggle_arming")
    assert (disarm.label, disarm.is_dangerous) == ("Disarm", False)


def test_of_dust_nothing_can_be_sold_or_protected() -> None:
    desk = Desk()
    assert Need.POSITION not in missing_in(desk.reader.read(), has_target=False)
    hold_dust(desk)
    assert Need.POSITION in missing_in(desk.reader.read(), has_target=False)


def test_a_short_can_be_protected_from_the_ladder_shown() -> None:
    desk = Desk()
    desk.hold(yes=0, no=40)
    assert Need.POSITION not in missing_in(desk.reader.read(), has_target=False)


def test_a_side_ladder_goes_there_or_back() -> None:
    first, second, *_ = ids(KeyPlace(is_on_side_ladder=True))
    assert (first, second) == ("global.open", "market.go_to_ladder")


def test_keys_of_own_orders_need_one_at_the_cursor() -> None:
    desk = Desk()
    order = desk.order(0)
    assert not desk.own.has_target(desk.reader.read())
    for price, is_any in ((order.price, True), (cents(99), False)):
        desk.ladder.cursor = (price, Side.BUY)
        model = desk.reader.read()
        assert desk.own.has_target(model) is is_any
        missing = missing_in(model, has_target=is_any)
        assert (Need.ORDER in missing) is not is_any
        assert not {Need.MARKET_ORDERS, Need.POSITION, Need.TRADING} & missing
    # Of the list, the order that is chosen is meant.
    desk.listed.has_focus = True
    assert not desk.own.has_target(desk.reader.read())
    desk.listed.selected = order
    assert desk.own.has_target(desk.reader.read())
    desk.set_orders()
    assert Need.MARKET_ORDERS in missing_in(desk.reader.read(), has_target=False)
