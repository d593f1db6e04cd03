"""The keys at the foot of the trading screen, by where the trader is."""

from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.market.market_footer import KeyPlace, market_entries


def ids(place: KeyPlace) -> list[str]:
    return [entry.id for entry in market_entries(DEFAULT_KEYMAP, place)]


def test_the_keys_of_the_screen_come_before_the_global_ones() -> None:
    found = ids(KeyPlace(is_on_ladder=True))
    assert found.index("market.buy") < found.index("ladder.trade_here")
    assert found.index("ladder.trade_here") < found.index("global.search")
    assert "global.open" not in found
    assert "ladder.trade_here" not in ids(KeyPlace())


def test_an_open_ticket_has_its_own_keys_alone() -> None:
    found = ids(KeyPlace(is_in_ticket=True, is_armed=True, is_moving=True))
    assert all(each.startswith("ticket.") for each in found)
    assert "ticket.use_suggestion" not in found
    assert "ticket.use_suggestion" in ids(KeyPlace(is_in_ticket=True, has_suggestion=True))


def test_what_is_moved_is_put_down_or_back() -> None:
    first, second, *_ = market_entries(DEFAULT_KEYMAP, KeyPlace(is_moving=True))
    assert (first.id, first.label, first.is_dangerous) == ("ladder.trade_here", "Move here", True)
    assert (second.id, second.label) == ("market.drop_order", "Leave as is")


def test_armed_keys_come_first_and_none_is_named_twice() -> None:
    found = ids(KeyPlace(is_armed=True, is_on_ladder=True))
    assert found[:2] == ["market.buy_here", "market.sell_here"]
    assert len(found) == len(set(found))


def test_where_trading_has_ended_no_key_that_trades_is_offered() -> None:
    found = ids(KeyPlace(is_over=True, is_on_ladder=True))
    assert not {"market.buy", "market.flatten", "ladder.trade_here", "market.toggle_arming"} & {
        *found
    }
    assert "market.cancel_order" in found
    (disarm,) = [
        entry
        for entry in market_entries(DEFAULT_KEYMAP, KeyPlace(is_over=True, is_armed=True))
        if entry.id == "market.toggle_arming"
    ]
    assert (disarm.label, disarm.is_dangerous) == ("Disarm", False)


def test_a_side_ladder_goes_there_or_back() -> None:
    first, second, *_ = ids(KeyPlace(is_on_side_ladder=True))
    assert (first, second) == ("global.open", "market.go_to_ladder")
