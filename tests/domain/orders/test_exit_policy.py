import pytest

from pmtui.domain.orders.exit_policy import (
    ExitPolicy,
    ExitReason,
    describe_exit,
    describe_paused_stops,
)


@pytest.mark.parametrize("is_paper", [True, False])
@pytest.mark.parametrize("is_switch_armed", [True, False])
def test_cancelling_is_the_same_everywhere(is_switch_armed: bool, is_paper: bool) -> None:
    said = describe_exit(ExitPolicy.CANCEL, is_switch_armed=is_switch_armed, is_paper=is_paper)
    assert said == "Every order is cancelled before pmtui ends."


@pytest.mark.parametrize("policy", [ExitPolicy.LEAVE, ExitPolicy.SWITCH])
def test_an_armed_switch_cancels_whatever_else_was_chosen(policy: ExitPolicy) -> None:
    said = describe_exit(policy, is_switch_armed=True, is_paper=False)
    assert "the venue cancels every order 10 to 15 s later" in said


def test_a_switch_that_nobody_armed_cancels_nothing_and_that_is_said() -> None:
    said = describe_exit(ExitPolicy.SWITCH, is_switch_armed=False, is_paper=False)
    assert "nothing cancels them: they stay" in said
    assert "stay" in describe_exit(ExitPolicy.LEAVE, is_switch_armed=False, is_paper=False)


def test_the_local_venue_ends_with_us_and_its_switch_with_it() -> None:
    for policy in (ExitPolicy.LEAVE, ExitPolicy.SWITCH):
        said = describe_exit(policy, is_switch_armed=True, is_paper=True)
        assert said.startswith("Paper orders are restored at the next start, if a heartbeat")
    said = describe_exit(ExitPolicy.LEAVE, is_switch_armed=False, is_paper=True)
    assert said == "Paper orders are restored at the next start."


def test_only_quitting_goes_by_its_own_setting() -> None:
    settings = {exit_reason: exit_reason.setting for exit_reason in ExitReason}
    assert settings.pop(ExitReason.QUIT) == "on_quit"
    assert set(settings.values()) == {"on_hangup"}


def test_stops_that_end_with_the_program_are_counted() -> None:
    assert describe_paused_stops(0) == ""
    assert describe_paused_stops(1).startswith("1 ")
    assert describe_paused_stops(3).startswith("3 ")
