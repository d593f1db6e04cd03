"""The trading screen's controls, put together: which of them answers what."""

from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import actions_in
from pmtui.ui.market.market import MarketScreen
from tests.ui.moving_market import CONDITION, MovingMarket


def test_every_action_of_the_market_has_somebody_who_does_it() -> None:
    screen = MarketScreen(MovingMarket().service.surface(), CONDITION)
    market = (action for action in actions_in(Context.MARKET) if not action.command)
    names = {action.id.partition(".")[2] for action in market}
    assert set(screen.controls.actions) == names
