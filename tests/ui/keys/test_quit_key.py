from dataclasses import replace

from pmtui.domain.conditionals.conditional import ConditionalId, ConditionalOrder
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.money import Micros
from pmtui.domain.orders.exit_policy import ExitPolicy
from pmtui.domain.orders.heartbeat import BeatState, HeartbeatPolicy, HeartbeatView
from pmtui.service.views import Mode, StatusView
from pmtui.ui.cells import line_width
from pmtui.ui.keys.quit_key import label_leaving, paint_ending, paint_leaving
from pmtui.ui.portfolio.paint_orders import LINE_WIDTH
from tests.ui.fake_surface import PAPER_STATUS

LIVE = replace(PAPER_STATUS, mode=Mode.LIVE)
BEATING = HeartbeatView(HeartbeatPolicy.ON, BeatState.BEATING, LIVE.now)


def said(policy: ExitPolicy, status: StatusView) -> str:
    return "".join(cell.text for cell in paint_leaving(policy, status))


def test_the_choice_and_what_comes_of_it_are_both_said() -> None:
    assert said(ExitPolicy.LEAVE, LIVE) == ("They stay working at the venue. (on_quit = leave)")
    assert said(ExitPolicy.CANCEL, PAPER_STATUS).endswith("(on_quit = cancel)")


def test_the_switch_is_promised_only_where_it_is_armed() -> None:
    armed = replace(LIVE, heartbeat=BEATING)
    assert "the venue cancels every order 10 to 15 s later" in said(ExitPolicy.SWITCH, armed)
    assert "they stay working at the venue" in said(ExitPolicy.SWITCH, LIVE)


def test_the_agreeing_key_says_that_it_cancels() -> None:
    assert label_leaving(ExitPolicy.CANCEL) == "Cancel and quit"
    assert label_leaving(ExitPolicy.SWITCH) == label_leaving(ExitPolicy.LEAVE) == "Quit"


def test_what_watches_is_named_on_one_line_each() -> None:
    stop = ConditionalOrder(
        ConditionalId("c"), ConditionId("0x1"), TokenId("1"), "Yes",
        "Will the very long and winding road of this question ever end?",
        size=Micros(100_000_000), stop=Micros(400_000), take_profit=Micros(800_000),
        give_way=Micros(50_000), created_at=PAPER_STATUS.now,
    )  # fmt: skip
    _, line = paint_ending((stop,))
    assert "Will the very" in "".join(cell.text for cell in line)
    assert line_width(line) <= LINE_WIDTH
